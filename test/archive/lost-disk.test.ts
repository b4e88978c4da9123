/**
 * A service is killed while pushes are accepted, its data folder is thrown away, and another one begins from its archive:
 * nothing is missing but what was accepted in the last seconds. `KILLS` plays more, `SEED` other moments.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { papergate } from '../cli/papergate.ts';
import { connectPaper, type Processes, withProcesses } from '../durability/serving.ts';
import { readRows } from '../durability/stored-rows.ts';
import { type Push, pushOver, withFolder } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';

const test = suite('lost disk');

const kills = Number(process.env.KILLS ?? 2);
const seed = process.env.SEED ?? 'seed';
/** An integration may push thirty times a minute. */
const betweenMs = 2_100;
const promisedMs = 60_000;
const leastMs = 15_000;
const mostMs = Number(process.env.LIFE_MS ?? 35_000);

interface Accepted {
  readonly messageId: string;
  readonly at: number;
}

/** Pushes one after the other until the service is gone; a machine under load may refuse one. */
async function pushAlong(push: Push, accepted: Accepted[], isOver: () => boolean): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    const messageId = `message-${n}`;
    const content = { messageId, text: `text ${n}`, ...(n % 10 === 0 && { imageBase64: await picture(n) }) };
    const isAccepted = await push.submit(content).then(
      () => true,
      () => false,
    );
    if (isAccepted) accepted.push({ messageId, at: Date.now() });
    await pause(betweenMs);
  }
}

async function picture(n: number): Promise<string> {
  const background = { r: n % 250, g: Math.floor(n / 250), b: 40 };
  const image = await sharp({ create: { width: 12, height: 8, channels: 3, background } })
    .png()
    .toBuffer();
  return image.toString('base64');
}

/** @returns how long before the kill the first message was accepted that is missing; 0 where none is */
async function loseDisk(folder: string, lifeMs: number, { integration, serve }: Processes): Promise<number> {
  const [data, archive, restored] = ['data', 'archive', 'restored'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const environment = { PAPERGATE_ARCHIVE: archive };
  const serving = await serve(data, { found: true, environment });
  const push = await connectPaper(serving, integration);
  const accepted: Accepted[] = [];
  let isKilled = false;
  const pushing = pushAlong(push, accepted, () => isKilled);
  await pause(lifeMs);
  const killedAt = Date.now();
  assert.is(await serving.end('SIGKILL'), 'SIGKILL');
  isKilled = true;
  await pushing;
  assert.ok(accepted.length > 0, 'pushes were accepted');
  await rm(data, { recursive: true });
  const ended = await papergate({}, 'backup', 'restore', '--from', archive, '--into', restored, '--json');
  assert.is(ended.code, 0, ended.stderr);
  assert.not.match(ended.stderr, /not whole/);
  const rows = readRows(restored);
  assert.is(rows.integrity, 'ok');
  const kept = new Set(rows.requests.map(({ message_id }) => message_id));
  for (const { image_key } of rows.requests) {
    if (image_key !== null) assert.ok(existsSync(join(restored, 'files', image_key)), 'files that rows name are there');
  }
  const missing = accepted.find(({ messageId }) => !kept.has(messageId));
  // The restored service takes the next push over the same connection, where it knows it.
  const again = await serve(restored, {});
  if (kept.size > 0) await pushOver(again.http, push).submit({ messageId: 'after all', text: 'after the restore' });
  assert.is(await again.end('SIGTERM'), 0);
  return missing === undefined ? 0 : killedAt - missing.at;
}

longTest(test)('a disk that is lost at whatever moment takes no more than a minute of accepted work', async () => {
  const losses: number[] = [];
  for (let n = 0; n < kills; n++) {
    const chance = createHash('sha256').update(`${seed}.${n}`).digest().readUInt32BE(0) / 2 ** 32;
    const lifeMs = Math.round(leastMs + chance * (mostMs - leastMs));
    await withFolder((folder) =>
      withProcesses(async (processes) => {
        losses.push(await loseDisk(folder, lifeMs, processes));
      }),
    );
    console.log(`killed after ${lifeMs} ms: ${losses.at(-1)} ms were lost`);
    assert.ok((losses.at(-1) ?? 0) <= promisedMs);
  }
});

test.run();
