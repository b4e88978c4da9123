/**
 * Prints the output of commands: JSON for programs, lines for people. All output passes here, so that no text of others
 * does anything to the terminal: in JSON it is escaped, in lines it becomes a space.
 */
import { clearLine, clearScreenDown, moveCursor } from 'node:readline';
import { asTypedHere } from '../../runtime/command-here.ts';
import { inertJson } from '../../runtime/inert-json.ts';
import { plain, plainLines } from '../../runtime/plain-lines.ts';

/** Prints a value as one line of JSON. */
export function printJson(value: unknown): void {
  printJsonLine(JSON.stringify(value));
}

/** Prints a line that is JSON already. */
export function printJsonLine(json: string): void {
  process.stdout.write(`${inertJson(json)}\n`);
}

/** Prints a line of words. */
export function printLine(line: string): void {
  process.stdout.write(`${asTypedHere(plain(line))}\n`);
}

/** Prints a text of several lines. */
export function printText(text: string): void {
  process.stdout.write(`${plainLines(text)}\n`);
}

/** Writes the progress of a command over its previous line, where a person looks on. */
export function printProgress(line: string, isLast: boolean): void {
  const { stderr } = process;
  if (!stderr.isTTY) return;
  // A line that is wider than the terminal could not be written over; what a longer one left is cleared.
  const shown = plain(line).slice(0, Math.max(1, (stderr.columns || 80) - 1));
  stderr.write(`\r${shown}`);
  clearLine(stderr, 1);
  if (isLast) stderr.write('\n');
}

/** Returns what draws lines on the terminal over those that it drew before. */
export function screenPrinter(): (lines: readonly string[]) => void {
  const { stdout } = process;
  let drawn = 0;
  return (lines) => {
    const shown = lines.slice(0, Math.max(1, (stdout.rows || 24) - 1));
    moveCursor(stdout, 0, -drawn);
    clearScreenDown(stdout);
    stdout.write(`${shown.map(plain).join('\n')}\n`);
    drawn = shown.length;
  };
}

/** Prints a result as one line of JSON, or as `name  value` lines. */
export function printResult(result: Readonly<Record<string, unknown>>, json?: boolean): void {
  if (json === true) {
    printJson(result);
    return;
  }
  const width = Math.max(...Object.keys(result).map((name) => name.length));
  for (const [name, value] of Object.entries(result)) {
    const texts = (Array.isArray(value) ? value : [value]).map(cell);
    process.stdout.write(`${name.padEnd(width)}  ${texts.join(`\n${' '.repeat(width + 2)}`)}\n`);
  }
}

/** Prints rows as an aligned table under a heading, or as a JSON array. */
export function printTable(
  rows: readonly Readonly<Record<string, string | number | null>>[],
  columns: readonly string[],
  json?: boolean,
): void {
  if (json === true) {
    printJson(rows);
    return;
  }
  const cells = rows.map((row) => columns.map((column) => cell(row[column])));
  const lines = [columns.map((column) => column.toUpperCase()), ...cells];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => (line[at] ?? '').length)));
  for (const line of lines) {
    process.stdout.write(
      `${line
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
}

/**
 * Prints on stderr why a command failed, and what to do about it.
 * @param hasLines whether the lines of the message are its own, and none of a stranger's words
 */
export function printFailure(
  { message, hint }: { readonly message: string; readonly hint?: string | undefined },
  hasLines = false,
): void {
  const said = hasLines ? plainLines(message) : plain(message);
  process.stderr.write(`${asTypedHere(said)}\n${hint === undefined ? '' : `  ${asTypedHere(plain(hint))}\n`}`);
}

/** Prints a warning on stderr that people should know although the command succeeded. */
export function printWarning(message: string): void {
  process.stderr.write(`${asTypedHere(plain(message))}\n`);
}

/**
 * Writes a time as people read it, whole seconds of UTC, from epoch milliseconds or ISO text; null when there is none.
 */
export function shortTime(time: unknown): string | null {
  if ((typeof time !== 'number' && typeof time !== 'string') || Number.isNaN(new Date(time).getTime())) return null;
  return new Date(time).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** Cuts a name that people chose to the width of a table's column. */
export function shortName(name: string): string {
  const letters = [...name];
  return letters.length <= 40 ? name : `${letters.slice(0, 39).join('')}…`;
}

function cell(value: unknown): string {
  return value === null || value === undefined ? '-' : plain(String(value));
}
