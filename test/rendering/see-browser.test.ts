/** The observations of a browser from outside (T-62, R-08). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  busiestPage,
  isFlooded,
  keptMb,
  mainProcess,
  overweight,
  processesOfGroup,
  sharedBytes,
} from '../../api/browser/see-browser.ts';

const test = suite('browser from outside');

const bounds = { page: 512, browser: 1_536 };
const main = { pid: 1, type: undefined, mb: 60, ticks: 500 };
const page = (pid: number, mb: number, ticks = 0) => ({ pid, type: 'renderer', mb, ticks });

test('R-08: what holds too much ends alone; before everything is too much, the largest page does', () => {
  const gpu = { pid: 2, type: 'gpu-process', mb: 30, ticks: 0 };
  const few = { isHelper: false, isBrowser: false };
  assert.equal(overweight([main, gpu, page(3, 500), page(4, 300)], bounds), { ...few, pids: [] });
  assert.equal(overweight([main, gpu, page(3, 513), page(4, 300)], bounds), { ...few, pids: [3] });
  const filled = overweight([main, { ...gpu, mb: 600 }, page(4, 300)], bounds);
  assert.equal(filled, { pids: [2], isHelper: true, isBrowser: false }, 'a page filled it');
  const many = [page(3, 400), page(4, 410), page(5, 400)];
  assert.equal(overweight([main, gpu, ...many], bounds), { ...few, pids: [4] });
  assert.is(overweight([main, gpu, ...many, page(6, 300)], bounds).isBrowser, true);
  // The main process is no page: only the bound of everything ends it.
  assert.equal(overweight([{ ...main, mb: 900 }], bounds), { ...few, pids: [] });
  assert.is(keptMb([main, gpu, ...many]), 90);
  assert.equal(mainProcess([main, gpu, ...many]), { mb: 60, ticks: 500 });
});

test('T-62: a browser is flooded by what it holds for a page, or by half of it and the work that it has', () => {
  assert.is(isFlooded({ mb: 65, ticks: 0 }), true, 'messages that wait');
  assert.is(isFlooded({ mb: 33, ticks: 41 }), true, 'addresses without end');
  assert.is(isFlooded({ mb: 50, ticks: 20 }), false, 'photographs in blobs');
  assert.is(isFlooded({ mb: 10, ticks: 300 }), false, 'a large page on a slow machine');
});

test('the page that keeps a browser busy is the one that worked most since, not the one that ever did', () => {
  const before = [main, page(3, 50, 9_000), page(4, 50, 10)];
  assert.is(busiestPage([before, [main, page(3, 50, 9_020), page(4, 50, 60)]])?.pid, 4);
  assert.is(busiestPage([before, [{ ...main, ticks: 900 }, page(3, 50, 9_000)]]), undefined, 'all of them wait');
  const little = [before, [main, page(3, 50, 9_000), page(4, 50, 12)]];
  assert.is(busiestPage(little), undefined, 'it worked too little to be blamed');
  const then = [main, page(3, 50, 9_020), page(4, 50, 60)];
  assert.is(busiestPage([before, then, [main, page(3, 50, 9_030)]]), undefined, 'what keeps it busy has ended');
});

test('T-62: the page that fills the process for graphics is found by the writable memory that it shares', () => {
  const shared = (range: string, rights: string) =>
    `${range} ${rights} 00000000 00:01 724367    /memfd:shared-memory-region`;
  const maps = [
    shared('7fcc49eee000-7fcc49fee000', 'rw-s'),
    shared('7fcccf30a000-7fcccf34a000', 'r--s'),
    shared('7fccced29000-7fccced49000', 'rw-s'),
    '7fcccf000000-7fcccf100000 rw-p 00000000 00:00 0',
  ];
  assert.is(sharedBytes(maps.join('\n')), 0x100000 + 0x20000);
  assert.is(sharedBytes(''), 0, 'it has ended');
});

test('processes are seen by their group, with what they hold and how much they work, until they end', async () => {
  const program = `const held = Buffer.alloc(80 << 20, 1); process.stdout.write('.');
    for (const end = Date.now() + 1e6; Date.now() < end; ) held[0]++;`;
  const child = spawn(process.execPath, ['-e', program, '--', '--type=renderer'], { detached: true });
  try {
    await once(child.stdout, 'data');
    const look = processesOfGroup(child.pid ?? 0);
    const [first] = look();
    assert.is(first?.pid, child.pid);
    assert.is(first?.type, 'renderer');
    assert.ok((first?.mb ?? 0) > 80, `${first?.mb} MB`);
    while ((look()[0]?.ticks ?? 0) <= (first?.ticks ?? 0)) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.equal(look(), []);
  } finally {
    child.kill('SIGKILL');
  }
});

test.run();
