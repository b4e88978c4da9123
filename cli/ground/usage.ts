/** Wrong arguments, beyond those that the command table notices itself. */

/** The arguments are wrong and nothing was asked of the service: exit code 2. */
export class WrongUsage extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** Reads a number that was typed as an option's value: whole and within its limits. */
export function wholeNumberOption(option: string, text: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new WrongUsage(`${option} ${text}`, `a whole number from ${least} to ${most}`);
}
