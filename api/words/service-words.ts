/**
 * The words of the service for people who are not operators, in their language: on the glass, in messages of outages and in
 * mails. One file of texts for each language lies next to this one.
 */
import { readFileSync } from 'node:fs';

/** The languages that have texts. */
export const wordedLanguages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt'] as const;
export type WordedLanguage = (typeof wordedLanguages)[number];

/** A text, or one for each plural category that the language has; the value `count` chooses. */
type Text = string | Readonly<Record<string, string>>;
type ServiceText = keyof typeof import('./en.json');

const read = new Map<WordedLanguage, Readonly<Record<string, Text>>>();

function textsOf(language: WordedLanguage): Readonly<Record<string, Text>> {
  const known = read.get(language);
  if (known !== undefined) return known;
  const texts = JSON.parse(readFileSync(new URL(`${language}.json`, import.meta.url), 'utf8'));
  read.set(language, texts);
  return texts;
}

/** Returns the worded language of a tag such as `pt-BR`; English for a tag that has no texts or is invalid. */
export function wordedLanguage(tag: unknown): WordedLanguage {
  const code = typeof tag === 'string' ? tag.toLowerCase().split('-')[0] : undefined;
  return wordedLanguages.find((language) => language === code) ?? 'en';
}

/** Returns a text with its values in the place of `{name}`, in English where the language lacks it. */
export function serviceText(
  language: WordedLanguage,
  key: ServiceText,
  values: Readonly<Record<string, string | number>> = {},
): string {
  const own = textsOf(language)[key];
  const text = own ?? textsOf('en')[key] ?? key;
  const plurals = new Intl.PluralRules(own === undefined ? 'en' : language);
  const template = typeof text === 'string' ? text : (text[plurals.select(Number(values.count))] ?? text.other ?? key);
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Writes a time with its weekday, as people of the language do, such as `Fri 3 Jul, 07:14`. */
export function writtenTime(at: number, language: WordedLanguage, timeZone: string): string {
  return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }).format(at);
}
