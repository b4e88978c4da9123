/** `papergate/simulator` as a program outside imports it: it loads little, plays seeds, and moves the time of sandboxes. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listenForControl } from '../../cli/sandbox/control.ts';
import type { PapergateError } from '../../client/papergate.ts';
import { movedClock } from '../../testbed/moved-time/moved-clock.ts';
import { type OfflineVerdict, offline, sandboxTime } from '../../testbed/offline/library.ts';
import { createDisk } from '../../testbed/offline/machine/disk.ts';
import { runSeed } from '../../testbed/offline/run-seed.ts';

const test = suite('papergate/simulator');
const root = resolve(import.meta.dirname, '../..');

/** The files that are loaded with a file, types left out. */
function loadedWith(path: string, loaded = new Set<string>()): ReadonlySet<string> {
  if (loaded.has(path)) return loaded;
  loaded.add(path);
  const { staticImports, staticExports } = parseSync(path, readFileSync(join(root, path), 'utf8')).module;
  const names = [
    ...staticImports.filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType)),
    ...staticExports.flatMap(({ entries }) => entries.filter(({ isType }) => !isType)),
  ].map(({ moduleRequest }) => moduleRequest?.value ?? '');
  for (const name of names) {
    if (name.startsWith('.')) loadedWith(relative(root, resolve(root, dirname(path), name)), loaded);
  }
  return loaded;
}

test('a program that imports it loads no service', () => {
  const loaded = [...loadedWith('testbed/offline/library.ts')];
  assert.ok(loaded.includes('simulator/fleet/fleet.ts') && loaded.includes('client/sandbox-time.ts'));
  assert.equal(
    loaded.filter((path) => /^(?:api|gateway|cli)\/|^simulator\/offline\/(?!library)/.test(path)),
    [],
  );
  assert.ok(loadedWith('testbed/offline/play.ts').size > 200, 'the walk goes through the service');
});

test('seeds have the hashes that they have elsewhere, also when they are asked for at the same time', async () => {
  const ended: OfflineVerdict[] = [];
  const lines: string[] = [];
  const [two, one] = await Promise.all([
    offline({ seed: '5', runs: 2, frames: 2, ended: (verdict) => ended.push(verdict) }),
    offline({ seed: '5.2', frames: 2, trace: (line) => lines.push(line) }),
  ]);
  const elsewhere = await runSeed('5.1', await createDisk(), { frames: 2 });
  assert.equal(
    two.verdicts.map(({ seed }) => seed),
    ['5.1', '5.2'],
  );
  assert.is(two.verdicts[0]?.hash, elsewhere.hash);
  assert.is(two.verdicts[1]?.hash, one.hash);
  assert.is.not(two.hash, one.hash);
  assert.equal(ended, two.verdicts);
  assert.is(two.broken, 0);
  const sums: Record<string, number> = {};
  for (const { counts } of two.verdicts) {
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  }
  assert.equal(two.counts, sums);
  assert.ok(Object.values(sums).some((count) => count > 0));
  assert.ok(lines.length > 20 && lines.every((line) => line !== ''));
});

test('numbers that cannot be played are refused in a sentence', async () => {
  const said = (options: Parameters<typeof offline>[0]) => offline(options).then(String, String);
  assert.is(await said({ seed: '1', runs: 0 }), 'RangeError: runs is 0: give a whole number from 1 to 1000000');
  assert.is(await said({ seed: '1', frames: 2.5 }), 'RangeError: frames is 2.5: give a whole number from 1 to 10000');
  assert.is(await said({ seed: '1', nodes: 4 }), 'RangeError: nodes is 4: give a whole number from 1 to 3');
});

test('the time of a sandbox runs, stands still and leaps as a program says', async () => {
  const began = Date.parse('2026-01-01T00:00:00Z');
  const clock = movedClock(began, () => false);
  const control = await listenForControl(clock, ({ message }) => assert.unreachable(message));
  try {
    const time = sandboxTime(control.address);
    assert.is((await time.speed(0)).speed, 0);
    const before = await time.now();
    assert.equal(await time.leap(60_000), { now: new Date(before.getTime() + 60_000), speed: 0 });
    // Days are leapt one after the other, and end where one leap does.
    assert.equal((await time.leap(3.5 * 86_400_000)).now, new Date(before.getTime() + 60_000 + 3.5 * 86_400_000));
    for (const wrong of [Number.NaN, -1, 0.5]) {
      const said = await time.leap(wrong).then(String, ({ code, message }: PapergateError) => `${code}: ${message}`);
      assert.match(said, /^bad-request: .*leapMs/s);
    }
  } finally {
    await control.stop();
    await clock.stop();
  }
});

test('a service that is not a sandbox is reported as such', async () => {
  const server = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/time`;
  const said = (address: string): Promise<string> =>
    sandboxTime(address)
      .now()
      .then(String, ({ code, message }: PapergateError) => `${code}: ${message}`);
  try {
    assert.is(await said(url), `not-sandbox: ${url} is not a sandbox’s time`);
  } finally {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
  assert.is(await said(url), `unreachable: No sandbox answers at ${url}`);
  assert.throws(() => sandboxTime('127.0.0.1:1'), /is not the address of a sandbox’s time/);
});

test.run();
