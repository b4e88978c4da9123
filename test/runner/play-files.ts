/**
 * Runs the test files that its parent names one after the other in this process, and reports how each ended. Loading
 * the service costs more than most files' tests do, so many files share it.
 */
import { on } from 'node:events';
import { enableCompileCache } from 'node:module';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { playsNow } from './choose-files.ts';
import type { FileEnded } from './start-process.ts';

// A process that loads the service takes a third less processor time where another one compiled it before.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/papergate/tests'));

/** How long what a file opened may take to close once its tests have ended. */
const closingMs = 30_000;

// uvu then waits for `exec` rather than beginning by itself; it looks when it is loaded.
const shared: { UVU_DEFER?: number; UVU_QUEUE?: unknown[][] } = globalThis as object;
shared.UVU_DEFER = 1;
const { exec } = await import('uvu');

function tell(message: FileEnded): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, () => resolve());
  });
}

/** Returns the kinds of resources that keep this process alive and were not there before. */
function stillOpen(before: readonly string[]): string[] {
  const known = [...before];
  return process.getActiveResourcesInfo().filter((kind) => {
    const at = known.indexOf(kind);
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
}

/** Waits without a timer of its own being counted. */
async function leftOpen(before: readonly string[]): Promise<string[]> {
  const endsAt = Date.now() + closingMs;
  for (let waitMs = 1; stillOpen(before).length > 0 && Date.now() < endsAt; waitMs = Math.min(2 * waitMs, 100)) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  const left = stillOpen(before);
  return left.includes('TCPSocketWrap') ? [...left, ...socketEnds()] : left;
}

/** The ports of the open sockets, by which the next reader sees whose they are. Node has no public word for it. */
function socketEnds(): string[] {
  const { _getActiveHandles: handles }: { _getActiveHandles?(): unknown[] } = process as object;
  return (handles?.call(process) ?? []).flatMap((handle) =>
    handle instanceof Socket && handle.remotePort !== undefined
      ? [`a socket from port ${handle.localPort} to ${handle.remotePort}`]
      : [],
  );
}

for await (const [file] of on(process, 'message', { close: ['disconnect'] })) {
  // A file that waits for what never comes ends its process, which it would not while a parent is listened to.
  process.channel?.unref();
  shared.UVU_QUEUE = [[null]];
  process.exitCode = undefined;
  const before = process.getActiveResourcesInfo();
  playsNow(file);
  try {
    await import(pathToFileURL(file).href);
    await exec();
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
  const code = Number(process.exitCode ?? 0);
  const left = await leftOpen(before);
  process.exitCode = undefined;
  process.channel?.ref();
  await tell({ code, left });
}
