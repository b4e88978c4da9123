/** A frame that wakes again while its download is still being judged: the answer waits for the verdict (docs/protocol.md). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { downloadsBeingJudged } from '../../gateway/pictures/being-judged.ts';
import { resetWaitMs } from '../../gateway/pictures/sent-whole.ts';
import { handClock } from '../integration/integration-world.ts';
import { factoryFlags } from './fielded-frame.ts';
import { type DesiredPicture, nativeLine } from './native-line.ts';
import { type Got, getPicture } from './picture-get.ts';
import { placeFrame } from './placed-frame.ts';
import { pollingDialect } from './polling-dialect.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('a wake after a download');
const serial = 'epd7-b0c1d2e3f405';

/** Fetches, and returns as soon as the gateway has begun to wait for a reset. */
async function fetched(world: GatewayWorld, url: string): Promise<Promise<Got | undefined>[]> {
  const getting = getPicture(url);
  await until(() => world.clock.isArmed(resetWaitMs), 'the download is being judged');
  return [getting];
}

test('a hello with the fetched version and digest confirms it at once, and nothing is offered again', async () => {
  await withGateway(async (world) => {
    const frame = await nativeLine(world, serial, await world.provision(serial));
    await world.activate(serial);
    const upload = await world.offer(serial, 'roses');
    await frame.hello();
    const picture = (await frame.desired()) as DesiredPicture;
    const getting = await fetched(world, picture.url);
    const { fileVersion, sha256 } = picture;
    await frame.hello({ fileVersion, sha256, pictureSynced: true });
    assert.is(await frame.desired(), undefined);
    const known = await world.evidence(upload);
    assert.is(known.fileVersion, fileVersion);
    assert.ok(known.fetchedAt !== null && known.confirmedAt !== null);
    assert.equal(await world.lacks(upload), []);
    await Promise.all(getting);
  });
});

test('a classic wake that names the fetched version confirms it at once, and nothing is offered again', async () => {
  await withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const upload = await world.offer(serial, 'roses');
    const wake = async () => {
      const line = await frame.connect();
      await line.publish(`$aws/things/${serial}/activateepaper`, frame.wakeReport('3'));
      const answer = await line.message();
      line.vanish();
      return answer;
    };
    const { t, url } = await wake();
    await getPicture(`${world.url}${url}`, 'drop body');
    const getting = await fetched(world, `${world.url}${url}`);
    frame.flash.file = Number(t);
    assert.equal(await wake(), { act: 'activated', timeout: 3600, t, ...factoryFlags });
    const known = await world.evidence(upload);
    assert.ok(known.fetchedAt !== null && known.confirmedAt !== null);
    await Promise.all(getting);
  });
});

test('so does a polled frame, whose dialect awaits it', async () => {
  await withGateway(
    async (world) => {
      const { password = '' } = await world.provision(serial, { withPassword: true });
      await world.activate(serial);
      const upload = await world.offer(serial, 'roses');
      const poll = async (version: number) => {
        const headers = { authorization: `Bearer ${password}`, 'x-version': `${version}`, 'x-battery-mv': '4000' };
        const got = await getPicture(`${world.url}/poll/${serial}`, 'whole', { headers });
        return JSON.parse(String(got?.body)) as { picture?: { url: string; version: number } };
      };
      const { picture } = await poll(0);
      const getting = await fetched(world, picture?.url ?? '');
      assert.is((await poll(picture?.version ?? 0)).picture, undefined);
      assert.ok((await world.evidence(upload)).confirmedAt !== null);
      await Promise.all(getting);
    },
    { polledDialects: [pollingDialect] },
  );
});

test('a download that turns out to be reset still counts for nothing: the content is offered again', async () => {
  await withGateway(async (world) => {
    const frame = await nativeLine(world, serial, await world.provision(serial));
    await world.activate(serial);
    const upload = await world.offer(serial, 'roses');
    await frame.hello();
    const { fileVersion, sha256, url } = (await frame.desired()) as DesiredPicture;
    await getPicture(url, 'half');
    await frame.hello({ fileVersion, sha256, pictureSynced: true });
    assert.ok(((await frame.desired())?.fileVersion ?? 0) > fileVersion);
    assert.is((await world.evidence(upload)).fetchedAt, null);
  });
});

test('a record that never comes holds a wake up for a second, and no longer', async () => {
  const clock = handClock();
  const downloads = downloadsBeingJudged(clock);
  downloads.begin('epd7-000000000001', new Promise(() => {}));
  const waited = downloads.recorded('epd7-000000000001');
  assert.ok(waited);
  clock.passes(1_000);
  await waited;
  assert.is(downloads.recorded('epd7-000000000001'), undefined);
});

test.run();
