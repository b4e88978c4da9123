/** Firmware versions: semantic versions, compared as frames of both dialects compare them. */

interface FirmwareVersion {
  readonly numbers: readonly number[];
  /** The parts after `-`, split at the dots; empty for a release. */
  readonly early: readonly string[];
}

/** Numbers have at most nine digits, so that firmware in C can hold them. */
const number = '(0|[1-9]\\d{0,8})';
const word = '(?:0|[1-9]\\d{0,8}|\\d*[A-Za-z-][\\dA-Za-z-]*)';
const shape = new RegExp(`^${number}\\.${number}\\.${number}(?:-(${word}(?:\\.${word})*))?(?:\\+[\\dA-Za-z.-]+)?$`);

/** The most characters of a firmware version, as in `hello`. */
export const firmwareVersionCharacters = 32;

function parse(text: string): FirmwareVersion | undefined {
  const parts = text.length > firmwareVersionCharacters ? null : shape.exec(text);
  if (parts === null) return undefined;
  return { numbers: parts.slice(1, 4).map(Number), early: parts[4]?.split('.') ?? [] };
}

/** True for a semantic version such as `1.4.2` or `2.0.0-rc.1`. */
export function isFirmwareVersion(text: string): boolean {
  return parse(text) !== undefined;
}

/**
 * True when a version is greater than another. It is false when either is not a semantic version, because nothing is known
 * then.
 */
export function isNewerFirmware(version: string, than: string): boolean {
  const [a, b] = [parse(version), parse(than)];
  return a !== undefined && b !== undefined && compare(a, b) > 0;
}

function compare(a: FirmwareVersion, b: FirmwareVersion): number {
  for (const [at, one] of a.numbers.entries()) {
    const difference = one - (b.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  // A pre-release is less than its release.
  if (a.early.length === 0 || b.early.length === 0) return b.early.length - a.early.length;
  for (const [at, one] of a.early.entries()) {
    const other = b.early[at];
    if (other === undefined) return 1;
    const difference = compareWords(one, other);
    if (difference !== 0) return difference;
  }
  return a.early.length - b.early.length;
}

/** Compares numbers by value, and before words; words by their characters. */
function compareWords(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => (/^\d+$/.test(text) ? Number(text) : undefined));
  if (a !== undefined && b !== undefined) return a - b;
  if (a !== undefined || b !== undefined) return a !== undefined ? -1 : 1;
  return one < other ? -1 : one > other ? 1 : 0;
}
