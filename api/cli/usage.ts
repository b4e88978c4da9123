/** Arguments that make no sense, beyond what the command table notices itself. */

/** What was typed is wrong and nothing was asked of the service: exit code 2. */
export class WrongUsage extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
