/** Two sessions of one frame at nodes that do not hear from each other: reports in the earlier one prove nothing. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodesInOneProcess } from '../../cluster/in-one-process.ts';
import type { Nodes } from '../../cluster/session-registry.ts';
import type { Conversation } from '../../gateway/dialects/dialect.ts';
import { isSuperseded } from '../../gateway/dialects/session-epoch.ts';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { type MqttLine, openLine } from './mqtt-line.ts';
import { nativeLine } from './native-line.ts';
import { getPicture } from './picture-get.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('session epochs');
const serial = 'epd7-b0c1d2e3f405';

/** Every node is alone, as far as it hears. */
const split: Nodes = { join: (receive) => nodesInOneProcess().join(receive) };

function withSplitNodes(run: (first: GatewayWorld, second: GatewayWorld) => Promise<void>): Promise<void> {
  return withGateway(async (first) => run(first, await first.anotherNode()), { nodes: split });
}

const stages = async (world: GatewayWorld, type: string): Promise<unknown[]> =>
  (await world.events(serial, type)).map(({ payload }) => payload.stage);

const asleepUntil = async (world: GatewayWorld): Promise<number> =>
  (await world.db('frames').where({ serial }).first('asleep_until')).asleep_until;

/** A native frame that woke at the first node, and fetched; then it woke at the second one. */
async function twoNativeSessions(first: GatewayWorld, second: GatewayWorld) {
  const credential = await first.provision(serial);
  await first.activate(serial);
  const upload = await first.offer(serial, 'roses');
  const old = await nativeLine(first, serial, credential);
  await old.hello();
  const picture = await old.desired();
  if (picture === undefined) throw new Error('no picture was announced');
  await old.fetch(picture);
  const present = await nativeLine(second, serial, credential);
  await present.hello();
  await present.desired();
  return { upload, picture, old, present };
}

test('a report of a session that the frame has left is kept as an event and proves nothing; the present one does', () =>
  withSplitNodes(async (first, second) => {
    const { upload, picture, old, present } = await twoNativeSessions(first, second);
    assert.ok(await old.report(picture));
    assert.equal(await first.lacks(upload), ['shown', 'in step', 'version', 'digest']);
    assert.is((await stages(first, 'picture')).at(-1), 'superseded shown');
    assert.ok(await present.report(picture));
    assert.equal(await first.lacks(upload), []);
  }));

test('a hello of such a session wakes nothing: it is not answered, and what is known of the frame stays', () =>
  withSplitNodes(async (first, second) => {
    const { upload, picture, old, present } = await twoNativeSessions(first, second);
    await present.report(picture);
    const known = () => first.db('frames').where({ serial }).first('reported_version', 'boot', 'session_epoch');
    const before = await known();
    assert.ok(await old.hello({ boot: 3 }));
    assert.equal(await known(), before);
    assert.equal(await first.lacks(upload), []);
    assert.is((await first.events(serial, 'hello')).at(-1)?.payload.superseded, true);
    assert.equal(await first.events(serial, 'alert'), [], 'nobody is suspected of being a copy');
  }));

test('nothing is announced to such a session, and nothing counts as announced', () =>
  withSplitNodes(async (first, second) => {
    const { old } = await twoNativeSessions(first, second);
    await first.offer(serial, 'tulips');
    await old.line.ping();
    assert.is((await first.db('uploads').where({ serial, replaced_at: null }).first('cycle')).cycle, 0);
  }));

test('a bye of such a session moves no expected wake', () =>
  withSplitNodes(async (first, second) => {
    const { old, present } = await twoNativeSessions(first, second);
    const before = await asleepUntil(first);
    assert.ok(await old.say('bye', { sleepSeconds: 60 }));
    assert.is(await asleepUntil(first), before);
    assert.ok(await present.say('bye', { sleepSeconds: 60 }));
    assert.ok((await asleepUntil(first)) < before);
  }));

/** A session that begins within a wake goes on with it: classic frames report after they have connected again. */
const conversation = (more: Partial<Conversation>): Conversation => ({
  serial,
  clientId: serial,
  session: 1,
  address: undefined,
  lastSeenAt: 0,
  awake: false,
  suspect: false,
  epoch: 4,
  answer: undefined,
  logs: 0,
  ...more,
});

test('a session without a wake of its own goes on with the present one, until the next', () => {
  const later = conversation({});
  assert.is(isSuperseded(later, { session_epoch: 4 }), false);
  assert.is(isSuperseded(later, { session_epoch: 5 }), true);
  assert.is(isSuperseded(conversation({ isOver: true }), { session_epoch: 4 }), true, 'it was ended from elsewhere');
});

