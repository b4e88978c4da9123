/** What commands print: JSON for programs, lines for people. */

/** Prints a result as one line of JSON, or as `name  value` lines. */
export function printResult(result: Readonly<Record<string, unknown>>, json: boolean | undefined): void {
  if (json === true) {
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  const width = Math.max(...Object.keys(result).map((name) => name.length));
  for (const [name, value] of Object.entries(result)) {
    const text = Array.isArray(value) ? value.join(`\n${' '.repeat(width + 2)}`) : String(value);
    process.stdout.write(`${name.padEnd(width)}  ${text}\n`);
  }
}

/** Prints rows as an aligned table under a heading, or as a JSON array. */
export function printTable(
  rows: readonly Readonly<Record<string, string | number | null>>[],
  columns: readonly string[],
  json: boolean | undefined,
): void {
  if (json === true) {
    process.stdout.write(`${JSON.stringify(rows)}\n`);
    return;
  }
  const cells = rows.map((row) => columns.map((column) => String(row[column] ?? '-')));
  const lines = [columns.map((column) => column.toUpperCase()), ...cells];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => (line[at] ?? '').length)));
  for (const line of lines) {
    process.stdout.write(
      `${line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
}
