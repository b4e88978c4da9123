/** Codes of errors: of the operating system, a database or a library. */
import { constants } from 'node:os';

/** The system's names by their numbers: Node knows some by their number alone, such as ESTALE and EDQUOT of shares. */
const systemNames: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.errno).map(([name, number]) => [number, name]),
);

/** Returns the code of an error, such as `ENOENT`; empty where it has none. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return '';
  const code = String(error.code);
  const [, number] = /^Unknown system error -(\d+)$/.exec(code) ?? [];
  return systemNames.get(Number(number)) ?? code;
}
