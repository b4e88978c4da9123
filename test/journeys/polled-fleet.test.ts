/** A simulated frame that polls, live: adopted, pushed to, and proven by its echo after a real sleep. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adoptAsking } from '../../api/devices/adopt-asking.ts';
import { waitingFrames } from '../../gateway/adoption/waiting-frames.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { systemClock } from '../../runtime/clock.ts';
import { transact } from '../../runtime/database/database.ts';
import { type PolledFrame, startFleet, type TraceEvent } from '../../simulator/fleet/fleet.ts';
import { longTest } from '../some-times.ts';
import { eventually, postcardMeta, type ServiceWorld, withService } from './world.ts';

const test = suite('live frames that poll');
const serial = 'trmnl-02aabbccdd01';
const sleepSeconds = 60;

/** Lets a frame live until the work is done; what happened to it is in `events`. */
async function withFrame(
  world: ServiceWorld,
  { speed, ...frame }: Partial<PolledFrame> & { readonly speed: number },
  work: (fleet: Awaited<ReturnType<typeof startFleet>>, events: readonly TraceEvent[]) => Promise<void>,
): Promise<void> {
  const events: TraceEvent[] = [];
  const fleet = await startFleet({
    frames: [{ serial, dialect: 'trmnl', version: '1.8.15', kind: 'trmnl4', ...frame }],
    mqttUrl: world,
    picturePrefix: world.http,
    polledUrl: `${world.http}/trmnl`,
    panelsDir: join(world.dataFolder, 'panels'),
    speed,
    seed: 'polled',
    clock: systemClock,
    trace: (event) => events.push(event),
  });
  try {
    await work(fleet, events);
  } finally {
    await fleet.stop();
  }
}

async function adopt({ context, organizationId: organization }: ServiceWorld): Promise<void> {
  await transact(context.db, (trx) => adoptAsking(trx, context, { serial, kind: 'trmnl4', organization }));
  await frameRegistry(context.db).change(serial, { sleep_seconds: sleepSeconds }, context.clock.now());
}

longTest(test)('what is pushed is on its glass, and processed once it has slept as it was sent', () =>
  withService(async (world) => {
    await adopt(world);
    const paper = await world.createPaper('plugin', postcardMeta(world.integration));
    await world.showOn(paper, [serial]);
    const push = await world.connect(paper);
    await push.submit({ messageId: 'one', text: 'One' });
    await push.reach('prepared', 'one');
    await withFrame(world, { speed: 1 }, async (fleet) => {
      const glass = await eventually('the picture is drawn', async () => {
        const { glass } = fleet.frames.get(serial)?.state ?? {};
        return glass?.shows === 'picture' && glass;
      });
      assert.is((await push.status()).deliveries[0]?.state, 'prepared', 'nothing is proven before the next wake');
      const seen = await eventually('it is kept as a picture', async () => {
        const { data, info } = await sharp(await readFile(join(world.dataFolder, `panels/${serial}.png`)))
          .greyscale()
          .raw()
          .toBuffer({ resolveWithObject: true });
        return new Set(data).size > 2 && info;
      });
      assert.equal([seen.width, seen.height], [800, 480]);
      await eventually(
        'it is proven',
        async () => (await push.status()).deliveries[0]?.state === 'synced',
        (sleepSeconds + 40) * 1000,
      );
      const { evidence } = (await push.status()).deliveries[0] ?? {};
      assert.is(evidence?.grade, 'processed');
      const upload = await world.context.db('uploads').where({ serial }).orderBy('file_version', 'desc').first();
      assert.is(upload?.picture_sha256, glass.sha256);
    });
  }),
);

longTest(test)('T-67: of a stored picture with a flipped bit nothing is on its glass, before it was made again', () =>
  withService(async (world) => {
    await adopt(world);
    const paper = await world.createPaper('plugin', postcardMeta(world.integration));
    await world.showOn(paper, [serial]);
    const push = await world.connect(paper);
    await push.submit({ messageId: 'one', text: 'One' });
    await push.reach('prepared', 'one');
    const offers = world.context.db('uploads').where({ serial });
    const { id, picture_sha256: digest } = await offers.clone().orderBy('file_version', 'desc').first();
    const file = join(world.dataFolder, 'pictures', digest);
    const sound = await readFile(file);
    const damaged = Buffer.from(sound);
    const at = Math.floor(damaged.length / 2);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    await writeFile(file, damaged);
    await withFrame(world, { speed: 900 }, async (fleet, events) => {
      await eventually('the sound picture is drawn', async () => {
        const { glass } = fleet.frames.get(serial)?.state ?? {};
        return glass?.shows === 'picture' && glass.sha256 === digest;
      });
      const drawn = events.flatMap((event) => ('sha256' in event && event.event === 'glass' ? [event.sha256] : []));
      assert.equal(new Set(drawn), new Set([digest]), JSON.stringify(drawn));
      assert.equal(await readFile(file), sound, 'the file is healed');
      await eventually('it is proven', async () => (await offers.clone().where({ id }).first()).fetched_at !== null);
    });
  }),
);

test('a frame that nobody adopted says so on its glass, is seen, and gets its picture after its adoption', () =>
  withService(async (world) => {
    await withFrame(world, { speed: 900 }, async (fleet, events) => {
      const shows = (what: string) => async () => JSON.stringify(fleet.frames.get(serial)?.state.glass).includes(what);
      await eventually('it waits', shows('not registered'));
      const waiting = await waitingFrames(world.context.db, world.context.clock.now());
      assert.equal(
        waiting.map((frame) => [frame.serial, frame.model, frame.firmware]),
        [[serial, 'og', '1.8.15']],
      );
      await adopt(world);
      await eventually('it is set up', async () => events.some((event) => event.screen === 'set up'));
      await eventually('it shows a picture', shows('"shows":"picture"'));
    });
  }));

test('its Wi-Fi fails at every second wake: the screen says so, and the frame goes on', () =>
  withService(async (world) => {
    await adopt(world);
    await withFrame(world, { speed: 900, behaviours: ['weak-wifi'] }, async (_, events) => {
      await eventually('both happened', async () => {
        const screens = events.flatMap(({ screen }) => screen ?? []);
        return screens.includes('Wi-Fi failed') && screens.includes('set up');
      });
    });
  }));

test('a stuck panel keeps what it shows, whatever its frame draws', () =>
  withService(async (world) => {
    await adopt(world);
    await withFrame(world, { speed: 900, behaviours: ['stuck'] }, async (fleet, events) => {
      await eventually('it was set up', async () => events.some(({ screen }) => screen === 'set up'));
      await eventually('it slept', async () => events.some(({ event }) => event === 'asleep'));
      assert.equal(fleet.frames.get(serial)?.state.glass, { shows: 'nothing' });
    });
  }));

test.run();
