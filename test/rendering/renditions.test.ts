import { setImmediate as nextTurn } from 'node:timers/promises';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { drawPanelFile, drawQueued, toThumbnail } from '../../api/inks/renditions.ts';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import { epd7, epd13, type Panel, panels, viewSize } from '../../firmware-protocol/panels.ts';

const test = suite('renditions');

const hex = (pixels: Buffer, at: number): string => `#${pixels.subarray(at * 3, at * 3 + 3).toString('hex')}`;

test("PANEL-10: a preview is the file's own pixels, upright, in measured or nominal colours and none between", async () => {
  for (const panel of [epd7, panels.bwy2, panels.trmnl4] as Panel[]) {
    for (const orientation of ['landscape', 'portrait'] as const) {
      const { width, height } = viewSize(panel, orientation);
      const seen = Uint8Array.from({ length: width * height }, (_, at) => (at < 40 ? 0 : at % panel.colours.length));
      const file = packPicture(panel, orientation, seen);
      for (const colours of ['measured', 'nominal'] as const) {
        const preview = await drawPanelFile(panel, orientation, file, colours);
        assert.ok(Buffer.isBuffer(preview));
        const { data, info } = await sharp(preview as Buffer)
          .raw()
          .toBuffer({ resolveWithObject: true });
        assert.equal([info.width, info.height, info.channels], [width, height, 3]);
        const wrong = seen.findIndex((index, at) => at % 97 === 0 && hex(data, at) !== panel.colours[index]?.[colours]);
        assert.is(wrong, -1, `${panel.name} ${orientation} ${colours}`);
      }
    }
  }
});

test('a file of another panel has no preview', async () => {
  const other = packPicture(epd13, 'portrait', new Uint8Array(1200 * 1600));
  assert.is(await drawPanelFile(epd7, 'landscape', other), undefined);
});

test('a thumbnail is small, in the same proportions, and never enlarged', async () => {
  const image = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#336699' } })
      .png()
      .toBuffer();
  for (const [from, to] of [
    [
      [800, 480],
      [400, 240],
    ],
    [
      [480, 800],
      [240, 400],
    ],
    [
      [100, 50],
      [100, 50],
    ],
  ] as const) {
    const { format, width, height } = await sharp(await toThumbnail(await image(from[0], from[1]))).metadata();
    assert.equal([format, width, height], ['jpeg', ...to]);
  }
});

test('T-60: a caller who asks for thirty drawings waits for them alone, and one that nobody waits for is not drawn', async () => {
  const done: string[] = [];
  let [atOnce, most] = [0, 0];
  const draw = (organization: string, signal = new AbortController().signal): Promise<void> =>
    drawQueued({ sharer: [organization, 'paper'], signal }, async () => {
      atOnce++;
      most = Math.max(most, atOnce);
      await nextTurn();
      atOnce--;
      done.push(organization);
    });
  const leaving = new AbortController();
  const flood = Array.from({ length: 30 }, () => draw('theirs'));
  const left = draw('theirs', leaving.signal).catch((error: unknown) => error);
  await draw('ours');
  assert.ok(done.length <= 3, `another organization waits for nobody: ${done}`);
  leaving.abort('he left');
  assert.is(await left, 'he left');
  await Promise.all(flood);
  assert.equal([done.length, most], [31, 2]);
});

test.run();
