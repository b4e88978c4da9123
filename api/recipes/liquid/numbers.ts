/**
 * Numbers as Liquid's own language counts them: whole ones divide to whole ones, and those with a fraction keep it, also
 * where it is nought (RC-30, RC-31).
 */

/**
 * A number with a fraction of nought, as 7.0. Every other number with a fraction is a plain one.
 * The comparisons are those that the engine asks for.
 */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
  valueOf(): number {
    return this.value;
  }
  toString(): string {
    return textOfFraction(this.value);
  }
  toJSON(): unknown {
    return rawJson(textOfFraction(this.value));
  }
  equals(other: unknown): boolean {
    return isNumeric(other) && Number(other) === this.value;
  }
  gt(other: unknown): boolean {
    return this.value > comparable(other, this);
  }
  geq(other: unknown): boolean {
    return this.value >= comparable(other, this);
  }
  lt(other: unknown): boolean {
    return this.value < comparable(other, this);
  }
  leq(other: unknown): boolean {
    return this.value <= comparable(other, this);
  }
}

/** A number, whole or with a fraction. */
export type Numeric = number | Float;

/** Writes a number into JSON as it is written here. TypeScript does not know the function yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };

export const isNumeric = (value: unknown): value is Numeric => typeof value === 'number' || value instanceof Float;

export const hasFraction = (value: Numeric): boolean => value instanceof Float || !Number.isInteger(value);

/** Makes a number with a fraction, whatever it is. */
export const fraction = (value: number): Numeric => (Number.isInteger(value) ? new Float(value) : value);

function comparable(other: unknown, own: Float): number {
  if (isNumeric(other)) return Number(other);
  if (typeof other === 'string') throw new Error(`comparison of Float with String failed`);
  return own.value === 0 && other === null ? Number.NaN : Number.NaN;
}

/** Returns the text of a number as it is printed. */
export function textOfNumber(value: Numeric): string {
  return hasFraction(value) ? textOfFraction(Number(value)) : wholeText(Number(value));
}

const wholeText = (value: number): string => (Math.abs(value) < 1e21 ? String(value) : BigInt(value).toString());

/** Powers of ten are written below 0.0001 and from 10^16 on. */
function textOfFraction(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [digits = '', power = ''] = value.toExponential().split('e');
    const exponent = Math.abs(Number(power)).toString().padStart(2, '0');
    return `${digits.includes('.') ? digits : `${digits}.0`}e${power.startsWith('-') ? '-' : '+'}${exponent}`;
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** Reads a number as arithmetic does: a text counts as far as it begins with digits, and everything else is nought. */
export function numberOf(value: unknown): Numeric {
  if (isNumeric(value)) return value;
  if (typeof value !== 'string') return 0;
  const text = value.trim();
  if (/^-?\d+\.\d+$/.test(text)) return fraction(Number(text));
  return Number(/^[+-]?\d+/.exec(text)?.[0] ?? 0);
}

/** A decimal number as whole units of a power of ten. */
interface Decimal {
  readonly units: bigint;
  readonly places: number;
}

function decimalOf(value: Numeric): Decimal {
  const [mantissa = '', power = '0'] = String(Number(value)).split('e');
  const [whole = '', part = ''] = mantissa.split('.');
  const places = part.length - Number(power);
  const units = BigInt(whole + part);
  return places < 0 ? { units: units * 10n ** BigInt(-places), places: 0 } : { units, places };
}

function aligned(one: Decimal, other: Decimal): readonly [bigint, bigint, number] {
  const places = Math.max(one.places, other.places);
  const grown = ({ units, places: own }: Decimal): bigint => units * 10n ** BigInt(places - own);
  return [grown(one), grown(other), places];
}

const numberFrom = (units: bigint, places: number): number => Number(`${units}e-${places}`);

type Operation = (left: Numeric, right: Numeric) => Numeric;

/** The rest has the sign of the divisor. */
const rest = (left: bigint, right: bigint): bigint => ((left % right) + right) % right;

function inDecimals(left: Numeric, right: Numeric, work: (left: bigint, right: bigint) => bigint): Numeric {
  const [one, other, places] = aligned(decimalOf(left), decimalOf(right));
  return numberFrom(work(one, other), places);
}

/** Gives the result a fraction where one of the two had one. */
const arithmetic =
  (work: Operation): Operation =>
  (left, right) => {
    const finite = Number.isFinite(Number(left)) && Number.isFinite(Number(right));
    const result = finite ? Number(work(left, right)) : Number.NaN;
    return hasFraction(left) || hasFraction(right) ? fraction(result) : result;
  };

export const addNumbers = arithmetic((left, right) => inDecimals(left, right, (one, other) => one + other));
export const subtract = arithmetic((left, right) => inDecimals(left, right, (one, other) => one - other));
export const multiply = arithmetic((left, right) => {
  const [one, other] = [decimalOf(left), decimalOf(right)];
  return numberFrom(one.units * other.units, one.places + other.places);
});

/** Whole numbers fail at it; with a fraction the result has no end, or is not a number. */
function dividedByNought(left: Numeric, right: Numeric, result: number): number {
  if (!hasFraction(left) && !hasFraction(right)) throw new Error('divided by 0');
  return result;
}

export const divide = arithmetic((left, right) => {
  const quotient = Number(left) / Number(right);
  if (Number(right) === 0) return dividedByNought(left, right, quotient);
  return hasFraction(left) || hasFraction(right) ? quotient : Math.floor(quotient);
});
export const remainder = arithmetic((left, right) =>
  Number(right) === 0 ? dividedByNought(left, right, Number.NaN) : inDecimals(left, right, rest),
);

/** Rounds half away from nought, to places after the point or before it. */
export function round(value: Numeric, places: number): Numeric {
  const { units, places: own } = decimalOf(value);
  const drop = own - places;
  const scale = 10n ** BigInt(Math.max(0, Math.min(400, drop)));
  const half = scale / 2n;
  const rounded = drop <= 0 ? units : (units + (units < 0n ? -half : half)) / scale;
  const result = numberFrom(rounded, drop <= 0 ? own : places);
  return places > 0 && hasFraction(value) ? fraction(result) : result;
}
