/** Texts that strangers wrote about their pictures: names, captions, titles, places. */

const maxCharacters = 500;

/**
 * Makes a text one line that is stored and shown without harm: without control characters, which a database refuses, halves
 * of characters, and marks that reverse what follows. Marks that join emoji stay.
 */
export const shownText = (text: string): string =>
  text
    .slice(0, maxCharacters)
    .replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, ' ')
    .normalize('NFC')
    .trim();
