import { appendFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually, type Push } from '../journeys/world.ts';
import { mountDisk, unmountDisk } from '../small-disk.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { connectPaper, withProcesses } from './serving.ts';

const mebibyte = 1024 * 1024;

const tried = mountDisk(160);
if (tried !== undefined) unmountDisk(tried);
const smallDisk = suite('small disk');
const test = unlessUnable(smallDisk, tried === undefined ? 'a small disk cannot be mounted here' : undefined);

/** Some 165 kB as it is stored: less than what waits on the disk before. */
async function noisyPicture(): Promise<string> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const image = sharp({ create: { width: 290, height: 190, channels: 3, background: '#888', noise } });
  return (await image.png().toBuffer()).toString('base64');
}

const statusOf = (push: Push, content: { messageId: string; text?: string; imageBase64?: string }): Promise<number> =>
  push.submit(content).then(
    () => 202,
    (error: { status?: number }) => error.status ?? 0,
  );

longTest(test)(
  'T-83: files leave the reserve of a small disk, a full one is 503 and not ready, and all is well when there is room',
  async () => {
    const disk = mountDisk(160);
    assert.ok(disk !== undefined);
    const free = (): number => {
      const { bavail, bsize } = statfsSync(disk);
      return bavail * bsize;
    };
    const filler = join(disk, 'filler');
    /** Leaves so many bytes free. */
    const leave = (bytes: number): void => {
      for (let left = free() - bytes; left > 0; left = free() - bytes) {
        appendFileSync(filler, Buffer.alloc(Math.min(left, mebibyte)));
      }
    };
    try {
      await withProcesses(async ({ integration, serve }) => {
        const serving = await serve(join(disk, 'data'), { found: true });
        const push = await connectPaper(serving, integration);
        const ready = async () => {
          const answer = await fetch(`${serving.http}/ready`);
          return [answer.status, (await answer.json()).reason];
        };
        leave(129 * mebibyte);
        const statuses: number[] = [];
        for (let sent = 0; sent < 12; sent++) {
          statuses.push(await statusOf(push, { messageId: `picture ${sent}`, imageBase64: await noisyPicture() }));
        }
        assert.equal([statuses[0], statuses.at(-1)], [202, 503], String(statuses));
        assert.equal([...new Set(statuses)], [202, 503], 'never anything else');
        assert.ok(free() >= 127 * mebibyte, `${free()} bytes are free`);
        assert.is(await statusOf(push, { messageId: 'text', text: 'a text' }), 202, 'rows have room');
        assert.equal(await ready(), [200, undefined]);
        leave(10 * mebibyte);
        assert.equal(await ready(), [503, 'the disk of the data folder is full']);
        leave(0);
        const texts: number[] = [];
        for (let sent = 0; sent < 8; sent++) {
          texts.push(await statusOf(push, { messageId: `text ${sent}`, text: 'x'.repeat(500) }));
        }
        assert.is(texts.at(-1), 503, String(texts));
        assert.equal(
          texts.filter((status) => status !== 202 && status !== 503),
          [],
        );
        rmSync(filler);
        assert.equal(await ready(), [200, undefined]);
        await eventually('a picture is accepted again', async () => {
          const content = { messageId: 'again', imageBase64: await noisyPicture() };
          return (await statusOf(push, content)) === 202;
        });
        assert.is(await serving.end('SIGTERM'), 0);
      });
    } finally {
      unmountDisk(disk);
    }
  },
);

smallDisk.run();
