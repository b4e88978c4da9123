/** Texts of the console in the person's language: one catalogue file a language, English where nothing else is known. */
import { signal } from '@preact/signals';
import en from './texts/en.json' with { type: 'json' };

/** A key of the catalogue. */
export type TextKey = keyof typeof en;
/** A text, or one for each plural category that the language has; `count` chooses. */
type Text = string | Readonly<Record<string, string>>;
/** Values of the placeholders `{name}`. */
export type TextValues = Readonly<Record<string, string | number>>;

/** The languages with a catalogue, under the names that their speakers use. */
export const languages = { en: 'English', de: 'Deutsch' } as const;
type Language = keyof typeof languages;

const catalogues: Readonly<Record<Language, () => Promise<Readonly<Record<string, Text>>>>> = {
  en: async () => en,
  de: async () => (await import('./texts/de.json', { with: { type: 'json' } })).default,
};

const storedAs = 'papergate-language';
const catalogue = signal<Readonly<Record<string, Text>>>(en);

/** The language that is shown. */
export const language = signal<Language>('en');

const isLanguage = (name: string): name is Language => Object.hasOwn(catalogues, name);

/** Shows the language that the person chose, else the first of the browser's that has a catalogue. */
export async function chooseLanguage(chosen?: string): Promise<void> {
  if (chosen !== undefined) localStorage.setItem(storedAs, chosen);
  const wanted = [localStorage.getItem(storedAs) ?? '', ...navigator.languages].map((name) => name.slice(0, 2));
  const found = wanted.find(isLanguage) ?? 'en';
  catalogue.value = await catalogues[found]();
  language.value = found;
  document.documentElement.lang = found;
}

/** Returns a text with its values; `count` chooses among plurals and is written in the language's own way. */
export function t(key: TextKey, values: TextValues = {}): string {
  const found = catalogue.value[key] ?? (en as Readonly<Record<string, Text>>)[key] ?? key;
  const text =
    typeof found === 'string'
      ? found
      : (found[new Intl.PluralRules(language.value).select(Number(values.count))] ?? found.other ?? key);
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return typeof value === 'number' ? new Intl.NumberFormat(language.value).format(value) : (value ?? whole);
  });
}

/**
 * Returns a text whose key is made from a code of the service, such as `trouble.silent`; the code itself where no
 * catalogue has it.
 */
export function tCode(family: string, code: string, values: TextValues = {}): string {
  const key = `${family}.${code}`;
  return Object.hasOwn(en, key) ? t(key as TextKey, values) : code;
}
