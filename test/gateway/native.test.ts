import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { panelTrouble } from '../../gateway/frames/named-panel.ts';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { transact } from '../../runtime/database/database.ts';
import { systemRandom } from '../../runtime/random.ts';
import { type DesiredPicture, type NativeLine, nativeLine } from './native-line.ts';
import { epd7Bytes, type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('native dialect');
const serial = 'epd7-b0c1d2e3f405';

/** A registered native frame that is awake. */
async function awake(world: GatewayWorld): Promise<NativeLine> {
  const credential = await world.provision(serial);
  await world.activate(serial);
  return nativeLine(world, serial, credential);
}

function present(picture: DesiredPicture | undefined): DesiredPicture {
  if (picture === undefined) throw new Error('no picture was desired');
  return picture;
}

test('hello is answered with desired, and a fetched picture reported with its digest is proven', async () => {
  await withGateway(async (world) => {
    const frame = await awake(world);
    const upload = await world.offer(serial, 'roses');
    assert.is(await frame.hello(), true);
    const said = await frame.line.message();
    const picture = present(said.picture as DesiredPicture);
    assert.equal(said.settings, { sleepSeconds: 3600 });
    assert.is(Math.abs(Number(said.time) - world.clock.now() / 1000) < 2, true);
    const { fileVersion } = await world.evidence(upload);
    const url = world.url + (await world.path(upload));
    const { sha256 } = picture;
    assert.equal(picture, { upload, fileVersion, url, bytes: epd7Bytes, sha256, format: 'nibble' });
    assert.is(await frame.fetch(picture), sha256);
    assert.equal(await world.lacks(upload), ['shown', 'in step', 'version', 'digest']);
    await frame.report(picture, { stage: 'fetched', pictureSynced: false });
    assert.is(await frame.report(picture), true);
    assert.equal(await world.lacks(upload), []);
    assert.is((await world.evidence(upload)).grade, 'named');
    assert.is((await world.evidence(upload)).digestMatches, true);
  });
});

test('a frame that names another panel than its kind has leaves one alert, and another when that changes (A-14)', async () => {
  await withGateway(async (world) => {
    const frame = await awake(world);
    const alerts = async () => (await world.events(serial, 'alert')).map(({ payload }) => payload.problem);
    for (const panel of ['epd7', 'openpaper13', 'openpaper13', 'epd7', '', 'epd7']) await frame.hello({ panel });
    assert.equal(await alerts(), ['reports panel openpaper13, but is registered as epd7']);
    await provisionFrame({ ...world, random: systemRandom(world.clock) }, { serial, kind: 'bwr7' });
    for (const panel of ['epd7', 'epd7', 'bwr7']) await frame.hello({ panel });
    assert.equal((await alerts()).slice(1), ['reports panel epd7, but is registered as bwr7']);
  });
});

test('a kind without a panel is contradicted by no name, and a panel has one name or more', () => {
  assert.is(panelTrouble('epaper', 'bwr7'), undefined);
  assert.is(panelTrouble(null, 'bwr7'), undefined);
  assert.is(panelTrouble('openpaper13', 'epd13'), undefined);
  assert.is(panelTrouble('epd13', 'openpaper13'), undefined);
  assert.is(panelTrouble('epd7', null), undefined);
  assert.equal(panelTrouble('epd7', 'mine'), reasonOf('names-other-panel', { panel: 'mine', kind: 'epd7' }));
});

test('a picture offered while the frame is awake is pushed at once; after bye it waits for the next hello', async () => {
  await withGateway(async (world) => {
    const frame = await awake(world);
    await world.offer(serial, 'before hello');
    await frame.hello();
    const first = present(await frame.desired());
    const second = await world.offer(serial, 'second');
    const pushed = present(await frame.desired());
    assert.is(pushed.upload, second);
    assert.ok(pushed.fileVersion > first.fileVersion);
    await frame.say('bye', { sleepSeconds: 600 });
    const third = await world.offer(serial, 'third');
    await frame.line.ping();
    assert.is(frame.line.received.filter(({ cmd }) => cmd === 'publish').length, 2);
    await frame.hello();
    assert.is((await frame.desired())?.upload, third);
    const facts = await world.gateway.facts(serial);
    assert.is(facts?.panel, 'epd7');
  });
});

test('a frame that nobody registered gets no picture, and is never told to wipe itself', async () => {
  await withGateway(async (world) => {
    const credential = await world.provision(serial);
    const frame = await nativeLine(world, serial, credential);
    await world.offer(serial, 'roses');
    await frame.hello();
    assert.is(await frame.desired(), undefined);
  });
});

test('a shown report with another digest is a failure, not evidence', async () => {
  await withGateway(async (world) => {
    const frame = await awake(world);
    const upload = await world.offer(serial, 'roses');
    await frame.hello();
    const picture = present(await frame.desired());
    await frame.fetch(picture);
    await frame.report(picture, { sha256: 'f'.repeat(64) });
    assert.ok((await world.lacks(upload)).includes('shown'));
    assert.equal((await world.evidence(upload)).reasons, ['shows other bytes than were sent']);
    await frame.hello({ fileVersion: picture.fileVersion, sha256: 'f'.repeat(64), pictureSynced: true });
    const again = present(await frame.desired());
    assert.ok(again.fileVersion > picture.fileVersion, 'it is offered anew');
    await frame.fetch(again);
    await frame.report(again);
    assert.equal(await world.lacks(upload), []);
  });
});

test('shown without a download is recorded and proves nothing (T-49)', async () => {
  await withGateway(async (world) => {
    const frame = await awake(world);
    const upload = await world.offer(serial, 'roses');
    await frame.hello();
    await frame.report(present(await frame.desired()));
    assert.equal(await world.lacks(upload), ['fetched', 'shown']);
  });
});

test('reports of another upload, another version or another frame’s upload prove nothing (T-48)', async () => {
  await withGateway(async (world) => {
    const frame = await awake(world);
    const upload = await world.offer(serial, 'roses');
    await world.provision('epd7-000000000001');
    const foreign = await world.offer('epd7-000000000001', 'theirs');
    await frame.hello();
    const picture = present(await frame.desired());
    await frame.fetch(picture);
    await frame.report({ ...picture, upload: 'ffffffffffffffffffffffff' });
    await frame.report({ ...picture, upload: foreign });
    await frame.report({ ...picture, fileVersion: picture.fileVersion - 1 });
    await frame.report({ ...picture, fileVersion: picture.fileVersion + 1 });
    assert.equal(await world.lacks(upload), ['shown', 'in step', 'version', 'digest']);
    assert.is((await world.evidence(foreign)).shownAt, null);
    const stages = (await world.events(serial, 'picture')).map(({ payload }) => payload.stage);
    assert.is(stages.filter((stage) => stage === 'stale shown').length, 4);
  });
});

test('what a frame said before a newer picture changes nothing when it comes again (T-48, INV-40)', async () => {
  await withGateway(async (world) => {
    const frame = await awake(world);
    const first = await world.offer(serial, 'first');
    await frame.hello();
    const old = present(await frame.desired());
    await frame.fetch(old);
    await frame.report(old);
    assert.equal(await world.lacks(first), []);
    const second = await world.offer(serial, 'second');
    const newer = present(await frame.desired());
    await frame.report(old);
    assert.ok((await world.lacks(second)).includes('shown'));
    await frame.fetch(newer);
    await frame.report(newer);
    assert.equal(await world.lacks(second), []);
    await frame.report(old);
    await frame.report(old, { stage: 'failed', reason: 'torn' });
    await frame.report(newer, { stage: 'failed', reason: 'torn' });
    await frame.report(old, { stage: 'fetched' });
    assert.equal(await world.lacks(second), []);
    assert.is((await world.gateway.facts(serial))?.status, 'online');
  });
});

test('a failed report keeps its reason, and the next hello gets the same upload again', async () => {
  await withGateway(async (world) => {
    const frame = await awake(world);
    const upload = await world.offer(serial, 'roses');
    await frame.hello();
    const picture = present(await frame.desired());
    await frame.report(picture, { stage: 'failed', reason: 'no memory', pictureSynced: false });
    assert.equal((await world.evidence(upload)).reasons, ['no memory']);
    assert.is((await world.gateway.facts(serial))?.status, 'error');
    await frame.hello();
    assert.is((await frame.desired())?.upload, upload);
  });
});

test('unknown fields are ignored, and an invalid message leaves a log event and no crash', async () => {
  await withGateway(async (world) => {
    const frame = await awake(world);
    assert.is(await frame.hello({ mood: 'sunny', __proto__: { polluted: true } }), true);
    await frame.desired();
    const bad: readonly [string, string | Uint8Array][] = [
      ['hello', ''],
      ['hello', '{'],
      ['hello', 'null'],
      ['hello', '[]'],
      ['hello', '{"boot":"1"}'],
      ['report', '{"upload":5}'],
      ['report', Uint8Array.from([0xff, 0xfe])],
      ['bye', '{"sleepSeconds":-1}'],
      ['log', JSON.stringify({ level: 'info', message: 'x'.repeat(2000) })],
      ['reply', '"yes"'],
    ];
    for (const [name, payload] of bad) {
      assert.is(await frame.line.publish(`frames/1/${serial}/${name}`, payload, { qos: 1 }), true, name);
    }
    const logs = await world.events(serial, 'log');
    assert.is(logs.length, bad.length);
    assert.ok(logs.every(({ payload }) => String(payload.message).startsWith('unreadable ')));
    await until(async () => (await world.gateway.facts(serial))?.connected, 'it is still connected');
  });
});

test('A-14: a frame of no known panel names its own, and one whose kind is known stays what it is', async () => {
  await withGateway(async (world) => {
    const kinds = async (name: string, panels: readonly string[]) => {
      const frame = await nativeLine(world, name, await world.provision(name));
      const seen: string[] = [];
      for (const panel of panels) {
        await frame.hello({ panel });
        await frame.desired();
        seen.push(String((await world.gateway.facts(name))?.kind));
      }
      return seen;
    };
    assert.equal(await kinds('epd-00000000001', ['toaster', 'bwr7', 'epd7']), ['epaper', 'bwr7', 'bwr7']);
    assert.equal(await kinds(serial, ['bwr7']), ['epd7']);
    assert.equal(world.named, [{ serial: 'epd-00000000001', before: 'epaper', kind: 'bwr7' }]);
  });
});

test('a file is named as it is packed; one that was offered before that was kept, by the kind of its frame', async () => {
  await withGateway(async (world) => {
    const frame = await nativeLine(world, serial, await world.provision(serial));
    await world.activate(serial);
    const format = async () => {
      await frame.hello();
      return present(await frame.desired()).format;
    };
    const file = { serial, sha256: await world.gateway.storePicture(Buffer.from('planes')), bytes: 6 };
    await transact(world.db, (trx) =>
      world.gateway.offerPicture(trx, { ...file, revision: 'red', format: 'planes', panel: 'epd7' }),
    );
    assert.is(await format(), 'planes');
    await world.db('uploads').update({ format: null });
    assert.is(await format(), 'nibble');
  });
});

test.run();
