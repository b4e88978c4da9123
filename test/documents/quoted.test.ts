/** The quotations of docs/troubleshooting.md stand in the console, the log and the answers, word for word. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentedPage } from './documented-shell.ts';

const test = suite('quoted texts');
const root = resolve(import.meta.dirname, '../..');
/** The floors with texts for people. */
const speaking = ['api', 'bin', 'cli', 'cluster', 'console', 'gateway', 'reasons', 'runtime'];

/** All texts: the sources, where a text may be broken over lines, begin with a capital or not, and hold values. */
const said = speaking
  .flatMap((floor) =>
    readdirSync(join(root, floor), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(tsx?|mjs)$|(^|\/)en\.json$/.test(name))
      .map((name) => readFileSync(join(root, floor, name), 'utf8')),
  )
  .join('\n')
  .toLowerCase();

/** The parts of a quoted text between its dots that are long enough to be told from other words. */
const partsOf = (quoted: string): string[] =>
  quoted
    .split('…')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part.split(' ').length >= 3);

/** Texts in backquotes or italics of a page; commands, variables and places are none. */
function quotedBy(page: string): string[] {
  const prose = page.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/\]\([^)]*\)/g, ']');
  return [...prose.matchAll(/`([^`]+)`|(?<![*\w])\*([^*\n]+)\*(?!\*)/g)]
    .map(([, code, italic]) => code ?? italic ?? '')
    .filter((text) => !/^(?:\.\/|[a-z]+ -|https?:|[A-Z_]+=|apt |docker |journalctl |make )/.test(text));
}

test('docs/troubleshooting.md quotes no text that the product lacks', () => {
  const parts = quotedBy(documentedPage('docs/troubleshooting.md').text).flatMap(partsOf);
  assert.ok(parts.length > 30, `${parts.length} parts were found`);
  assert.equal(
    parts.filter((part) => !said.includes(part)),
    [],
  );
});

test('a text that the product lacks is found', () => {
  assert.equal(quotedBy('`the moon is full tonight` and *three odd words*').flatMap(partsOf), [
    'the moon is full tonight',
    'three odd words',
  ]);
  assert.not(said.includes('the moon is full tonight'));
});

test.run();
