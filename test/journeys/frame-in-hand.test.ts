/** `papergate/simulator` as a program outside uses it: over HTTP and the broker alone. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { papergate } from '../../client/papergate.ts';
import { type AnyFrame, type Behaviour, type TriedFrame, withFrame } from '../../simulator/library.ts';
import { eventually, type ServiceWorld, withService } from './world.ts';

const test = suite('a frame in hand');

/** Runs with a frame whose first content is a text. */
async function withText(
  world: ServiceWorld,
  options: Parameters<typeof withFrame>[1],
  run: (tried: TriedFrame, paper: string) => Promise<void>,
): Promise<void> {
  const { person, http: url, mqtt: mqttUrl, organizationId: organization } = world;
  const { call } = papergate({ ...person, url });
  await withFrame({ ...person, url, mqttUrl, organization }, { speed: 3600, ...options }, async (tried) => {
    const { deviceId } = tried;
    const meta = { text: 'Good morning', orientation: 'landscape' };
    const { id } = await call('POST /papers/', { body: { deviceId, kind: 'text', organization, meta } });
    await run(tried, id);
  });
}

const pictureOn = ({ glass }: AnyFrame): string => (glass.shows === 'picture' ? glass.sha256 : glass.shows);

test('a program adds a frame, waits until its picture is on the glass, changes it, and the frame is gone at the end', () =>
  withService(async (world) => {
    const { call } = papergate({ ...world.person, url: world.http });
    let left = '';
    await withText(world, {}, async ({ frame, deviceId, serial, trace }, paperId) => {
      left = deviceId;
      const first = pictureOn(await frame.untilShown());
      await call('POST /papers/{paperId}', {
        path: { paperId },
        body: {
          deviceId,
          kind: 'text',
          organization: world.organizationId,
          meta: { text: 'Good evening', orientation: 'landscape' },
        },
      });
      await frame.until('shows another picture', (state) => pictureOn(state) !== first);
      assert.ok(trace.some(({ event }) => event === 'woke'));
      const missed = await frame.until('flies', () => false, 50).then(String, ({ message }: Error) => message);
      assert.match(missed, `${serial} flies: not within 0.05 s`);
    });
    const found = await call('GET /devices/overview', { query: { organization: world.organizationId } });
    assert.not.ok(found.some(({ id }) => id === left));
  }));

test('it is woken, moved, hung the other way, drained, cut off and left without power as somebody says', () =>
  withService(async (world) => {
    // An hour of sleep is a minute: what happens, happens because somebody does it.
    await withText(world, { speed: 60, batteryMv: 5_000 }, async ({ frame, deviceId }) => {
      const { call } = papergate({ ...world.person, url: world.http });
      await eventually('the first picture', async () => {
        frame.wake();
        await frame.until('falls asleep', (state) => state.asleep);
        return frame.state.glass.shows === 'picture';
      });
      const asleep = (): Promise<AnyFrame> => frame.until('falls asleep', (state) => state.asleep);
      const { boots, batteryMv } = await asleep();
      assert.ok(batteryMv < 5_000 && batteryMv > 4_900, String(batteryMv));

      for (const [at, reason] of (['button', 'motion', 'timer'] as const).entries()) {
        frame.wake(reason);
        const { wake } = await frame.until('starts again', (state) => state.boots === boots + at + 1);
        assert.is(wake, reason);
        frame.wake(reason);
        assert.is((await asleep()).boots, boots + at + 1, 'who is awake cannot be woken');
      }

      frame.hang('portrait');
      frame.charge(3_300);
      frame.wake();
      await eventually('the service knows how it hangs and that its battery is low', async () => {
        const shown = await call('GET /devices/{deviceId}', { path: { deviceId } });
        return JSON.stringify(shown).includes('3299') || JSON.stringify(shown).includes('3300');
      });
      await asleep();

      frame.loseLink(1);
      const before = frame.state.boots;
      frame.wake();
      const alone = await frame.until('gives up without its Wi-Fi', (state) => state.boots > before && state.asleep);
      assert.is(pictureOn(alone).length, 64, 'the picture stays');

      frame.wake();
      await frame.until('is awake', (state) => !state.asleep);
      frame.cutPower();
      assert.ok(frame.state.asleep);
      frame.wake('reset');
      await frame.until('starts from a reset', (state) => state.wake === 'reset' && !state.asleep);
      await asleep();
    });
  }));

test('a behaviour of one’s own is a step around the step of an honest frame', () =>
  withService(async (world) => {
    const heard: string[] = [];
    const forgetful: Behaviour = (below) => (state, event) => {
      heard.push(event.kind);
      const step = below(state, event);
      // It never draws, and says so to nobody.
      return { ...step, effects: step.effects.filter((effect) => effect.do !== 'draw') };
    };
    await withText(world, { behaviours: [forgetful] }, async ({ frame }) => {
      await frame.until('has fetched a picture', () => heard.includes('downloaded'));
      const missed = await frame.untilShown(undefined, 500).then(String, ({ message }: Error) => message);
      assert.match(missed, 'shows a picture: not within 0.5 s');
      assert.is(frame.state.glass.shows, 'nothing');
    });
  }));

test.run();
