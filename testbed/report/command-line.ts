/** The command that somebody types to repeat what a report is about. */
import { commandName } from '../../runtime/command-here.ts';

/** A word as a shell takes it. */
export const quoted = (word: string): string =>
  /^[\w.:/@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/**
 * Writes the command.
 * @param command the words behind `papergate`, as a shell takes them
 * @param options by name, without dashes: true for one without a value; those that are undefined or false are left out
 */
export function commandLine(command: string, options: Readonly<Record<string, string | boolean | undefined>>): string {
  const words = Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    return [value === true ? `--${name}` : `--${name} ${quoted(value)}`];
  });
  return [commandName, command, ...words].join(' ');
}
