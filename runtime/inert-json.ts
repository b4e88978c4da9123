/** JSON that has no effect on the terminal that shows it. */

/**
 * The characters that control a terminal or turn a line around, and that JSON does not escape: DEL, C1, direction
 * marks, separators.
 */
const active = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Escapes such characters in JSON, where only strings can hold them. The JSON may end with a line feed. */
export function inertJson(json: string): string {
  return json.replace(active, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
