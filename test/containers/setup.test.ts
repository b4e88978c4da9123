/** `make setup` in a checkout of its own, over an npm and a compiler that are played: what it does when, and after any end. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withFolder } from '../journeys/world.ts';

const test = suite('setup');
const root = join(import.meta.dirname, '../..');

/** The packages: a driver that opens a database when its code is whole. */
const driver = `
const { readFileSync } = require('node:fs');
module.exports = class {
  constructor(name, { nativeBinding } = {}) {
    const file = nativeBinding ?? __dirname + '/build/Release/better_sqlite3.node';
    if (readFileSync(file, 'utf8') !== 'whole') throw new Error('not a driver');
  }
  close() {}
};`;

/** Each notes its call, says that it began, and stays in the middle of its work as long as \`hold\` names it. */
const programs = {
  npm: `
case "$1" in
  ci)
    echo "$*" >> calls
    rm -rf node_modules
    mkdir -p node_modules/better-sqlite3
    echo '{"main":"index.js"}' > node_modules/better-sqlite3/package.json
    hold npm
    cp driver.js node_modules/better-sqlite3/index.js
    touch node_modules/.package-lock.json ;;
  run) npm_config_node_gyp=played exec node deploy/compile-driver.mjs ;;
  *) exit 1 ;;
esac`,
  'node-gyp': `
echo compile >> ../../calls
rm -rf build
mkdir -p build/Release
printf half > build/Release/better_sqlite3.node
cd ../..
hold node-gyp
printf whole > node_modules/better-sqlite3/build/Release/better_sqlite3.node`,
  'apt-get': '',
};
const head = `#!/bin/sh
hold() {
  [ "$(cat hold 2>/dev/null)" = "$1" ] || return 0
  echo "in $1" >&2
  while [ -e hold ]; do sleep 0.1; done
}
`;

interface Checkout {
  /** Starts \`.ci/install\` as a terminal does: in a group of its own. */
  start(): ChildProcess;
  /** Runs it to its end, and returns the calls that it made since the last time. */
  run(): Promise<readonly string[]>;
  calls(): Promise<readonly string[]>;
  readonly folder: string;
}

const withCheckout = (play: (checkout: Checkout) => Promise<void>): Promise<void> =>
  withFolder(async (folder) => {
    for (const file of ['.ci/install', 'bin/supported-node.mjs', 'deploy/compile-driver.mjs'])
      cpSync(join(root, file), join(folder, file));
    for (const [name, text] of Object.entries({
      'package.json': '{}',
      'package-lock.json': '{"a":1}',
      'driver.js': driver,
    }))
      await writeFile(join(folder, name), text);
    await mkdir(join(folder, 'programs'));
    for (const [name, text] of Object.entries(programs))
      await writeFile(join(folder, 'programs', name), head + text, { mode: 0o755 });
    const path = [join(folder, 'programs'), dirname(process.execPath), process.env.PATH].join(':');
    const start = () => spawn(join(folder, '.ci/install'), { cwd: folder, detached: true, env: { PATH: path } });
    const calls = async () => {
      const file = join(folder, 'calls');
      const made = existsSync(file) ? (await readFile(file, 'utf8')).trim().split('\n') : [];
      await rm(file, { force: true });
      return made;
    };
    const run = async () => {
      const [code, said] = await ended(start());
      assert.is(code, 0, said);
      assert.is(await readFile(join(folder, 'node_modules/.papergate'), 'utf8'), '{"a":1}');
      return await calls();
    };
    await play({ start, run, calls, folder });
  });

function ended(child: ChildProcess): Promise<readonly [number | NodeJS.Signals | null, string]> {
  let said = '';
  child.stderr?.on('data', (piece) => {
    said += piece;
  });
  return new Promise((done) => child.once('close', (code, signal) => done([code ?? signal, said])));
}

/** Waits for a text on stderr. */
const until = (child: ChildProcess, text: string): Promise<void> =>
  new Promise((done) => {
    let said = '';
    child.stderr?.on('data', (piece) => {
      said += piece;
      if (said.includes(text)) done();
    });
  });

const install = 'ci --ignore-scripts --no-audit --no-fund --loglevel=error';

test('it installs once without scripts of strangers, and then asks only; another lockfile is installed', () =>
  withCheckout(async ({ run, folder }) => {
    assert.equal(await run(), [install, 'compile']);
    assert.equal(await run(), []);
    await writeFile(join(folder, 'node_modules/.papergate'), '');
    assert.equal(await run(), [install, 'compile']);
  }));

test('a driver that is missing, half there or taken apart is mended, and nothing else is done', () =>
  withCheckout(async ({ run, folder }) => {
    await run();
    const place = join(folder, 'node_modules/better-sqlite3');
    await writeFile(join(place, 'build/Release/better_sqlite3.node'), 'half');
    assert.equal(await run(), ['compile']);
    await rm(join(place, 'build'), { recursive: true });
    assert.equal(await run(), ['compile']);
    await rm(place, { recursive: true });
    assert.equal(await run(), [install, 'compile']);
  }));

for (const [held, first, next] of [
  ['npm', [install], [install, 'compile']],
  ['node-gyp', [install, 'compile'], ['compile']],
] as const) {
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    test(`ended by ${signal} in the middle of ${held}, it goes on at the next call`, () =>
      withCheckout(async ({ start, run, calls, folder }) => {
        await writeFile(join(folder, 'hold'), held);
        const child = start();
        const end = ended(child);
        await until(child, `in ${held}`);
        process.kill(-(child.pid ?? 0), signal);
        assert.is.not((await end)[0], 0);
        assert.equal(await calls(), first);
        await rm(join(folder, 'hold'));
        assert.equal(await run(), next);
      }));
  }
}

test('a second one waits for the first, and compiles nothing again', () =>
  withCheckout(async ({ start, calls, folder }) => {
    await writeFile(join(folder, 'hold'), 'node-gyp');
    const first = start();
    await until(first, 'in node-gyp');
    // Its shell is killed alone, as a supervisor does: what it started goes on, and holds the checkout as it did.
    first.kill('SIGKILL');
    const second = start();
    const end = ended(second);
    await until(second, 'Another setup runs in this checkout');
    await rm(join(folder, 'hold'));
    assert.is((await end)[0], 0);
    assert.equal(await calls(), [install, 'compile']);
  }));

test('a Node that is too old is told so in a sentence, before anything newer is read; the package asks for the same ones', () => {
  const asked = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node;
  assert.is(asked, '^20.19.0 || ^22.14.0 || >=24');
  const judge = (version: string) => {
    const versions = JSON.stringify({ ...process.versions, node: version });
    const pretended = `data:text/javascript,Object.defineProperty(process,'versions',{value:${versions}})`;
    const args = ['--import', pretended, join(root, 'bin/supported-node.mjs')];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) assert.match(stderr, new RegExp(`^Papergate runs on Node 20\\.19, .*this is Node ${version} `));
    return status === 0;
  };
  for (const version of ['20.19.0', '22.14.0', '24.0.0', '26.1.0']) assert.ok(judge(version), version);
  for (const version of ['18.20.8', '20.18.3', '21.7.0', '22.13.1', '23.11.0']) assert.not.ok(judge(version), version);
});

test.run();
