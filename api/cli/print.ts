/** What commands print: JSON for programs, lines for people. */

/** Prints a value as one line of JSON. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Prints a line of words. */
export function printLine(line: string): void {
  process.stdout.write(`${plain(line)}\n`);
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

/** Prints why a command failed, and what to do about it, on stderr. */
export function printFailure({ message, hint }: { message: string; hint?: string | undefined }): void {
  process.stderr.write(`${plain(message)}\n${hint === undefined ? '' : `  ${plain(hint)}\n`}`);
}

/** Prints something that people should know although the command did what it should, on stderr. */
export function printWarning(message: string): void {
  process.stderr.write(`${plain(message)}\n`);
}

/** A time as people read it, whole seconds of UTC, from epoch milliseconds or ISO text; null when there is none. */
export function shortTime(time: unknown): string | null {
  if ((typeof time !== 'number' && typeof time !== 'string') || Number.isNaN(new Date(time).getTime())) return null;
  return new Date(time).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** A name that people chose, cut to what a column of a table bears. */
export function shortName(name: string): string {
  const letters = [...name];
  return letters.length <= 40 ? name : `${letters.slice(0, 39).join('')}…`;
}

function cell(value: unknown): string {
  return value === null || value === undefined ? '-' : plain(String(value));
}

/** Others chose some of these words: none of them may steer the terminal, turn a line around or break it. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, ' ');
}
