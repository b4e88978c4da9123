/** `make setup` in a checkout of its own, over an npm and a compiler that are played: what it does when, and after any end. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withFolder } from '../journeys/world.ts';

const test = suite('setup');
const root = join(import.meta.dirname, '../..');

/** The packages: a driver that opens a database when its code is whole. */
const driver = `
const { readFileSync } = require('node:fs');
module.exports = class {
  constructor() {
    if (readFileSync(__dirname + '/prebuilt', 'utf8') !== 'whole') throw new Error('not a driver');
  }
  close() {}
};`;

/** The Node that the registry has: this one under another version. It is a script, which a shell ends as a program. */
const came = `#!/bin/sh
[ "$1" = --version ] && echo v26.99.0 || exec ${process.execPath} "$@"
`;

/** Each notes its call, says that it began, and stays in the middle of its work as long as \`hold\` names it. */
const programs = {
  npm: `
fail() { echo "npm error $1" >&2; exit 1; }
case "$1" in
  ci)
    echo "$*" >> calls
    rm -rf node_modules
    mkdir -p node_modules/better-sqlite3
    echo '{"main":"index.js"}' > node_modules/better-sqlite3/package.json
    hold npm
    [ ! -e full ] || fail 'nospc ENOSPC: no space left on device, write'
    cp driver.js node_modules/better-sqlite3/index.js
    printf whole > node_modules/better-sqlite3/prebuilt
    touch node_modules/.package-lock.json ;;
  pack)
    echo "pack $5" >> calls
    [ ! -e offline ] || fail 'code ENOTFOUND'
    printf half > "$4/node.tgz"
    hold pack
    [ ! -e full ] || fail 'nospc ENOSPC: no space left on device, write'
    tar -czf "$4/node.tgz" package
    echo node.tgz ;;
  *) exit 1 ;;
esac`,
  /** The machine's own. */
  node: `
version=$(cat machine-node)
case "$*" in
  --version) echo "v$version" ;;
  '-p parseInt(process.versions.node, 10)') echo "\${version%%.*}" ;;
  bin/supported-node.mjs)
    case "$version" in 1*|20*) echo "Papergate runs on Node 22.14, and this is Node $version" >&2; exit 1 ;; esac ;;
  *) exec ${process.execPath} "$@" ;;
esac`,
  df: `
printf 'Filesystem Blocks Used Available\\n/ 9 9 %s\\n' "$([ -e full ] && echo 4096 || echo 99999999)"`,
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
    for (const file of ['.ci/install', '.ci/bring-node', 'bin/supported-node.mjs'])
      cpSync(join(root, file), join(folder, file));
    await mkdir(join(folder, 'package/bin'), { recursive: true });
    for (const [name, text] of Object.entries({
      'package.json': '{}',
      'package-lock.json': '{"a":1}',
      'driver.js': driver,
      '.node-version': '26.99.0',
      'machine-node': '26.1.0',
      'package/LICENSE': '',
    }))
      await writeFile(join(folder, name), text);
    await writeFile(join(folder, 'package/bin/node'), came, { mode: 0o755 });
    await mkdir(join(folder, 'programs'));
    for (const [name, text] of Object.entries(programs))
      await writeFile(join(folder, 'programs', name), head + text, { mode: 0o755 });
    const path = [join(folder, 'programs'), process.env.PATH].join(':');
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
const bring = `pack node-${process.platform}-${process.arch}@26.99.0`.replace('darwin-arm64', 'bin-darwin-arm64');

test('it installs once without scripts of strangers, and then asks only; another lockfile is installed', () =>
  withCheckout(async ({ run, folder }) => {
    assert.equal(await run(), [install]);
    assert.equal(await run(), []);
    await writeFile(join(folder, 'node_modules/.papergate'), '');
    assert.equal(await run(), [install]);
  }));

test('a driver that is missing or taken apart is installed again', () =>
  withCheckout(async ({ run, folder }) => {
    await run();
    await writeFile(join(folder, 'node_modules/better-sqlite3/prebuilt'), 'half');
    assert.equal(await run(), [install]);
    await rm(join(folder, 'node_modules/better-sqlite3'), { recursive: true });
    assert.equal(await run(), [install]);
  }));

for (const version of ['18.20.8', '20.20.2', '22.14.0', '24.9.0']) {
  test(`on a machine with Node ${version} the one of .node-version comes once, and a newer one replaces it`, () =>
    withCheckout(async ({ run, folder }) => {
      await writeFile(join(folder, 'machine-node'), version);
      assert.equal(await run(), [bring, install]);
      assert.is(await readFile(join(folder, '.node/bin/node'), 'utf8'), came);
      assert.equal(await run(), []);
      await writeFile(join(folder, '.node/bin/node'), '#!/bin/sh\necho v26.98.0', { mode: 0o755 });
      assert.equal(await run(), [bring]);
      // This machine has a suitable one now.
      await writeFile(join(folder, 'machine-node'), '26.0.0');
      await writeFile(join(folder, '.node-version'), '26.99.1');
      assert.equal(await run(), []);
      assert.not(existsSync(join(folder, '.node')));
    }));
}

test('without a network, a Node that is supported does; for one that is too old a sentence says what to do, and the next call goes on', () =>
  withCheckout(async ({ start, run, calls, folder }) => {
    await writeFile(join(folder, 'machine-node'), '20.20.2');
    await writeFile(join(folder, 'offline'), '');
    const [code, told] = await ended(start());
    assert.is(code, 1);
    assert.match(told, /npm error code ENOTFOUND\nNode 26\.99\.0 could not be installed: what is above says why\./);
    assert.match(
      told,
      /this is Node 20\.20\.2\nSetup did not come to its end\. Call it again: it goes on where it was\.\n$/,
    );
    assert.equal(await calls(), [bring]);
    await writeFile(join(folder, 'machine-node'), '22.14.0');
    assert.equal(await run(), [bring, install]);
    await rm(join(folder, 'offline'));
    assert.equal(await run(), [bring]);
  }));

for (const [machine, made] of [
  ['20.20.2', [bring]],
  ['26.0.0', [install]],
] as const) {
  test(`a disk that is full at ${made[0].split(' ')[0]} is named, and the next call goes on`, () =>
    withCheckout(async ({ start, run, calls, folder }) => {
      await writeFile(join(folder, 'machine-node'), machine);
      await writeFile(join(folder, 'full'), '');
      const [code, told] = await ended(start());
      assert.is(code, 1);
      assert.match(told, /ENOSPC/);
      assert.match(
        told,
        /The disk of this checkout is full: 4 MB are free, and setup takes up to \d+ MB there\.\nSetup did/,
      );
      assert.equal(await calls(), made);
      assert.not(existsSync(join(folder, '.node/part')));
      await rm(join(folder, 'full'));
      assert.equal(await run(), [...new Set([...made, install])]);
    }));
}

for (const [held, first, next] of [
  ['pack', [bring], [bring, install]],
  ['npm', [bring, install], [install]],
] as const) {
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    test(`ended by ${signal} in the middle of ${held}, it goes on at the next call`, () =>
      withCheckout(async ({ start, run, calls, folder }) => {
        await writeFile(join(folder, 'machine-node'), '20.20.2');
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

test('a second one waits for the first, and installs nothing again', () =>
  withCheckout(async ({ start, calls, folder }) => {
    await writeFile(join(folder, 'machine-node'), '20.20.2');
    await writeFile(join(folder, 'hold'), 'npm');
    const first = start();
    await until(first, 'in npm');
    // Its shell is killed alone, as a supervisor does: what it started goes on, and holds the checkout as it did.
    first.kill('SIGKILL');
    const second = start();
    const end = ended(second);
    await until(second, 'Another setup runs in this checkout');
    await rm(join(folder, 'hold'));
    assert.is((await end)[0], 0);
    assert.equal(await calls(), [bring, install, install]);
  }));

test('./papergate runs on the Node that came, and on this machine’s where none did', () =>
  withCheckout(async ({ folder }) => {
    for (const file of ['papergate', 'bin/papergate.mjs']) cpSync(join(root, file), join(folder, file));
    await mkdir(join(folder, 'machine'));
    await mkdir(join(folder, '.node/bin'), { recursive: true });
    await writeFile(join(folder, 'machine/node'), '#!/bin/sh\necho "machine $*"', { mode: 0o755 });
    await writeFile(join(folder, '.node/bin/node'), '#!/bin/sh\necho "own $*"', { mode: 0o755 });
    const env = { PATH: [join(folder, 'machine'), process.env.PATH].join(':') };
    const call = () => spawnSync(join(folder, 'papergate'), ['serve'], { encoding: 'utf8', env }).stdout;
    assert.is(call(), `own ${folder}/bin/papergate.mjs serve\n`);
    await rm(join(folder, '.node'), { recursive: true });
    assert.is(call(), `machine ${folder}/bin/papergate.mjs serve\n`);
  }));

test('a Node that is too old is refused in a sentence, before anything newer is read; the package asks for the same ones', () => {
  const asked = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node;
  assert.is(asked, '^22.14.0 || >=24');
  const judge = (version: string) => {
    const versions = JSON.stringify({ ...process.versions, node: version });
    const pretended = `data:text/javascript,Object.defineProperty(process,'versions',{value:${versions}})`;
    const args = ['--import', pretended, join(root, 'bin/supported-node.mjs')];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) assert.match(stderr, new RegExp(`^Papergate runs on Node 22\\.14, .*this is Node ${version} `));
    return status === 0;
  };
  for (const version of ['22.14.0', '24.0.0', '26.1.0']) assert.ok(judge(version), version);
  for (const version of ['18.20.8', '20.20.2', '21.7.0', '22.13.1', '23.11.0']) assert.not.ok(judge(version), version);
});

test.run();
