/** Programs of recipes: what they are given, what they answer, and what they cannot reach. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runTransform, TransformFailed } from '../../api/recipes/work/transform.ts';
import { wordsOf } from '../../reasons/words.ts';
import { systemClock } from '../../runtime/clock.ts';
import { withRecipeThreads } from './work-world.ts';

const test = suite('programs of recipes');

const run = (program: string, input: unknown = { a: 1, list: [1, 2] }): Promise<unknown> =>
  runTransform(program, JSON.stringify(input), systemClock);

async function failure(program: string): Promise<string> {
  try {
    return `answered ${JSON.stringify(await run(program))}`;
  } catch (error) {
    if (error instanceof TransformFailed) return error.message;
    throw error;
  }
}

test('RC-21: run goes before transform, transform before exports, and exports before result', async () => {
  assert.equal(await run('function run(input) { return { b: input.a + 1 }; }'), { b: 2 });
  assert.equal(await run('function transform({ list }) { return { n: list.length }; }'), { n: 2 });
  assert.equal(await run('const run = (input) => ({ ...input, c: 3 });'), { a: 1, list: [1, 2], c: 3 });
  assert.equal(await run('let transform = async (input) => ({ c: input.a });'), { c: 1 });
  assert.equal(await run('module.exports = (input) => ({ d: input.a });'), { d: 1 });
  assert.equal(await run('module.exports = { run(input) { return { e: input.a }; } };'), { e: 1 });
  assert.equal(await run('exports.transform = (input) => ({ f: input.a });'), { f: 1 });
  assert.equal(await run('const result = { g: 7 };'), { g: 7 });
  assert.equal(await run('var result = { g: 8 }'), { g: 8 });
  assert.equal(await run('function run() { return { a: 1 }; } function transform() { return { a: 2 }; }'), { a: 1 });
  assert.equal(await run('// nothing'), { a: 1, list: [1, 2] });
  assert.equal(await run(''), { a: 1, list: [1, 2] });
});

test('a list stands below data, and promises are waited for', async () => {
  assert.equal(await run('function run() { return [1, 2]; }'), { data: [1, 2] });
  assert.equal(await run('async function run(input) { const a = await Promise.resolve(input.a); return { a }; }'), {
    a: 1,
  });
  assert.equal(await run('function run() { return new Promise((done) => done({ a: 5 })); }'), { a: 5 });
  assert.equal(
    await run(
      'const wait = async (n) => n === 0 ? 9 : await wait(n - 1); async function run() { return { n: await wait(500) }; }',
    ),
    { n: 9 },
  );
});

test('the usual of the language is there', async () => {
  const program = `
    class Row { #t; constructor(t) { this.#t = t; } get text() { return this.#t?.toUpperCase() ?? 'none'; } }
    function run({ list }) {
      const map = new Map(list.map((n) => [n, n ** 2]));
      const { groups } = /(?<year>\\d{4})/u.exec('in 2026');
      return { rows: [...map.values()], text: new Row('ä').text, year: groups.year, at: new Date(0).toISOString(),
        flat: [[1], [2]].flat(), last: list.at(-1), json: JSON.parse('{"x":1}'), padded: '7'.padStart(3, '0') };
    }`;
  assert.equal(await run(program), {
    rows: [1, 4],
    text: 'Ä',
    year: '2026',
    at: '1970-01-01T00:00:00.000Z',
    flat: [1, 2],
    last: 2,
    json: { x: 1 },
    padded: '007',
  });
});

test('a program that fails says why in its own words, without a stack', async () => {
  assert.is(await failure('function run() { throw new Error("no trains"); }'), 'Error: no trains');
  assert.is(await failure('async function run() { throw new TypeError("late"); }'), 'TypeError: late');
  assert.is(await failure('throw "plain"'), 'plain');
  assert.match(await failure('function run( {'), /^SyntaxError: /);
  assert.match(await failure('function run(input) { return input.b.c; }'), /^TypeError: /);
  for (const answer of ['5', '"text"', 'null', 'undefined', '() => 1', 'Symbol()']) {
    assert.is(
      await failure(`function run() { return ${answer}; }`),
      'its answer is neither an object nor a list',
      answer,
    );
  }
  assert.match(await failure('function run() { const a = {}; a.a = a; return a; }'), /^TypeError: /);
  assert.is(await failure('function run() { return new Promise(() => {}); }'), 'it did not come to an end');
  assert.ok((await failure('throw new Error("x".repeat(100000))')).length <= 300);
});

test('nothing of the machine is there', async () => {
  const names = [
    'fetch',
    'require',
    'process',
    'XMLHttpRequest',
    'WebSocket',
    'setTimeout',
    'Buffer',
    'Deno',
    'std',
    'os',
    'self',
    'window',
    'WebAssembly',
  ];
  const program = `function run() { return { seen: ${JSON.stringify(names)}.filter((name) => globalThis[name] !== undefined) }; }`;
  assert.equal(await run(program), { seen: [] });
  assert.match(await failure('function run() { return fetch("http://127.0.0.1"); }'), /^ReferenceError: /);
  assert.match(await failure('const fs = require("fs");'), /^ReferenceError: /);
  assert.match(await failure('import fs from "node:fs"; function run() {}'), /^SyntaxError: /);
  assert.match(
    await failure('async function run() { return await import("node:fs"); }'),
    /^(?:ReferenceError|TypeError|SyntaxError): /,
  );
  assert.match(
    await failure('function run() { return run.constructor.constructor("return process")(); }'),
    /^ReferenceError: /,
  );
  assert.equal(await run('Object.prototype.a = 1; Array.prototype.map = null; function run() { return { b: 1 }; }'), {
    b: 1,
  });
  assert.is(({} as { a?: unknown }).a, undefined);
});

test('a program that changes what stands around it harms itself alone', async () => {
  const programs = [
    'JSON.parse = () => ({ stolen: 1 }); function run(input) { return input; }',
    'JSON.stringify = () => "not json"; function run() { return { a: 1 }; }',
    'globalThis.Promise = null; function run() { return { a: 1 }; }',
    'globalThis.papergateAnswer = "[1]"; function run() { return new Promise(() => {}); }',
    'globalThis.papergateFailure = 7; function run() { return { a: 1 }; }',
    'Object.defineProperty(globalThis, "papergateAnswer", { get() { while (true) {} } });',
    'const papergateInput = 3; const module = 4;',
    '})(); (() => {',
  ];
  for (const program of programs) {
    const words = await failure(program);
    assert.ok(words.length <= 400, program);
  }
  assert.equal(await run('function run() { return { a: 1 }; }'), { a: 1 });
});

test('an endless loop, and endless promises, are ended', async () => {
  for (const program of [
    'while (true) {}',
    'function run() { for (;;); }',
    'async function run() { while (true) await null; }',
    'function run() { try { while (true) {} } catch { while (true) {} } }',
    '/^(a+)+$/.exec("a".repeat(60) + "b"); function run() { return { a: 1 }; }',
    'function run() { return { toJSON() { while (true) {} } }; }',
  ]) {
    const before = process.cpuUsage();
    const words = await failure(program);
    assert.not.match(words, /^answered/, program);
    const { user } = process.cpuUsage(before);
    assert.ok(user < 8_000_000, `${program}: ${user} µs`);
  }
});

test('memory and depth are bounded', async () => {
  for (const program of [
    'const all = []; while (true) all.push("x".repeat(100000) + all.length);',
    'let text = "x"; while (true) text += text;',
    'function run() { return new Array(1e9).fill(0); }',
    'function run() { return new Uint8Array(2e9); }',
    'function run() { return run(); }',
    'function run() { let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return a; }',
  ]) {
    assert.not.match(await failure(program), /^answered/, program);
  }
  assert.is(await failure('function run() { return { a: "x".repeat(3000000) }; }'), 'its answer is too long');
});

test('RC-21: where a program fails the data stay, and the work says why', async () => {
  const answers = [{ bytes: Buffer.from('{"a":1}'), contentType: 'application/json' }];
  const place = { now: 0, timeZone: 'UTC' };
  await withRecipeThreads(async (threads) => {
    const work = async (transform: string): Promise<unknown> => {
      const outcome = await threads.work(['house'], {
        do: 'data',
        answers,
        place,
        transform,
        seen: { trmnl: { user: { locale: 'de' } } },
      });
      if (!outcome.ok) return wordsOf(outcome.reason);
      const { data, failed } = outcome.done;
      return failed === undefined ? JSON.parse(data) : [JSON.parse(data), failed];
    };
    assert.equal(await work('function run({ a, trmnl }) { return { b: a + 1, in: trmnl.user.locale }; }'), {
      b: 2,
      in: 'de',
    });
    assert.equal(await work('function run() { throw new Error("no"); }'), [{ a: 1 }, 'Error: no']);
    const [data, failed] = (await work('while (true) {}')) as [unknown, string];
    assert.equal(data, { a: 1 });
    assert.match(failed, /interrupted/);
    assert.equal(await work('const b = 1;'), { a: 1 });
  });
});

test.run();
