/** The console's texts: English in the folders that use them, every other language in a file of its own. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const floor = resolve(import.meta.dirname, '../../console');

/** Texts by their keys; one that counts has a text for each plural category. */
export type Texts = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** The folders that have texts; the floor itself is named like it. */
export const textFolders: readonly string[] = ['.', ...readdirSync(floor)].filter((name) =>
  existsSync(join(floor, name, 'en.json')),
);

const read = (...path: readonly string[]): Texts => JSON.parse(readFileSync(join(floor, ...path), 'utf8'));

/** Reads the English texts of one folder. */
export const readFolderTexts = (folder: string): Texts => read(folder, 'en.json');

/** Reads all texts of a language. */
export const readTexts = (language: string): Texts =>
  language === 'en' ? Object.assign({}, ...textFolders.map(readFolderTexts)) : read('languages', `${language}.json`);
