/** Guards the architecture: arrows, cycles, dead files, sizes, words, edges, and ids that a stranger can look up. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'oxc-parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { problemsInText } from './runner/judge.ts';
import { inRooms, checkout as root, type Source, sources } from './sources.ts';

const byPath = new Map(sources.map((source) => [source.path, source]));

const test = suite('tidy');

test('the walk over the sources found files and imports', () => {
  assert.ok(sources.length > 60, `${sources.length} files`);
  assert.ok(sources.flatMap(({ imports }) => imports).length > 150);
});

const arrows: Readonly<Record<string, readonly string[]>> = {
  client: [],
  'firmware-protocol': [],
  reasons: [],
  runtime: ['reasons'],
  cluster: ['runtime', 'reasons'],
  gateway: ['cluster', 'runtime', 'reasons', 'firmware-protocol'],
  api: ['gateway', 'cluster', 'runtime', 'reasons', 'firmware-protocol'],
  console: ['client', 'reasons'],
  simulator: ['client', 'runtime', 'reasons', 'firmware-protocol'],
  testbed: ['client', 'api', 'gateway', 'cluster', 'simulator', 'runtime', 'reasons', 'firmware-protocol'],
  cli: ['client', 'testbed', 'simulator', 'api', 'gateway', 'cluster', 'runtime', 'reasons', 'firmware-protocol'],
  test: [
    'client',
    'cli',
    'console',
    'testbed',
    'simulator',
    'api',
    'gateway',
    'cluster',
    'reasons',
    'runtime',
    'firmware-protocol',
  ],
};
const floorOf = (path: string): string => path.split('/')[0] ?? '';

test('imports follow the arrows between floors, and no others', () => {
  const wrong = sources.flatMap(({ path, imports }) =>
    imports
      .filter((to) => {
        const [from, target] = [floorOf(path), floorOf(to)];
        const isServing = path.startsWith('api/console/') && target === 'console';
        return !(from === target || isServing || arrows[from]?.includes(target) || to === 'package.json');
      })
      .map((to) => `${path} -> ${to}`),
  );
  assert.equal(wrong, []);
});

test('what is for several nodes is imported where a process joins them, asks after them or takes their work over', () => {
  const asksForOthers =
    /^(?:cluster|test|testbed\/offline|api\/service|api\/status|cli\/drill|cli\/service)\/|^api\/delivery\/take-over\.ts$/;
  const wrong = sources
    .filter(({ path, imports }) => !asksForOthers.test(path) && imports.some((to) => to.startsWith('cluster/nodes/')))
    .map(({ path }) => path);
  assert.equal(wrong, []);
});

/** The folder of a file, at every depth; files that lie directly in a floor put its rooms together. */
const roomOf = (path: string): string => dirname(path);

test('rooms form no circle', () => {
  const arrowsFrom = new Map<string, Map<string, string>>();
  for (const { path, imports } of inRooms) {
    for (const to of imports) {
      const [from, target] = [roomOf(path), roomOf(to)];
      if (from === target) continue;
      const known = arrowsFrom.get(from) ?? new Map<string, string>();
      arrowsFrom.set(from, known.set(target, known.get(target) ?? `${path} -> ${to}`));
    }
  }
  assert.ok(arrowsFrom.size > 20, `${arrowsFrom.size} rooms`);
  const done = new Set<string>();
  const visit = (room: string, trail: readonly string[]): void => {
    const closes = trail.indexOf(room);
    const circle = closes < 0 ? [] : [...trail.slice(closes), room];
    const files = circle.slice(1).map((to, at) => arrowsFrom.get(circle[at] ?? '')?.get(to));
    assert.is(circle.length, 0, `these files close a circle of rooms:\n${files.join('\n')}`);
    if (done.has(room)) return;
    for (const to of arrowsFrom.get(room)?.keys() ?? []) visit(to, [...trail, room]);
    done.add(room);
  };
  for (const room of arrowsFrom.keys()) visit(room, []);
});

/** How high a folder of the console lies: ground, parts, features, and the floor itself, which puts them together. */
const storeyOf = (path: string): readonly [storey: number, folder: string] => {
  const [, folder = '', file] = path.split('/');
  if (file === undefined) return [3, ''];
  return [folder === 'ground' ? 0 : folder === 'parts' ? 1 : 2, folder];
};

