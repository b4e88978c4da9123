/** The console's texts: English in the folders that use them, every other language in a file of its own. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { serviceSentences } from '../../console/ground/service-sentences.ts';

const floor = resolve(import.meta.dirname, '../../console');

/** Texts by their keys; one that counts has a text for each plural category. */
export type Texts = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** The folders that have texts; the floor itself is named like it. */
export const textFolders: readonly string[] = [
  '.',
  ...readdirSync(floor, { recursive: true, encoding: 'utf8' }),
].filter((name) => existsSync(join(floor, name, 'en.json')));

const read = (...path: readonly string[]): Texts => JSON.parse(readFileSync(join(floor, ...path), 'utf8'));

/** Reads the English texts of one folder. */
export const readFolderTexts = (folder: string): Texts => read(folder, 'en.json');

/** Reads the texts that are translated: those of all folders, and the sentences of the service; of another language what it has. */
export const readTexts = (language: string): Texts =>
  language === 'en'
    ? Object.assign({}, ...textFolders.map(readFolderTexts), serviceSentences)
    : read('languages', `${language}.json`);
