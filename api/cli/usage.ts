/** Arguments that make no sense, beyond what the command table notices itself. */

/** What was typed is wrong and nothing was asked of the service: exit code 2. */
export class WrongUsage extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** A number typed as an option's value, whole and within its ends. */
export function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new WrongUsage(`${option} ${text}`, `a whole number from ${least} to ${most}`);
}
