import { readdir, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import { epd7 } from '../../firmware-protocol/panels.ts';
import { systemClock } from '../../runtime/clock.ts';
import { newNativeFrame } from '../../simulator/dialects/native/native-state.ts';
import { writeContactSheet } from '../../simulator/fleet/contact-sheet.ts';
import { type FleetFrame, startFleet, type TraceEvent } from '../../simulator/fleet/fleet.ts';
import { keepGlasses } from '../../simulator/fleet/keep-glasses.ts';
import { simulate } from '../../simulator/fleet/main.ts';
import { digestOf, newFrame } from '../../simulator/frame/frame.ts';
import { longTest } from '../some-times.ts';
import { type Said, type ToyGateway, withToyGateway } from './toy-gateway.ts';

const test = suite('live fleet');
const file = packPicture(epd7, 'landscape', new Uint8Array(800 * 480).fill(4));
const sha256 = digestOf(file);
const serials = Array.from({ length: 24 }, (_, at) => `epd7-0000000f${String(at).padStart(4, '0')}`);
const credentials = { kind: 'password', password: 'any' } as const;
const frames: FleetFrame[] = serials.map((serial) => ({ serial, dialect: 'native', credentials }));

/** A gateway that announces the same picture to every frame. */
async function withPictures(use: (gateway: ToyGateway) => Promise<void>): Promise<void> {
  const world = {
    pictures: '',
    fileVersion: Math.floor(systemClock.now() / 1000),
    said({ topic, client, answer }: Said) {
      if (topic !== 'hello') return;
      const { fileVersion, pictures } = world;
      const url = `${pictures}/f/7`;
      const picture = { upload: 'u7', fileVersion, url, bytes: file.length, sha256, format: 'nibble' };
      answer(`frames/1/${client}/desired`, { time: 1, settings: { sleepSeconds: 3600 }, picture }, 1);
    },
    get: (_path: string, response: ServerResponse) =>
      response.writeHead(200, { 'content-length': file.length }).end(file),
  };
  await withToyGateway(world, async (gateway) => {
    world.pictures = gateway.http;
    await use(gateway);
  });
}

const played = (gateway: ToyGateway) =>
  ({ frames, mqttUrl: gateway.mqtt, picturePrefix: gateway.http, seed: 'many', clock: systemClock }) as const;

longTest(test)('a large fleet draws a screen, keeps its glasses on one sheet, and is summed up', async () => {
  await withPictures(async (gateway) => {
    const panelsDir = join(gateway.folder, 'panels');
    const lines: string[] = [];
    const screens: (readonly string[])[] = [];
    await simulate({
      ...played(gateway),
      speed: 900,
      panelsDir,
      json: false,
      print: (line) => lines.push(line),
      warn: (sentence) => assert.unreachable(sentence),
      screen: {
        width: () => 100,
        draw(screen) {
          screens.push(screen);
          if (/shown 24 of 24 .* missed 0, late p50/.test(screen.join(' '))) process.emit('SIGINT', 'SIGINT');
        },
      },
    });
    assert.match(screens.at(-1)?.join('\n') ?? '', /^24 frames for .*\n\[[.#?]+ *\]\n.*\nshown 24 of 24 /);
    assert.match(lines[0] ?? '', /^24 frames for .*: \d+ wakes, \d+ downloads, 0 failures$/);
    assert.match(lines[1] ?? '', /^shown 24 of 24 that were sent a picture; 0 failed at their last wake$/);
    assert.match(lines[2] ?? '', /^wake to glass {4}p50 \S+ m?s, p90 \S+ m?s, p99 \S+ m?s, max \S+ m?s \(\d+\)$/);
    assert.match(lines[3] ?? '', /^offer to glass {3}p50 /);
    assert.match(lines[4] ?? '', /^wakes due {8}\d+, missed 0, late p50 /);
    const files = await readdir(panelsDir);
    assert.equal(files.filter((name) => !/^epd7-.*\.png$/.test(name)).sort(), ['fleet.html', 'fleet.png']);
    const { width, height } = await sharp(join(panelsDir, 'fleet.png')).metadata();
    assert.equal([width, height], [8 + 12 * 168, 8 + 2 * 128]);
    const middle = { left: 8 + 80, top: 8 + 60, width: 1, height: 1 };
    const pixel = await sharp(join(panelsDir, 'fleet.png')).extract(middle).removeAlpha().raw().toBuffer();
    assert.is(pixel.toString('hex'), '871300');
  });
});

longTest(test)('frames that show the same picture share its bytes', async () => {
  await withPictures(async (gateway) => {
    const fleet = await startFleet({ ...played(gateway), speed: 900, trace: () => undefined });
    await Promise.all([...fleet.frames.values()].map((frame) => frame.untilShown(sha256)));
    const glasses = [...fleet.frames.values()].flatMap(({ state: { glass } }) =>
      glass.shows === 'picture' ? [glass.file] : [],
    );
    assert.is(glasses.length, frames.length);
    assert.is(new Set(glasses).size, 1);
    await fleet.stop();
  });
});

longTest(test)(
  'a fleet is spread over its time, frames in a climate of their own are late, and a climate may change',
  async () => {
    await withPictures(async (gateway) => {
      const events: TraceEvent[] = [];
      const [far = ''] = serials;
      const fleet = await startFleet({
        ...played(gateway),
        frames: frames.map((frame) => (frame.serial === far ? { ...frame, climate: { latencyMs: 400 } } : frame)),
        switchOnWithinMs: 1500,
        speed: 3600,
        trace: (event) => events.push(event),
      });
      await Promise.all([...fleet.frames.values()].map((frame) => frame.untilShown(sha256)));
      const [near] = [...fleet.frames.values()].slice(-1);
      const isCut = (): boolean =>
        events.some(({ serial, event }) => serial === near?.state.serial && event === 'link lost');
      assert.not(isCut());
      near?.enter({ cuts: 1 });
      while (!isCut()) await new Promise((resolve) => setTimeout(resolve, 20));
      await fleet.stop();
      const first = (serial: string, name: string): number =>
        events.find((event) => event.serial === serial && event.event === name)?.at ?? 0;
      const wakes = serials.map((serial) => first(serial, 'woke')).sort();
      assert.ok((wakes.at(-1) ?? 0) - (wakes[0] ?? 0) > 700);
      assert.ok(first(far, 'glass') - first(far, 'woke') > 2400);
    });
  },
);

test('a missing folder is reported once, and again only after it was there', async () => {
  await withPictures(async ({ folder }) => {
    const state = newNativeFrame(
      newFrame({ serial: 'epd7-1', panel: epd7, orientation: 'landscape', firmware: '1', rssi: -50 }),
    );
    const dir = join(folder, 'glasses');
    await writeFile(dir, 'a file');
    const said: string[] = [];
    const glasses = keepGlasses(dir, (name, { message }) => said.push(`${name} ${message}`));
    for (const at of [1, 2, 3]) glasses.keep(`epd7-${at}`, state);
    await glasses.settled();
    assert.is(said.length, 1);
    assert.match(said[0] ?? '', /^epd7-[12] ENOTDIR/);
    await rm(dir);
    let failed = false;
    await writeContactSheet(dir, ['epd7-1']).catch(() => {
      failed = true;
    });
    assert.ok(failed);
  });
});

test.run();
