/** The console's texts as its folders hold them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const floor = resolve(import.meta.dirname, '../../console');

/** Texts by their keys; one that counts has a text for each plural category. */
export type Texts = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** The folders that have texts; the floor itself is named like it. */
export const textFolders: readonly string[] = ['.', ...readdirSync(floor)].filter((name) =>
  existsSync(join(floor, name, 'en.json')),
);

/** Reads the texts of one folder. */
export const readFolderTexts = (folder: string, language: string): Texts =>
  JSON.parse(readFileSync(join(floor, folder, `${language}.json`), 'utf8'));

/** Reads all texts of a language. */
export const readTexts = (language: string): Texts =>
  Object.assign({}, ...textFolders.map((folder) => readFolderTexts(folder, language)));
