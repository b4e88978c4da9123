/** `papergate/simulator` as a program outside uses it: over HTTP and the broker alone. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { papergate } from '../../client/papergate.ts';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import { epd7 } from '../../firmware-protocol/panels.ts';
import {
  type AnyFrame,
  type Behaviour,
  type FirstPicture,
  type TriedFrame,
  withFrame,
} from '../../simulator/library.ts';
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

/** The size of a PNG and the colours in it, as `#rrggbb`. */
async function inksOf(png: Uint8Array): Promise<{ width: number; height: number; inks: Set<string> }> {
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  const pixels = new Set<number>();
  for (let at = 0; at < data.length; at += 3) pixels.add(data.readUIntBE(at, 3));
  return { ...info, inks: new Set([...pixels].map((rgb) => `#${rgb.toString(16).padStart(6, '0')}`)) };
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
      // It never draws, and reports that to nobody.
      return { ...step, effects: step.effects.filter((effect) => effect.do !== 'draw') };
    };
    await withText(world, { behaviours: [forgetful] }, async ({ frame }) => {
      await frame.until('has fetched a picture', () => heard.includes('downloaded'));
      const missed = await frame.untilShown(undefined, 500).then(String, ({ message }: Error) => message);
      assert.match(missed, 'shows a picture: not within 0.5 s');
      assert.is(frame.state.glass.shows, 'nothing');
    });
  }));

test('a frame that shows a picture already says so, is not believed to show what it was never sent, and takes what is newer', () =>
  withService(async (world) => {
    const { call, waitUntilSynced } = papergate({ ...world.person, url: world.http });
    let picture: FirstPicture | undefined;
    await withText(world, {}, async ({ frame }) => {
      const { glass } = await frame.untilShown();
      assert.ok(glass.shows === 'picture');
      picture = glass;
    });
    assert.ok(picture !== undefined && 'sha256' in picture);
    const { file, sha256 = '' } = picture;
    const tomorrow = Math.floor(Date.now() / 1000) + 86_400;
    for (const first of [file, { file, sha256, fileVersion: tomorrow }]) {
      const { person, http: url, mqtt: mqttUrl, organizationId: organization } = world;
      const tried = { ...person, url, mqttUrl, organization };
      await withFrame(tried, { speed: 3600, picture: first }, async ({ frame, deviceId, trace }) => {
        const { glass, fileVersion } = frame.state;
        assert.ok(glass.shows === 'picture' && glass.sha256 === sha256);
        assert.ok(
          fileVersion === tomorrow || Math.abs(fileVersion - (Date.now() / 1000 - 3600)) < 60,
          String(fileVersion),
        );
        await frame.until('has said hello', ({ boots, asleep }) => boots > 0 && asleep);
        assert.is(pictureOn(frame.state), sha256, 'nobody takes it from the glass');
        // The very picture that it has: it counts once the frame took it from this service.
        const meta = { text: 'Good morning', orientation: 'landscape' };
        const { id } = await call('POST /papers/', { body: { deviceId, kind: 'text', organization, meta } });
        await waitUntilSynced({ id }, { signal: AbortSignal.timeout(60_000) });
        assert.is(pictureOn(frame.state), sha256);
        assert.ok(frame.state.fileVersion > fileVersion, `${frame.state.fileVersion} after ${fileVersion}`);
        assert.ok(
          trace.some(({ event }) => event === 'fetched' || event === 'downloaded' || event === 'drawing'),
          JSON.stringify(trace),
        );
      });
    }
  }));

test('a picture that cannot be on the glass is refused, and the frame is gone again', () =>
  withService(async (world) => {
    const { person, http: url, mqtt: mqttUrl, organizationId: organization } = world;
    const said = (picture: FirstPicture): Promise<string> =>
      withFrame(
        { ...person, url, mqttUrl, organization },
        { serial: 'epd7-0000000000f1', picture },
        async () => 'it lived',
      ).catch(({ message }: Error) => message);
    assert.match(await said(Uint8Array.of(1, 2, 3)), /^the picture of epd7-0000000000f1 cannot be shown: /);
    const file = packPicture(epd7, 'landscape', new Uint8Array(epd7.width * epd7.height));
    assert.match(await said({ file, sha256: 'f'.repeat(64) }), /has the digest [0-9a-f]{64}, not f{64}$/);
    assert.is(await said({ file, fileVersion: 0 }), 'the picture of epd7-0000000000f1 cannot have the version 0');
    assert.is(await said(file), 'it lived');
    const { call } = papergate({ ...person, url });
    assert.equal(await call('GET /devices/overview', { query: { organization } }), []);
  }));

for (const [dialect, kind] of [
  ['classic', 'epd7'],
  ['trmnl', 'trmnl4'],
] as const) {
  test(`a frame of the dialect ${dialect} is added, shows what it is sent, and is removed over the API`, () =>
    withService(async (world) => {
      const { person, http: url, mqtt, organizationId: organization } = world;
      const { call } = papergate({ ...person, url });
      const service = { ...person, url: `${url}/`, organization, ...(dialect === 'classic' && { mqttUrl: mqtt }) };
      await withFrame(service, { dialect, speed: 3600 }, async ({ frame, deviceId, serial }) => {
        const meta = { text: 'Good morning', orientation: 'landscape' };
        const empty = await inksOf(await frame.glassPng());
        await call('POST /papers/', { body: { deviceId, kind: 'text', organization, meta } });
        // What is on the glass first may be the empty sheet of a frame that shows nothing yet.
        const png = await eventually('a text has letters', async () => {
          const seen = await frame.glassPng();
          return (await inksOf(seen)).inks.size > 1 && seen;
        });
        const { panel } = frame.state;
        const { width, height, inks } = await inksOf(png);
        assert.is(panel.name, kind);
        assert.equal([width, height, empty.inks.size], [panel.width, panel.height, 1]);
        const measured = panel.colours.map((colour) => colour.measured.toLowerCase());
        assert.ok([...inks].every((ink) => measured.includes(ink)));
        // A sheet that says what comes may still be followed by the text.
        await eventually('the glass keeps its picture', async () =>
          Buffer.from(await frame.glassPng()).equals(Buffer.from(await frame.glassPng())),
        );
        const shown = await call('GET /devices/{deviceId}', { path: { deviceId } });
        assert.ok(JSON.stringify(shown).includes(serial));
      });
      assert.equal(await call('GET /devices/overview', { query: { organization } }), []);
    }));
}

test('a frame with a broker says that its address is missing, before anything is added', () =>
  withService(async (world) => {
    const { person, http: url, organizationId: organization } = world;
    const said = await withFrame({ ...person, url, organization }, {}, async () => '').catch(String);
    assert.match(said, /^TypeError: mqttUrl is missing/);
  }));

test.run();
