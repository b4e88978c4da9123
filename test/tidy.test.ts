/** Guards the architecture: arrows, cycles, dead files, sizes, words, edges, and ids that a stranger can look up. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { problemsInText } from './run.ts';

const root = resolve(import.meta.dirname, '..');
const tops = ['firmware-protocol', 'gateway', 'api', 'simulator', 'test'] as const;

interface Source {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
  /** Identifiers and members as they are written, `Date.now` among them; comments and strings left out. */
  readonly code: string;
}

function read(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const parsed = parseSync(path, text);
  assert.equal(parsed.errors.length, 0, `${path} does not parse`);
  const asked = [
    ...parsed.module.staticImports.map((entry) => entry.moduleRequest.value),
    ...parsed.module.staticExports.flatMap((entry) => entry.entries.map((e) => e.moduleRequest?.value ?? '')),
    ...[...text.matchAll(/(?:import|new URL)\(\s*'(\.[^']+)'/g)].map((match) => match[1] ?? ''),
  ];
  const imports = asked
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(root, resolve(root, dirname(path), name)));
  let code = text;
  for (const comment of parsed.comments) {
    code = code.slice(0, comment.start) + ' '.repeat(comment.end - comment.start) + code.slice(comment.end);
  }
  return { path, text, imports: [...new Set(imports)], code: code.replace(/'(?:[^'\\\n]|\\.)*'/g, "''") };
}

const sources: readonly Source[] = tops.flatMap((top) =>
  readdirSync(join(root, top), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
    .map((entry) => read(relative(root, join(entry.parentPath, entry.name)))),
);
const byPath = new Map(sources.map((source) => [source.path, source]));
const inRooms = sources.filter(({ path }) => !path.startsWith('test/'));

const test = suite('tidy');

test('the walk saw the house', () => {
  assert.ok(sources.length > 60, `${sources.length} files`);
  assert.ok(sources.flatMap(({ imports }) => imports).length > 150);
});

const arrows: Readonly<Record<string, readonly string[]>> = {
  'firmware-protocol': [],
  gateway: ['firmware-protocol'],
  simulator: ['firmware-protocol'],
  api: ['gateway', 'firmware-protocol'],
  test: ['firmware-protocol', 'gateway', 'api', 'simulator'],
};
const startsSimulator = /^api\/(cli|laboratory)\//;

test('imports follow the arrows between top folders, and no others', () => {
  const wrong = sources.flatMap(({ path, imports }) =>
    imports
      .filter((to) => {
        const [from = '', target = ''] = [path.split('/')[0], to.split('/')[0]];
        if (from === target || arrows[from]?.includes(target) || to === 'package.json') return false;
        return !(target === 'simulator' && startsSimulator.test(path));
      })
      .map((to) => `${path} -> ${to}`),
  );
  assert.equal(wrong, []);
});

test('every import names a file that exists, and nothing imports in a circle', () => {
  const missing = sources.flatMap(({ path, imports }) =>
    imports.filter((to) => /\.(ts|mjs)$/.test(to) && !byPath.has(to)).map((to) => `${path} -> ${to}`),
  );
  assert.equal(missing, []);
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    assert.not.ok(trail.includes(path), `circle: ${[...trail, path].join(' -> ')}`);
    if (done.has(path)) return;
    for (const to of byPath.get(path)?.imports ?? []) visit(to, [...trail, path]);
    done.add(path);
  };
  for (const { path } of sources) visit(path, []);
});

test('no file is dead: each is reached from an entry or a test', () => {
  const entries = sources
    .map(({ path }) => path)
    .filter(
      (path) => /\.test\.ts$|^test\/(run|accept)\.ts$|^test\/bench\//.test(path) || path === 'api/cli/papergate.mjs',
    );
  const reached = new Set<string>();
  const reach = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const to of byPath.get(path)?.imports ?? []) reach(to);
  };
  entries.forEach(reach);
  const barrel = 'firmware-protocol/index.ts';
  assert.equal(
    sources.map(({ path }) => path).filter((path) => !reached.has(path) && path !== barrel),
    [],
  );
});

test('files stay short', () => {
  const long = inRooms
    .map(({ path, text }) => ({ path, lines: text.split('\n').length }))
    .filter(({ lines }) => lines > 250);
  assert.equal(long, []);
});

test('folders are subjects or stages, never kinds', () => {
  const kinds = /\/(utils?|models?|services?|middlewares?|helpers?|types|common|lib|misc)\//;
  assert.equal(
    sources.map(({ path }) => path).filter((path) => kinds.test(path)),
    [],
  );
});

test('no word stands in place of a feature, and nothing escapes the type check', () => {
  const banned = /\b(TODO|FIXME|XXX|HACK)\b|not implemented|\bas any\b|@ts-(ignore|expect-error|nocheck)/;
  const here = relative(root, import.meta.filename);
  const found = sources.filter(({ path, text }) => path !== here && banned.test(text)).map(({ path }) => path);
  assert.equal(found, []);
});

test('time, chance and the environment are handed in', () => {
  const edges =
    /\bDate\.now\b|\bnew Date\(\)|(?<!\.)\bset(?:Timeout|Interval)\b|\bMath\.random\b|\brandomUUID\b|\bprocess\.env\b|(?<![.\w])fetch\(/;
  const entry =
    /^gateway\/runtime\/|^api\/cli\/|^simulator\/main\.ts$|^api\/rendering\/(page-scripts|browser-process)\.ts$|^api\/console\/(settings|api)-page\.mjs$/;
  const found = inRooms.filter(({ path, code }) => !entry.test(path) && edges.test(code)).map(({ path }) => path);
  assert.equal(found, []);
});

test('every test file runs all its suites and uses no hooks', () => {
  const problems = sources
    .filter(({ path }) => path.endsWith('.test.ts') && path !== relative(root, import.meta.filename))
    .flatMap(({ path, text }) => problemsInText(text).map((problem) => `${path} ${problem}`));
  assert.equal(problems, []);
});

test('every id that code or tests cite is explained in docs/rules.md', () => {
  const page = readFileSync(join(root, 'docs/rules.md'), 'utf8');
  const explained = new Set(page.match(/\b(?:INV|PN|FI|[TWABCDPR])-\d+\b|\bF\d+\b/g));
  const cited = new Set(
    sources
      .flatMap(({ path, text }) => {
        const comments = path.endsWith('.test.ts') ? text : text.replace(/'(?:[^'\\\n]|\\.)*'/g, '');
        return comments.match(/\b(?:INV|PN|FI|[TWABCDPR])-\d{1,2}\b|\((?:[^()]*\b)?F\d{1,2}\b(?=[^()]*\))/g) ?? [];
      })
      .flatMap((match) => match.match(/\b(?:INV|PN|FI|[TWABCDPR])-\d+\b|\bF\d+\b/g) ?? []),
  );
  assert.equal([...cited].filter((id) => !explained.has(id)).sort(), []);
});

test.run();