/** A classic frame's line at a node, spoken by hand. */
async function classicLine(world: GatewayWorld, credential: Awaited<ReturnType<GatewayWorld['provision']>>) {
  const line: MqttLine = await openLine({ port: world.ports.tls, root: credential.root, credential });
  assert.is(await line.login({ clientId: serial, keepalive: 10 }), 0);
  await line.subscribe(`$aws/things/${serial}/epaper/receive`);
  const say = (topic: string, payload: string) => line.publish(`$aws/things/${serial}/${topic}`, payload);
  return {
    async wakes(): Promise<Record<string, unknown>> {
      await say(
        'activateepaper',
        '{"act": 1,"v": "3.0.21","file": "0","bat": "4870","wake": "3","wifi": "1, -61","usb": "0","orient": "2","timeout": "3600","timeoutPredict": "3600"}',
      );
      return line.message();
    },
    async claims(): Promise<void> {
      await say('epaper/updatestate', '{"state": "update_ok"}');
      await line.ping();
    },
  };
}

/** Takes a whole picture, and ends its connection when something else has happened. */
async function downloadsWhile(url: string, happens: () => Promise<unknown>): Promise<void> {
  let letGo = (): void => {};
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let downloaded: Promise<unknown> = Promise.resolve();
  await new Promise<void>((served) => {
    downloaded = getPicture(url, 'whole, later', { letGo: released, served });
  });
  await happens();
  letGo();
  await downloaded;
}

const claimed = async (world: GatewayWorld, count: number): Promise<void> => {
  const claims = async () =>
    [...(await world.events(serial, 'picture')), ...(await world.events(serial, 'state'))].filter(
      ({ payload }) => payload.stage === 'shown' || payload.superseded === true,
    );
  await until(async () => (await claims()).length === count, 'the claim is recorded');
};

test('W-13: a download of one wake that is recorded after the next one, at another node, proves nothing', () =>
  withSplitNodes(async (first, second) => {
    const credential = await first.provision(serial);
    await first.activate(serial);
    const upload = await first.offer(serial, 'roses');
    const old = await classicLine(first, credential);
    const { url } = await old.wakes();
    const present = await classicLine(second, credential);
    await getPicture(`${first.url}${url}`, 'drop body');
    await downloadsWhile(`${first.url}${url}`, () => present.wakes());
    await first.downloadsSettled();
    await present.claims();
    await claimed(first, 1);
    assert.equal(await first.lacks(upload), ['fetched', 'shown', 'in step']);
    assert.is((await first.evidence(upload)).fetchedAt, null);
  }));

test('a session of an earlier wake that has said nothing yet is over as well', () =>
  withSplitNodes(async (first, second) => {
    const credential = await first.provision(serial);
    await first.activate(serial);
    const upload = await first.offer(serial, 'roses');
    const woken = await classicLine(first, credential);
    await woken.wakes();
    const again = await classicLine(first, credential);
    const present = await classicLine(second, credential);
    await present.wakes();
    await again.claims();
    await claimed(first, 1);
    assert.is((await first.evidence(upload)).shownAt, null);
    await present.claims();
    await claimed(first, 2);
    assert.ok((await first.evidence(upload)).shownAt !== null);
  }));

test('the evidence of an upload stands in its order, though clocks of nodes differ by milliseconds', () =>
  withSplitNodes(async (first) => {
    await first.provision(serial);
    await first.activate(serial);
    const id = await first.offer(serial, 'roses');
    const log = uploadLog(first.db);
    const { offered_at: offeredAt, file_version: version } = await first.db('uploads').where({ id }).first();
    await log.announced(id, offeredAt - 11, false);
    await log.fetched(id, version, offeredAt - 12);
    await log.shown(id, version, offeredAt - 13, 'reported');
    await log.confirmed(id, version, offeredAt - 14, 'reported');
    const times = () =>
      first.db('uploads').where({ id }).first('announced_at', 'fetched_at', 'shown_at', 'confirmed_at');
    assert.equal(Object.values(await times()), [offeredAt, offeredAt, offeredAt, offeredAt]);
    await log.shown(id, version, offeredAt + 5, 'reported');
    await log.confirmed(id, version, offeredAt + 6, 'reported');
    assert.equal(Object.values(await times()), [offeredAt, offeredAt, offeredAt, offeredAt], 'the first report stays');
  }));

test('W-11: a claim of a session that a classic frame has left does not count', () =>
  withSplitNodes(async (first, second) => {
    const credential = await first.provision(serial);
    await first.activate(serial);
    const upload = await first.offer(serial, 'roses');
    const old = await classicLine(first, credential);
    await old.wakes();
    const present = await classicLine(second, credential);
    const { url } = await present.wakes();
    await getPicture(`${first.url}${url}`, 'drop body');
    await getPicture(`${first.url}${url}`, 'whole');
    await first.downloadsSettled();
    await old.claims();
    await claimed(first, 1);
    assert.equal([(await first.evidence(upload)).shownAt, (await first.evidence(upload)).pictureSynced], [null, false]);
    await present.claims();
    await claimed(first, 2);
    assert.equal(await first.lacks(upload), []);
  }));

test.run();
