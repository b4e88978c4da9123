/** Texts that others wrote, as one line or as lines that a terminal and a page show without harm. */

/** Makes a text harmless, and keeps its line breaks. */
export function plainLines(text: string): string {
  return text.split('\n').map(plain).join('\n');
}

/**
 * Makes a text harmless: others chose some of these words, and none may steer the terminal, reverse a line or break it.
 */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, ' ');
}
