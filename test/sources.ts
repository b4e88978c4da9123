/** The sources of the product and of its tests, read and parsed once for the tests that look at all of them. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import * as assert from 'uvu/assert';
import { floors } from './runner/floors.ts';

/** The folder of the checkout. */
export const checkout = resolve(import.meta.dirname, '..');
const tops = [...floors, 'test'];

/** A file of code. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
  /** Names that it exports under itself; what it hands on from another file is that file's. */
  readonly exports: readonly string[];
  /** Identifiers and members as they are written, `Date.now` among them; comments and strings left out. */
  readonly code: string;
  readonly comments: readonly string[];
}

function read(path: string): Source {
  const text = readFileSync(join(checkout, path), 'utf8');
  const parsed = parseSync(path, text);
  assert.equal(parsed.errors.length, 0, `${path} does not parse`);
  const asked = [
    ...parsed.module.staticImports.map((entry) => entry.moduleRequest.value),
    ...parsed.module.staticExports.flatMap((entry) => entry.entries.map((e) => e.moduleRequest?.value ?? '')),
    ...[...text.matchAll(/(?:import|new URL)\(\s*'(\.[^']+)'/g)].map((match) => match[1] ?? ''),
  ];
  const imports = asked
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(checkout, resolve(checkout, dirname(path), name)));
  const exports = parsed.module.staticExports
    .flatMap(({ entries }) => entries.filter(({ moduleRequest }) => moduleRequest === null))
    .flatMap(({ exportName: { name } }) => name ?? []);
  let code = text;
  for (const comment of parsed.comments) {
    code = code.slice(0, comment.start) + ' '.repeat(comment.end - comment.start) + code.slice(comment.end);
  }
  return {
    path,
    text,
    imports: [...new Set(imports)],
    exports: [...new Set(exports)],
    code: code.replace(/'(?:[^'\\\n]|\\.)*'/g, "''"),
    comments: parsed.comments.map(({ start, end }) => text.slice(start, end)),
  };
}

/** Every file of the product and of the tests. */
export const sources: readonly Source[] = tops.flatMap((top) =>
  readdirSync(join(checkout, top), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs)$/.test(entry.name))
    .map((entry) => read(relative(checkout, join(entry.parentPath, entry.name)))),
);

/** The files of the product. */
export const inRooms: readonly Source[] = sources.filter(({ path }) => !path.startsWith('test/'));
