/** Texts of strangers on one line. */

/** Returns a text on one line, without markup; undefined where nothing is left. */
export function plainLine(text: string | undefined, length: number): string | undefined {
  const bare = (text ?? '').slice(0, 8 * length).replaceAll(/<[^<>]{0,1000}>/g, ' ');
  const line = bare
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .split(' ')
    .filter((word) => word !== '')
    .join(' ');
  return line === '' ? undefined : line.slice(0, length);
}