test('the console stands on its ground, then parts, then features, of which none imports another', () => {
  const inConsole = (path: string): boolean => path.startsWith('console/');
  const wrong = sources
    .filter(({ path }) => inConsole(path))
    .flatMap(({ path, imports }) =>
      imports.filter(inConsole).flatMap((to) => {
        const [[storey, folder], [toStorey, toFolder]] = [storeyOf(path), storeyOf(to)];
        return toStorey < storey || toFolder === folder ? [] : [`${path} -> ${to}`];
      }),
    );
  assert.equal(wrong, []);
});

test('every import names a file that exists, and nothing imports in a circle', () => {
  const missing = sources.flatMap(({ path, imports }) =>
    imports.filter((to) => /\.(ts|tsx|mjs)$/.test(to) && !byPath.has(to)).map((to) => `${path} -> ${to}`),
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

test('no file is dead: each is reached from an entry, what the package exports or a test', () => {
  const entries = sources
    .map(({ path }) => path)
    .filter(
      (path) =>
        /\.test\.ts$|^test\/(run|accept|runner\/play-files|cli\/command-host|fuzz\/fuzz)\.ts$|^test\/bench\//.test(
          path,
        ) ||
        [
          'cli/papergate.mjs',
          'client/papergate.ts',
          'testbed/offline/library.ts',
          'api/service/open/typed-tables.ts',
        ].includes(path),
    );
  const reached = new Set<string>();
  const reach = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const to of byPath.get(path)?.imports ?? []) reach(to);
  };
  entries.forEach(reach);
  assert.equal(
    sources.map(({ path }) => path).filter((path) => !reached.has(path)),
    [],
  );
});

test('an exported name is one thing: no two files of the product export the same, nor two of the browser, nor two of the tests', () => {
  const inBrowser = inRooms.filter(({ path }) => path.startsWith('console/'));
  const ofService = inRooms.filter((source) => !inBrowser.includes(source));
  const ofTests = sources.filter(({ path }) => path.startsWith('test/'));
  const twice = [ofService, inBrowser, ofTests].flatMap((files) => {
    const exporting = new Map<string, string[]>();
    for (const { path, exports } of files) {
      for (const name of exports) exporting.set(name, [...(exporting.get(name) ?? []), path]);
    }
    assert.ok(exporting.size > 30, `${exporting.size} names`);
    return [...exporting]
      .filter(([, paths]) => paths.length > 1)
      .map(([name, paths]) => `${name}: ${paths.join(', ')}`);
  });
  assert.equal(twice, []);
});

/** Types that a file declares for itself alone. */
const localTypes = ({ code, exports }: Source): string[] =>
  [...code.matchAll(/^(?:interface|type) (\w+)/gm)].flatMap(([, name = '']) => (exports.includes(name) ? [] : [name]));

test('a local type bears no name that the ground of the service exports, and no name of exported dependencies', () => {
  const isGround = (path: string): boolean =>
    ['runtime', 'cluster', 'reasons', 'firmware-protocol'].includes(floorOf(path));
  const ofService = inRooms.filter(({ path }) => !path.startsWith('console/'));
  const taken = new Set(
    ofService.flatMap(({ path, exports }) => exports.filter((name) => isGround(path) || name.endsWith('Deps'))),
  );
  assert.ok(taken.has('CommonDeps'));
  assert.equal(
    localTypes({ ...(ofService[0] as Source), exports: ['B'], code: 'interface A {}\ntype B = A;\ntype C = B;' }),
    ['A', 'C'],
  );
  assert.equal(
    ofService.flatMap((source) =>
      localTypes(source)
        .filter((name) => taken.has(name))
        .map((name) => `${source.path}: ${name}`),
    ),
    [],
  );
});

/** Types of every call, which are written from the routes. */
const writtenFile = 'client/contract.ts';

test('files stay short', () => {
  const long = inRooms
    .filter(({ path }) => path !== writtenFile)
    .map(({ path, text }) => ({ path, lines: text.split('\n').length }))
    .filter(({ lines }) => lines > 250);
  assert.equal(long, []);
});

