/** Texts of the console in the language of the person, English where nothing else is known. */
import { computed, signal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';

/** The texts of all folders by their keys: `console/texts.ts` declares them. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled where the texts are brought together
export interface Texts {}

/** A key of the catalogue. */
export type TextKey = keyof Texts;
/** A text, or one for each plural category that the language has; `count` chooses. */
type Text = string | Readonly<Record<string, string>>;
/** Every text in one language. */
export type Catalogue = Readonly<Record<TextKey, Text>>;
/** Values of the placeholders `{name}`. */
export type TextValues = Readonly<Record<string, string | number>>;

/** The languages with a catalogue, under the names that their speakers use. */
export const languages = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  it: 'Italiano',
  nl: 'Nederlands',
  pl: 'Polski',
  pt: 'Português',
} as const satisfies Readonly<Record<Schemas['AlertChannel']['language'], string>>;
/** A language with a catalogue; `qps` is English written from right to left, for trying the layout. */
type Language = keyof typeof languages | 'qps';

type Texted = Readonly<Record<string, Text>>;
type Loaders = Readonly<Record<Exclude<Language, 'en'>, () => Promise<Texted>>>;

let english: Texted = {};
let others: Partial<Loaders> = {};

/** Returns the command of this service as its operator types it, which the page contains. */
export const commandName = (): string => document.documentElement.dataset.command ?? 'papergate';

const storedAs = 'papergate-language';
const catalogue = signal<Texted>(english);

/** Sets where the texts are, before the first one is read. English stands in for what another language lacks. */
export function bringTexts(inEnglish: Partial<Catalogue>, inOthers: Loaders): void {
  english = inEnglish as Texted;
  others = inOthers;
  catalogue.value = english;
}

/** Adds English texts of a feature that is loaded now. */
export function addTexts(more: Texted): void {
  const isShown = catalogue.peek() === english;
  english = { ...english, ...more };
  if (isShown) catalogue.value = english;
}

/** The language that is shown. */
export const language = signal<Language>('en');

/** Returns the language for messages to a person who reads the console in the language that is shown. */
export function spokenLanguage(): keyof typeof languages {
  const shown = language.peek();
  return shown === 'qps' ? 'en' : shown;
}

const isLocale = (name: string): boolean => /^[a-z]{2}(?:-[a-z]{2})?$/i.test(name);

/** The language as the browser's region writes it: 7:14 AM in American English is 7:14 in British. */
export const locale = computed<string>(
  () =>
    navigator.languages.find((name) => isLocale(name) && name.slice(0, 2).toLowerCase() === language.value) ??
    language.value,
);

/** The language of what is made for a frame: the one that the person chose here, else the browser's own. */
export function languageForFrames(): string {
  const isChosen = localStorage.getItem(storedAs) !== null && language.peek() !== 'qps';
  return isChosen ? locale.peek() : navigator.language || language.peek();
}

const isLanguage = (name: string): name is Language => name === 'qps' || Object.hasOwn(languages, name);

/** Shows the language that the person chose, else the first of the browser's that has a catalogue. */
export async function chooseLanguage(chosen?: string): Promise<void> {
  if (chosen !== undefined) localStorage.setItem(storedAs, chosen);
  const wanted = [localStorage.getItem(storedAs) ?? '', ...navigator.languages];
  const found = wanted.map((name) => name.toLowerCase().split('-')[0] ?? '').find(isLanguage) ?? 'en';
  catalogue.value = (found === 'en' ? undefined : await others[found]?.()) ?? english;
  language.value = found;
  document.documentElement.lang = found;
  document.documentElement.dir = found === 'qps' ? 'rtl' : 'ltr';
}

/**
 * Returns a text with its values, in English where the language lacks it; `count` chooses among plurals and is written in
 * the language's own way.
 */
export function t(key: TextKey, values: TextValues = {}): string {
  const own = catalogue.value[key];
  const found = own ?? english[key] ?? key;
  const plurals = new Intl.PluralRules(own === undefined ? 'en' : language.value);
  const text = typeof found === 'string' ? found : (found[plurals.select(Number(values.count))] ?? found.other ?? key);
  // Texts call every command `papergate`, before its first word.
  return text.replace(/\bpapergate(?= [a-z])/g, commandName()).replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return typeof value === 'number' ? new Intl.NumberFormat(language.value).format(value) : (value ?? whole);
  });
}

/** Returns names as a list in a sentence: "Hall, Kitchen and Salon". */
export const listWords = (names: readonly string[]): string => new Intl.ListFormat(language.value).format(names);

/**
 * Returns a text whose key is made from a code of the service, such as `trouble.silent`; the code itself where no
 * catalogue has it.
 */
export function tCode(family: string, code: string, values: TextValues = {}): string {
  const key = `${family}.${code}`;
  return Object.hasOwn(english, key) ? t(key as TextKey, values) : code;
}
