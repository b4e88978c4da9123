/** Single words of templates in other languages. */

/** The words of days, as the language says them of today by numbers. */
const days: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

/** Returns a word in a language; a word that is not known stays. */
export function wordIn(language: string, word: string): string {
  const day = days[word.toLowerCase()];
  if (day === undefined || !isLanguage(language)) return word;
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(day, 'day');
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
