/**
 * T-59: what a stranger writes is matched in a time that grows with its length alone. Every pattern of the source is
 * looked at twice: by analysis, which knows the ways in which matching becomes quadratic or worse, and with a watch, on
 * texts of 16 kB made of what the pattern itself mentions.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { analyse } from 'scslre';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { floors } from './runner/floors.ts';

const root = resolve(import.meta.dirname, '..');
const test = suite('patterns');

/** Patterns that are put together when the program runs, which nobody can look at here, and why each is harmless. */
const putTogether: Readonly<Record<string, string>> = {
  'firmware-protocol/firmware-version.ts': 'matches 32 characters at most',
  'api/recipes/liquid/lax-code.ts': 'one tag of a page, in a thread that is ended',
  'api/recipes/screen/class-rules.ts': 'a class name of 60 characters at most, on selectors of our own',
  'api/in-page/press-in-frame.ts':
    'words of our own between bars, on texts of 60 characters at most where something is repeated',
  'api/in-page/unfinished.ts': 'words of our own, on texts of 60 characters at most, and classes',
};

interface Pattern {
  readonly where: string;
  readonly regex: RegExp;
}

const patterns: Pattern[] = [];
const made = new Set<string>();

function collect(path: string): void {
  const { program, errors } = parseSync(path, readFileSync(join(root, path), 'utf8'));
  assert.equal(errors.length, 0, `${path} does not parse`);
  const isMaker = (callee: { type: string; name?: unknown }) =>
    callee.type === 'Identifier' && callee.name === 'RegExp';
  new Visitor({
    Literal(node) {
      if ('regex' in node) patterns.push({ where: path, regex: new RegExp(node.regex.pattern, node.regex.flags) });
    },
    NewExpression({ callee }) {
      if (isMaker(callee)) made.add(path);
    },
    CallExpression({ callee }) {
      if (isMaker(callee)) made.add(path);
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      const regex = formatOfZod(callee.property.name);
      if (regex !== undefined) patterns.push({ where: path, regex });
    },
  }).visit(program);
}

/** The pattern behind a format such as `z.email()`. */
function formatOfZod(name: string): RegExp | undefined {
  const known: unknown = Object.entries(z.regexes).find(([format]) => format === name)?.[1];
  const regex: unknown = typeof known === 'function' ? known(name === 'uuid' ? undefined : {}) : known;
  return regex instanceof RegExp ? regex : undefined;
}

for (const top of floors) {
  for (const entry of readdirSync(join(root, top), { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !/\.(ts|mjs)$/.test(entry.name)) continue;
    collect(relative(root, join(entry.parentPath, entry.name)));
  }
}

/** The ways in which a pattern takes more than its share of time, as far as analysis finds them. */
function superlinear({ source, flags }: RegExp): string[] {
  return analyse({ source, flags }).reports.map(({ type, exponential }) => (exponential ? `${type}, 2^n` : type));
}

const bytes = 16 * 1024;
const characters = [' ', '\t', '\n', '0', 'a', 'f', 'A', '-', '.', '/', ':', ';', ',', '=', '"', '[', '\\', '%', '一'];

/** Texts that are long in all that a pattern may repeat, and end in what it does not want. */
function* hostileTexts({ source }: RegExp): Generator<string> {
  const words = [...new Set(source.replace(/\\[a-z]/gi, ' ').match(/[\w=:/-]{2,}/g))].slice(0, 4);
  for (const begin of ['', ...words]) {
    for (const again of [...characters, ...words.flatMap((word) => [word, `-${word}`, ` ${word}`])]) {
      yield `${begin}${again.repeat((bytes - begin.length) / again.length)}\u0001`;
    }
  }
}

/** Returns the shortest of six times that replacing all matches takes: the others may have waited for the processor. */
function shortestMs(regex: RegExp, text: string, enoughMs: number): number {
  const everywhere = new RegExp(regex.source, [...new Set(`${regex.flags}g`)].join(''));
  let shortest = Number.POSITIVE_INFINITY;
  for (let time = 0; time < 6 && shortest > enoughMs; time++) {
    const began = performance.now();
    text.replace(everywhere, '');
    shortest = Math.min(shortest, performance.now() - began);
  }
  return shortest;
}

/** A quadratic pattern takes thirty and more for 16 kB where a linear one takes less than one. */
const longMs = 15;

function slowText(regex: RegExp): string | undefined {
  for (const text of hostileTexts(regex)) if (shortestMs(regex, text, longMs) > longMs) return text.slice(0, 40);
  return undefined;
}

test('the walk saw the patterns', () => {
  assert.ok(patterns.length > 150, `${patterns.length} patterns`);
  const formats = [z.regexes.email.source, z.regexes.uuid().source];
  for (const source of formats) assert.ok(patterns.some(({ regex }) => regex.source === source));
});

test('T-59: no pattern is super-linear by analysis', () => {
  const found = patterns.flatMap(({ where, regex }) => superlinear(regex).map((why) => `${where} ${regex}: ${why}`));
  assert.equal(found, []);
});

test('T-59: no pattern takes long for 16 kB of what it mentions', () => {
  const found = patterns.flatMap(({ where, regex }) => {
    const text = slowText(regex);
    return text === undefined ? [] : [`${where} ${regex}: ${JSON.stringify(text)}`];
  });
  assert.equal(found, []);
});

test('T-59: patterns are literals, but for those that are named with a reason', () => {
  assert.equal([...made].sort(), Object.keys(putTogether).sort());
});

test('both looks see what they are for', () => {
  assert.equal(superlinear(/^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i), ['Trade', 'Trade']);
  assert.equal(superlinear(/\/+$/), ['Move']);
  assert.equal(superlinear(/^(a+)+$/), ['Self, 2^n']);
  assert.ok(slowText(/\beyJ[\w-]+\.[\w-]+/i) !== undefined);
  assert.is(slowText(/^[a-z]+$/), undefined);
});

test.run();
