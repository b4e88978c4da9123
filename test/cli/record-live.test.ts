/** A live service is recorded while it runs, and the record is played: what was proven there is proven again. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recordOf } from '../../cli/scenario/record.ts';
import { papergate } from '../../client/papergate.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { silentLogger } from '../../runtime/logger.ts';
import type { Fleet } from '../../simulator/fleet/fleet.ts';
import { movedClock } from '../../testbed/moved-time/moved-clock.ts';
import { textPicture } from '../../testbed/scenario/live/text-picture.ts';
import { readScenario } from '../../testbed/scenario/read-scenario.ts';
import { provisionFleet } from '../../testbed/stage/provision-fleet.ts';
import { freePorts, openStage, type Stage } from '../../testbed/stage/stage.ts';
import { playText } from '../simulation/play-text.ts';
import { longTest } from '../some-times.ts';

const test = suite('a record of a live service');

const minuteMs = 60_000;
const startsAt = Date.parse('2026-05-04T06:00:00Z');
const [native, classic, polled] = ['epd7-5ec2e7000001', 'epd13-5ec2e7000002', 'trmnl-025ec2e70003'] as const;

/** A service with a fleet of three dialects, and the actions on it. */
interface PlayedService {
  readonly context: Stage['context'];
  readonly fleet: Fleet;
  /** Shows pictures of words on a frame, one after the other, each once the clock shows so many minutes. */
  show(serial: string, word: string): Promise<void>;
  /** Waits until the clock has gone on so far from the beginning. */
  until(minutes: number): Promise<void>;
}

/** Opens a service whose native frame loses its link once, in the middle of its first download after an hour. */
async function withPlayedService(run: (played: PlayedService) => Promise<void>): Promise<void> {
  const stage = await openStage({
    env: { ...freePorts, PATH: process.env.PATH },
    logger: silentLogger,
    clock: (isBusy) => movedClock(startsAt, isBusy),
  });
  const { clock, context, organizationId: organization } = stage;
  const { after: ring } = clock;
  try {
    const { call } = papergate({ url: stage.http, apiKey: stage.apiKey });
    const planned = ([native, classic, polled] as const).map((serial, at) => ({
      serial,
      dialect: (['native', 'classic', 'trmnl'] as const)[at] ?? 'native',
    }));
    const frames = await provisionFleet(context, planned, { organization, login: 'password' });
    const papers = new Map<string, string>();
    for (const serial of [native, classic, polled]) {
      await frameRegistry(context.db).change(serial, { sleep_seconds: 1200 }, clock.now());
      const deviceId = await stage.deviceId(serial);
      const body = { deviceId, kind: 'image' as const, organization, meta: { orientation: 'landscape' } };
      papers.set(serial, (await call('POST /papers/', { body })).id);
    }
    let isCut = false;
    const fleet: Fleet = await stage.play({
      frames,
      switchOnWithinMs: minuteMs,
      seed: 'record',
      trace({ serial, event }) {
        if (isCut || serial !== native || event !== 'fetching' || clock.now() < startsAt + 60 * minuteMs) return;
        isCut = true;
        fleet.frames.get(native)?.cutLink();
      },
    });
    clock.run(2_000);
    await run({
      context,
      fleet,
      async show(serial, word) {
        const picture = new File([Uint8Array.from(await textPicture(word))], `${word}.png`, { type: 'image/png' });
        const path = { paperId: papers.get(serial) ?? '' };
        await call('POST /papers/uploadSingleImage/{paperId}', { path, form: { picture: [picture] } });
      },
      until: (minutes) =>
        new Promise((resolve) => void ring(startsAt + minutes * minuteMs - clock.now(), () => resolve())),
    });
  } finally {
    await stage.stop();
  }
}

longTest(test)(
  'three dialects, a link that is cut and a button: the record is read, plays the same twice as it went, and finds a worse frame',
  () =>
    withPlayedService(async ({ context, fleet, show, until }) => {
      await until(30);
      for (const serial of [native, classic, polled]) await show(serial, `Breakfast for ${serial}`);
      await until(70);
      for (const serial of [native, classic]) await show(serial, `Lunch for ${serial}`);
      await until(125);
      fleet.frames.get(native)?.wake('button');
      await until(150);
      const { text, notes } = await recordOf(context, { from: '24h' });
      assert.equal(notes, []);
      for (const secret of [native, classic, polled, 'Breakfast', 'Lunch', 'Sandbox', '5ec2e7', '/f/']) {
        assert.not(text.includes(secret), secret);
      }
      const { groups, events } = readScenario(text);
      assert.equal(groups.map(({ dialect, kind, sleepSeconds }) => [dialect, kind, sleepSeconds]).sort(), [
        ['classic', 'epd13', 1200],
        ['native', 'epd7', 1200],
        ['trmnl', 'trmnl4', 1200],
      ]);
      const pushes = events.flatMap(({ act }) => (act.do === 'push' ? [act] : []));
      assert.equal(
        pushes.map(({ text: pushed }) => pushed).sort(),
        [1, 2, 3, 4, 5].map((number) => `Picture ${number}`),
      );
      assert.ok(
        pushes.every(({ withinMs }) => withinMs !== undefined),
        text,
      );
      const lastOf = (name: string): number | undefined => events.findLast(({ act }) => act.do === name)?.at;
      assert.ok((lastOf('cut link') ?? 0) > startsAt + 70 * minuteMs, text);
      assert.ok(Math.abs((lastOf('press') ?? 0) - (startsAt + 125 * minuteMs)) < minuteMs, text);

      const [first, second] = [await playText(text), await playText(text)];
      assert.equal(
        first.expectations.map(({ isMet, found }) => [isMet, found]),
        Array.from({ length: 5 }, () => [true, '1 of 1 pushes to frames']),
      );
      assert.ok(first.isGood, first.brokenPromise?.sentence);
      assert.is(second.hash, first.hash);

      const worse = await playText(text.replace('dialect: native', 'dialect: native\n    behaviours: [half-download]'));
      assert.is(worse.expectations.filter(({ isMet }) => !isMet).length, 2);
      assert.not(worse.isGood);
    }),
);

test.run();
