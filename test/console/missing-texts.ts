/**
 * The texts that languages lack: English stands in for them until somebody translates them. `make texts` lists them, and
 * `npm publish` refuses a package with any.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { wordedLanguages } from '../../api/words/service-words.ts';
import { readTexts, type Texts } from './read-texts.ts';

/** Reads what the service itself says in a language. */
export const readServiceTexts = (language: string): Texts =>
  JSON.parse(readFileSync(resolve(import.meta.dirname, '../../api/words', `${language}.json`), 'utf8'));

/** Returns the keys that a translation lacks, each with its English text. */
export function lacking(translated: Texts, english: Texts): string[] {
  return Object.entries(english)
    .filter(([key]) => !Object.hasOwn(translated, key))
    .map(([key, text]) => `${key}: ${typeof text === 'string' ? text : JSON.stringify(text)}`);
}

/** Returns what every language lacks, each line beginning with the file that it belongs to. */
export function missingTexts(): string[] {
  const english = readTexts('en');
  const service = readServiceTexts('en');
  return wordedLanguages
    .filter((language) => language !== 'en')
    .flatMap((language) => [
      ...lacking(readTexts(language), english).map((line) => `console/languages/${language}.json  ${line}`),
      ...lacking(readServiceTexts(language), service).map((line) => `api/words/${language}.json  ${line}`),
    ]);
}

if (import.meta.filename === process.argv[1]) {
  const missing = missingTexts();
  for (const line of missing) console.log(line);
  if (missing.length > 0) {
    console.error(
      `${missing.length} texts are missing: English is shown in their place. Translate them before a release.`,
    );
    process.exitCode = 1;
  }
}
