/** Values of settings as people write them. */

/** Returns a text, a number or a truth value as a text; everything else is an empty one. */
export const writtenText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** Returns whether it is a yes: quoted or not, `yes` and `true` mean the same (RC-5). */
export const isYes = (value: unknown): boolean => /^(?:yes|true)$/i.test(writtenText(value));

/** Returns whether it is a no; an empty text is neither. */
export const isNo = (value: unknown): boolean => /^(?:no|false)$/i.test(writtenText(value));