test('no literal is spread into a literal only to keep its lines together', () => {
  const spread = sources.filter(({ text }) => /[{,]\s*\.{3}\{/.test(text)).map(({ path }) => path);
  assert.equal(spread, []);
});

/** A loop over pixels in AssemblyScript, whose compiled form is committed: parts of it would be a call for each pixel. */
const longLoop = 'api/inks/dithering/loops/diffuse-row.ts diffuseRow';

test('functions stay short, factories included', () => {
  const long = inRooms.flatMap(({ path, text }) => longFunctions(path, text)).filter((name) => name !== longLoop);
  assert.equal(long, []);
});

/** The functions of a file with more than 70 lines. */
function longFunctions(path: string, text: string): string[] {
  const found: string[] = [];
  const linesOf = (start: number, end: number): number => text.slice(start, end).split('\n').length;
  const visit = (node: unknown, name: string): void => {
    if (Array.isArray(node)) {
      for (const each of node) visit(each, name);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    const { type, start, end, id, key } = node as Partial<Record<string, unknown>>;
    const own = [id, key].map((part) => (part as { name?: string } | undefined)?.name).find((part) => part) ?? name;
    const isFunction = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(String(type));
    if (isFunction && linesOf(Number(start), Number(end)) > 70) found.push(`${path} ${own}`);
    for (const child of Object.values(node)) visit(child, own);
  };
  visit(parseSync(path, text).program, '?');
  return found;
}

test('folders are subjects or stages, never kinds', () => {
  const kinds = /\/(utils?|models?|services|middlewares?|helpers?|types|common|lib|misc)\//;
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
  const deps =
    /\bDate\.now\b|\bnew Date\(\)|(?<!\.)\bset(?:Timeout|Interval)\b|\bMath\.random\b|\brandomUUID\b|\bprocess\.env\b|(?<![.\w])fetch\(/;
  const entry =
    /^runtime\/|^cli\/|^simulator\/fleet\/main\.ts$|^testbed\/(?:moved-time|report)\/|^api\/browser\/browser-process\.ts$|^api\/in-page\/|^api\/console\/[a-z-]+\.mjs$|^client\/|^console\//;
  const found = inRooms.filter(({ path, code }) => !entry.test(path) && deps.test(code)).map(({ path }) => path);
  assert.equal(found, []);
});

test('T-65: what asks for names or dials somebody else does so in api/outgoing, and nowhere else', () => {
  const asks = /from '(?:node:dns(?:\/promises)?|node:https|node:http2|undici)'|\b(?:lookup|lookupService)\(/;
  const found = inRooms
    .filter(({ path, text }) => /^(?:api|gateway)\//.test(path) && !/^api\/outgoing\//.test(path) && asks.test(text))
    .map(({ path }) => path);
  assert.equal(found, []);
});

test('every test file runs all its suites and uses no hooks', () => {
  const problems = sources
    .filter(({ path }) => path.endsWith('.test.ts') && path !== relative(root, import.meta.filename))
    .flatMap(({ path, text }) => problemsInText(text).map((problem) => `${path} ${problem}`));
  assert.equal(problems, []);
});

test('every id that code or tests cite is explained in one of the pages of rules', () => {
  const pages = readdirSync(join(root, 'docs')).filter((name) => /^rules[\w-]*\.md$/.test(name));
  const page = pages.map((name) => readFileSync(join(root, 'docs', name), 'utf8')).join('\n');
  const id = /\b(?:INV|EV|NS|FACT|FAULT|PANEL|PAGE|[TWABCDR])-\d{1,2}\b/g;
  const explained = new Set(page.match(id));
  const cited = sources.flatMap(({ path, text }) => {
    const comments = path.endsWith('.test.ts') ? text : text.replace(/'(?:[^'\\\n]|\\.)*'/g, '');
    return comments.match(id) ?? [];
  });
  assert.ok(cited.length > 1_000, `${cited.length} citations`);
  assert.equal([...new Set(cited)].filter((one) => !explained.has(one)).sort(), []);
});

test.run();
