import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import { epd7 } from '../../firmware-protocol/panels.ts';
import { digestOf } from '../../simulator/frame/frame.ts';
import { type Said, withToyGateway } from './toy-gateway.ts';

const test = suite('native frame, live');
const serial = 'epd7-00000000a001';

/** A portrait picture as a person sees it: a red bar at the top of a white page. */
const seen = new Uint8Array(480 * 800).fill(1).fill(4, 0, 480 * 50);
const file = packPicture(epd7, 'portrait', seen);
const sha256 = digestOf(file);

/** Answers hello with that picture, serves it, and keeps what was reported. */
function pictureWorld() {
  const said: string[] = [];
  const reports: Record<string, unknown>[] = [];
  const world = {
    pictures: '',
    said({ topic, text, client, answer }: Said) {
      said.push(topic);
      if (topic === 'report') reports.push(JSON.parse(text));
      if (topic !== 'hello') return;
      const url = `${world.pictures}/f/7`;
      const picture = { upload: 'u7', fileVersion: 7, url, bytes: file.length, sha256, format: 'nibble' };
      answer(`frames/1/${client}/desired`, { time: 1, settings: { sleepSeconds: 900 }, picture }, 1);
    },
    get: (_path: string, response: ServerResponse) =>
      response.writeHead(200, { 'content-length': file.length }).end(file),
  };
  return { world, said, reports };
}

async function pixels(png: Buffer) {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const colourAt = (x: number, y: number) => {
    const at = (y * info.width + x) * 3;
    return data.subarray(at, at + 3).toString('hex');
  };
  return { size: [info.width, info.height], colourAt };
}

test('over TLS with its certificate a frame fetches, shows and proves a picture, and says bye', async () => {
  const { world, said, reports } = pictureWorld();
  await withToyGateway(world, async (gateway) => {
    world.pictures = gateway.http;
    const credentials = await gateway.certificate(serial);
    const frame = { serial, dialect: 'native', orientation: 'portrait', credentials } as const;
    const events = await gateway.run(frame, ({ event, reason }) => event === 'woke' && reason === 'timer');
    assert.equal(said.slice(0, 4), ['hello', 'report', 'report', 'bye']);
    assert.equal(
      reports.map((report) => report.stage),
      ['fetched', 'shown'],
    );
    assert.is(reports[1]?.sha256, sha256);
    assert.is(events.find(({ event }) => event === 'glass')?.sha256, sha256);
    assert.is(events.find(({ event }) => event === 'asleep')?.seconds, 900);
    assert.equal(await Promise.all(gateway.gets.map((get) => get.end)), ['whole']);
    const { size, colourAt } = await pixels(await readFile(join(gateway.folder, 'panels', `${serial}.png`)));
    assert.equal(size, [480, 800]);
    assert.equal([colourAt(240, 10), colourAt(240, 49), colourAt(240, 50)], ['871300', '871300', 'bec8c8']);
  });
});

test('half a download leaves the glass white and is reported failed', async () => {
  const { world, reports } = pictureWorld();
  await withToyGateway(world, async (gateway) => {
    world.pictures = gateway.http;
    const credentials = { kind: 'password', password: 'any' } as const;
    const frame = { serial, dialect: 'native', behaviours: ['half-download'], credentials } as const;
    await gateway.run(frame, ({ event, reason }) => event === 'woke' && reason === 'timer');
    assert.is(reports[0]?.stage, 'failed');
    assert.is(reports[0]?.reason, `${file.length / 2} of ${file.length} bytes came`);
    assert.equal(await Promise.all(gateway.gets.map((get) => get.end)), ['dropped']);
    const { colourAt } = await pixels(await readFile(join(gateway.folder, 'panels', `${serial}.png`)));
    assert.is(colourAt(0, 0), 'bec8c8');
  });
});

test.run();
