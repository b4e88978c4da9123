/** Times and commands as reports write them. */

/** Writes a time as people read it: `2026-11-28 01:40 UTC`. */
export function spokenTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * Writes the command that somebody types to repeat a trial.
 * @param options by name, without dashes; those without a value are left out
 */
export function commandLine(options: Readonly<Record<string, string | undefined>>): string {
  const words = Object.entries(options).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`--${name} ${/^[\w.:/@=+-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`}`],
  );
  return ['npx papergate conformance', ...words].join(' ');
}
