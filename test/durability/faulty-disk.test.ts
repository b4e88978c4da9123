/** A disk that is full, or that fails to sync, under a real service process: refused in time, and never a 202 (FAULT-06, FAULT-07). */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Push, pushOver, withFolder } from '../journeys/world.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { connectPaper, type Processes, type Serving, withProcesses } from './serving.ts';
import { readRows } from './stored-rows.ts';

/** Has the kernel refuse calls of a running process, until the returned function is called. */
async function refusing(serving: Serving, inject: string, ...paths: string[]): Promise<() => Promise<void>> {
  const only = paths.flatMap((path) => ['-P', path]);
  const calls = inject.split(':')[0] as string;
  const args = ['-f', '-p', String(serving.pid), '-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${inject}`];
  const tracer: ChildProcess = spawn('strace', [...args, ...only], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(tracer, 'exit');
  for await (const line of createInterface({ input: tracer.stderr as NodeJS.ReadableStream })) {
    if (line.includes('attached')) break;
    if (/Operation not permitted|ptrace/.test(line)) throw new Error(line);
  }
  return async () => {
    tracer.kill('SIGTERM');
    await ended;
  };
}

/** Whether one process may trace another that is not its child: what the tests here rest on. */
const isAttachable = ((): boolean => {
  const sleeper = spawn('sleep', ['5'], { stdio: 'ignore' });
  const traced = spawnSync('timeout', ['1', 'strace', '-p', String(sleeper.pid), '-o', '/dev/null'], {
    encoding: 'utf8',
  });
  sleeper.kill();
  return traced.stderr?.includes('attached') === true;
})();
const faultyDisk = suite('faulty disk');
const test = longTest(
  unlessUnable(
    faultyDisk,
    isAttachable ? undefined : 'strace cannot attach here (apt-get install strace; ptrace_scope 0)',
  ),
);

async function pictureOf(shade: number): Promise<string> {
  const image = sharp({ create: { width: 12, height: 8, channels: 3, background: { r: shade, g: 9, b: 9 } } });
  return (await image.png().toBuffer()).toString('base64');
}

/** The status of what a submission was answered with; 0 when there was no answer at all. */
async function statusOf(push: Push, content: { messageId: string; text?: string; imageBase64?: string }) {
  return push.submit(content).then(
    () => 202,
    (error: { status?: number }) => error.status ?? 0,
  );
}

const withWorld = (run: (dataFolder: string, processes: Processes) => Promise<void>): Promise<void> =>
  withFolder((folder) => withProcesses((processes) => run(join(folder, 'data'), processes)));

const words = ['one', 'two', 'three'];

/** No space for rows, then none for files; reads go on, and all is well once there is room again. */
async function fillDisk(serving: Serving, push: Push, dataFolder: string): Promise<void> {
  const picture = { messageId: 'picture', imageBase64: await pictureOf(1) };
  const makeRoom = await refusing(serving, 'pwrite64:error=ENOSPC', join(dataFolder, 'papergate.sqlite-wal'));
  for (const messageId of words) assert.is(await statusOf(push, { messageId, text: messageId }), 503, messageId);
  assert.is((await push.status()).messageId, 'before', 'reads go on');
  await makeRoom();
  const makeRoomForFiles = await refusing(serving, 'openat:error=ENOSPC');
  assert.is(await statusOf(push, picture), 503);
  await makeRoomForFiles();
  for (const messageId of words) assert.is(await statusOf(push, { messageId, text: messageId }), 202, messageId);
  assert.is(await statusOf(push, picture), 202);
  assert.is(readdirSync(join(dataFolder, 'files')).length, 1, 'no half-written file is left');
}

test('INV-73, FAULT-06, FAULT-07: no 202 on a full disk, nor after a sync that failed, which ends the process', async () => {
  await withWorld(async (dataFolder, { integration, serve }) => {
    let serving = await serve(dataFolder, { found: true });
    let push = await connectPaper(serving, integration);
    const before = await push.submit({ messageId: 'before', text: 'before' });
    await fillDisk(serving, push, dataFolder);
    const faults = [
      { calls: 'fsync,fdatasync', path: 'papergate.sqlite-wal', content: { messageId: 'row', text: 'row' } },
      { calls: 'fsync', path: 'files', content: { messageId: 'file', imageBase64: await pictureOf(2) } },
    ];
    for (const { calls, path, content } of faults) {
      const detach = await refusing(serving, `${calls}:error=EIO:when=1`, join(dataFolder, path));
      assert.is(await statusOf(push, content), 500, path);
      // The next sync would work, and is not believed.
      assert.is.not(await statusOf(push, content), 202, path);
      assert.is(await serving.ended, 1, 'whoever runs it starts it again');
      await detach();
      serving = await serve(dataFolder, {});
      push = pushOver(serving.http, push);
      assert.is(await statusOf(push, content), 202, path);
    }
    assert.is((await push.submit({ messageId: 'before', text: 'before' })).requestId, before.requestId);
    assert.is(await serving.end('SIGTERM'), 0);
    const { requests, integrity } = readRows(dataFolder);
    assert.is(integrity, 'ok');
    assert.equal(
      requests.map(({ message_id }) => message_id).sort(),
      ['before', 'file', 'picture', 'row', ...words].sort(),
    );
  });
});

faultyDisk.run();
