import { type IncomingMessage, request } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChangesHub, maxStreams, maxStreamsPerAccount } from '../../api/changes/changes-hub.ts';
import { alone } from '../../cluster/alone.ts';
import { type EventStage, recordFrameEvent } from '../../gateway/frames/event-log.ts';
import { changeHands } from '../../gateway/provisioning/own-frame.ts';
import type { Clock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { earliestId } from '../../runtime/random.ts';
import { nodeHub } from '../cluster/node-hub.ts';
import { until } from '../gateway/world.ts';
import { type HttpWorld, type Person, withHttp } from './world.ts';

const test = suite('changes stream');

interface Told {
  readonly event: string;
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: data of every shape
  readonly data: any;
}

interface Reader {
  readonly response: IncomingMessage;
  readonly told: Told[];
  /** The next event that fits; one that came before counts too, once. */
  next(fits: (told: Told) => boolean): Promise<Told>;
  readonly ended: Promise<unknown>;
  leave(): void;
}

const open = (world: HttpWorld, as: Person, lastId?: string): Promise<Reader> =>
  new Promise((resolve, reject) => {
    const headers = { 'x-api-key': as.key, ...(lastId !== undefined && { 'last-event-id': lastId }) };
    const sent = request(`${world.url}/changes/stream`, { headers }, (response) => resolve(readFrom(response)));
    sent.once('error', reject).end();
  });

function readFrom(response: IncomingMessage): Reader {
  const told: Told[] = [];
  const waiting = new Set<() => void>();
  let text = '';
  response.on('data', (part) => {
    text += part;
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      told.push({ event: field('event') ?? ':', id: field('id'), data: JSON.parse(field('data') ?? 'null') });
    }
    for (const look of waiting) look();
  });
  response.on('error', () => {});
  const used = new Set<Told>();
  return {
    response,
    told,
    next: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = told.find((one) => !used.has(one) && fits(one));
          if (found === undefined) return;
          used.add(found);
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    ended: new Promise((resolve) => response.once('close', resolve)),
    leave: () => response.destroy(),
  };
}

const isReady = ({ event }: Told): boolean => event === 'ready';
const isChange = ({ event }: Told): boolean => event === 'change';
const isRecord =
  (what: string) =>
  ({ event, data }: Told): boolean =>
    event === 'record' && data.what === what;

async function hang({ frames, call }: HttpWorld, owner: Person, serial: string): Promise<string> {
  await frames.provision(serial);
  const json = { enable: true, organization: owner.organizationId };
  return (await call('POST', `/devices/registerdevice/${serial}`, { as: owner, json })).json.device.id;
}

const happens = ({ db, random, clock }: HttpWorld, serial: string, stage: EventStage) =>
  recordFrameEvent(db, random, { serial, type: 'picture', at: clock.now(), payload: { stage } });

test('a change reaches an open stream under a second, and proxies are told to pass it on', () =>
  withHttp(async (world) => {
    const { admin, call } = world;
    const id = await hang(world, admin, 'epd7-0000000000aa');
    const reader = await open(world, admin);
    const { headers, statusCode } = reader.response;
    assert.equal(
      [statusCode, headers['content-type'], headers['cache-control'], headers['x-accel-buffering']],
      [200, 'text/event-stream; charset=utf-8', 'no-store', 'no'],
    );
    const ready = await reader.next(isReady);
    assert.equal(ready.data.as, [{ organization: admin.organizationId, role: 'admin' }]);
    const startedAt = performance.now();
    await happens(world, 'epd7-0000000000aa', 'shown');
    const change = await reader.next(isChange);
    assert.ok(performance.now() - startedAt < 1_000, `${performance.now() - startedAt} ms`);
    assert.equal([change.data.deviceId, change.data.type, change.data.payload], [id, 'picture', { stage: 'shown' }]);
    assert.match(change.id ?? '', /^[0-9a-f]{8}$/);

    const json = { deviceId: id, kind: 'image', organization: admin.organizationId };
    const paper = (await call('POST', '/papers/', { as: admin, json })).json.id;
    assert.equal((await reader.next(({ data }) => data?.recordId === paper)).data.record, 'paper');
    await call('POST', `/devices/${id}`, { as: admin, json: { meta: { name: 'Hall' } } });
    await reader.next(({ data }) => data?.recordId === id && data?.what === 'changed');
    await call('DELETE', `/devices/${id}`, { as: admin });
    assert.is((await reader.next(isRecord('removed'))).data.recordId, id);
    reader.leave();
  }));

test('A-6, T-63: each caller gets their own, also when a device changes hands', () =>
  withHttp(async (world) => {
    const { admin, patient, onlyself, stranger, db, clock, random } = world;
    const id = await hang(world, admin, 'epd7-0000000000aa');
    await hang(world, stranger, 'epd7-0000000000bb');
    await db('devices').where({ id }).update({ patient: onlyself.userId });
    const readers = await Promise.all([admin, patient, onlyself, stranger].map((one) => open(world, one)));
    await Promise.all(readers.map((reader) => reader.next(isReady)));
    await happens(world, 'epd7-0000000000aa', 'offered');
    await happens(world, 'epd7-0000000000bb', 'fetched');
    const [ofAdmin, ofPatient, ofSelf, ofStranger] = readers as [Reader, Reader, Reader, Reader];
    assert.is((await ofAdmin.next(isChange)).data.payload.stage, 'offered');
    assert.is((await ofSelf.next(isChange)).data.payload.stage, 'offered');
    assert.is((await ofStranger.next(isChange)).data.payload.stage, 'fetched');
    assert.equal(ofPatient.told.filter(isChange), []);
    await db('devices').where({ id }).update({ organization_id: stranger.organizationId, patient: null });
    await changeHands(db, 'epd7-0000000000aa', { now: clock.now(), random });
    await happens(world, 'epd7-0000000000aa', 'shown');
    assert.is((await ofStranger.next(isChange)).data.payload.stage, 'shown');
    assert.is(ofAdmin.told.filter(isChange).length, 1);
    const again = await open(world, stranger, earliestId(clock.now() - 1_000));
    await again.next(({ data }) => data?.payload?.stage === 'shown');
    const stages = again.told.filter(isChange).map(({ data }) => data.payload.stage);
    assert.equal(stages.sort(), ['fetched', 'shown'], 'what a former owner lived through is not told');
    for (const reader of [...readers, again]) reader.leave();
  }));

const isArea =
  (area: string) =>
  ({ event, data }: Told): boolean =>
    event === 'area' && data.area === area;

test('A-32: anyone who is linked to a frame gets the word to read again at once, and gets its changes from then on; and when it ends', () =>
  withHttp(async (world) => {
    const { admin, patient, onlyself, call } = world;
    const id = await hang(world, admin, 'epd7-0000000000aa');
    const [reader, other] = [await open(world, patient), await open(world, onlyself)];
    await Promise.all([reader.next(isReady), other.next(isReady)]);
    const link = (sees: boolean) =>
      call('POST', `/users/${patient.userId}/links`, { as: admin, json: { devices: [id], sees } });
    const startedAt = performance.now();
    await link(true);
    await reader.next(isReady);
    assert.ok(performance.now() - startedAt < 3_000, `${performance.now() - startedAt} ms`);
    await happens(world, 'epd7-0000000000aa', 'shown');
    assert.is((await reader.next(isChange)).data.payload.stage, 'shown');
    await link(false);
    await reader.next(isReady);
    await happens(world, 'epd7-0000000000aa', 'failed');
    const last = await open(world, admin, earliestId(world.clock.now() - 1_000));
    await last.next(({ data }) => data?.payload?.stage === 'failed');
    await happens(world, 'epd7-0000000000aa', 'fetched');
    await last.next(({ data }) => data?.payload?.stage === 'fetched');
    assert.is(reader.told.filter(isChange).length, 1, 'what comes after is not told');
    assert.equal(
      other.told.filter(({ event }) => event !== 'ready' && event !== ':'),
      [],
      'and nobody else was told anything',
    );
    for (const one of [reader, other, last]) one.leave();
  }));

test("people's deeds are sent as areas to those who may read them: a thousand deeds are a few lines, of nobody else’s", () =>
  withHttp(async (world) => {
    const { admin, user, patient, stranger, call, db, clock, random } = world;
    const readers = await Promise.all([admin, user, patient, stranger].map((one) => open(world, one)));
    await Promise.all(readers.map((reader) => reader.next(isReady)));
    const [ofAdmin, ofUser, ofPatient, ofStranger] = readers as [Reader, Reader, Reader, Reader];
    const { organizationId: organization } = admin;
    const json = { organization, email: 'eva@example.org' };
    const { id } = (await call('POST', '/users', { as: admin, json })).json;
    assert.equal((await ofAdmin.next(isArea('people'))).data.organization, organization);
    await ofAdmin.next(isArea('audit'));
    await ofUser.next(isArea('people'));
    await call('DELETE', `/users/${id}`, { as: admin });
    await ofAdmin.next(isArea('people'));
    const row = await db('audit_entries').first();
    const entries = Array.from({ length: 1_000 }, () => ({ ...row, id: random.id(), at: clock.now() }));
    const before = ofAdmin.told.length;
    for (let at = 0; at < entries.length; at += 50) await db('audit_entries').insert(entries.slice(at, at + 50));
    await db('audit_entries').insert({ ...row, id: random.id(), at: clock.now(), object_kind: 'channel' });
    await ofAdmin.next(isArea('alerts'));
    const told = ofAdmin.told.length - before;
    assert.ok(told < 60, `${told} lines for a thousand entries`);
    assert.equal(
      ofUser.told.filter(({ data }) => ['audit', 'alerts'].includes(data?.area)),
      [],
    );
    assert.equal(
      [...ofPatient.told, ...ofStranger.told].filter(({ event }) => event === 'area'),
      [],
    );
    for (const reader of readers) reader.leave();
  }));

test('a reader who comes back with the last id misses nothing, and after ten minutes is told to read all again', () =>
  withHttp(async (world) => {
    const { admin, passes, clock } = world;
    await hang(world, admin, 'epd7-0000000000aa');
    const first = await open(world, admin);
    const { id } = await first.next(isReady);
    first.leave();
    passes(60_000);
    await happens(world, 'epd7-0000000000aa', 'failed');
    passes(60_000);
    const second = await open(world, admin, id);
    assert.is((await second.next(isChange)).data.payload.stage, 'failed');
    second.leave();
    for (const lastId of ['x', '00000001', earliestId(clock.now() - 20 * 60_000)]) {
      const reader = await open(world, admin, lastId);
      await reader.next(({ event }) => event === 'lost');
      assert.equal(reader.told.filter(isChange), []);
      reader.leave();
    }
  }));

test('a key that is revoked and a role that is taken end or narrow an open stream', () =>
  withHttp(async (world) => {
    const { admin, user, db } = world;
    const reader = await open(world, user);
    await reader.next(isReady);
    await db('users').where({ id: user.userId }).update({ role: 'onlyself' });
    const narrowed = await reader.next(isReady);
    assert.equal(narrowed.data.as, [{ organization: admin.organizationId, role: 'onlyself' }]);
    await db('api_keys').where({ user_id: user.userId }).delete();
    await reader.ended;
    assert.ok(reader.response.complete, 'it ends well');
  }));

test('an account has four streams, and a place is free as soon as its reader has left', () =>
  withHttp(async (world) => {
    const { admin, user, call, changes } = world;
    const readers: Reader[] = [];
    for (let count = 0; count < maxStreamsPerAccount; count++) readers.push(await open(world, admin));
    const refused = await call('GET', '/changes/stream', { as: admin });
    assert.equal([refused.status, refused.json.code, refused.headers['retry-after']], [429, 'rate-limited', '5']);
    assert.match(refused.text, /4 streams open/);
    assert.is((await call('GET', '/changes/stream', { as: user })).status, 200);
    readers[0]?.leave();
    while (changes.open() > maxStreamsPerAccount - 1) await new Promise((resolve) => setImmediate(resolve));
    const again = await open(world, admin);
    assert.is(again.response.statusCode, 200);
    for (const reader of [...readers, again]) reader.leave();
  }));

test('a service that stops ends every stream at once', () =>
  withHttp(async (world) => {
    const { admin, call, changes } = world;
    const reader = await open(world, admin);
    await reader.next(isReady);
    const startedAt = performance.now();
    await changes.stop();
    await reader.ended;
    assert.ok(performance.now() - startedAt < 1_000);
    assert.ok(reader.response.complete);
    assert.is((await call('GET', '/changes/stream', { as: admin })).status, 503);
  }));

/** A direct reader of a hub: what it receives, as it comes. */
async function readerOf(hub: ChangesHub, principal: Parameters<ChangesHub['subscribe']>[0]['principal']) {
  const stream = await hub.subscribe({ principal, askAgain: async () => principal });
  let text = '';
  stream.on('data', (part) => {
    text += part;
  });
  const told = (): string[] => [...text.matchAll(/^event: (.*)$/gm)].map(([, event]) => String(event));
  return { told, text: () => text };
}

test('a record that is removed at one node reaches readers at another, and after a break they are told to read again', () =>
  withHttp(async ({ admin, db, clock }) => {
    const nodes = nodeHub({ byHand: true });
    const hubOf = (node: string) =>
      new ChangesHub({ db, clock, logger: silentLogger, cluster: { channel: () => nodes.channel(node) } });
    const [here, there] = [hubOf('here'), hubOf('there')];
    const membership = {
      userId: admin.userId,
      organizationId: admin.organizationId,
      role: 'admin',
      name: 'Ada',
    } as const;
    const reader = await readerOf(there, { accountId: admin.accountId, memberships: [membership] });
    here.left('paper', 'a-paper', { organizationId: admin.organizationId, viewers: [] });
    here.left('device', 'of-others', { organizationId: 'another', viewers: [] });
    nodes.deliverAll();
    await until(() => reader.text().includes('"a-paper"'), 'the removal is told');
    assert.not.ok(reader.text().includes('of-others'));
    assert.not.ok(reader.told().includes('lost'));
    nodes.reconnect('there');
    await until(() => reader.told().includes('lost'), 'the reader is to read anew');
    const count = reader.told().filter((event) => event === 'lost').length;
    const patients = Array.from({ length: 400 }, (_, at) => `patient-${at}-of-the-house`);
    here.left('device', 'of-many', { organizationId: admin.organizationId, viewers: patients });
    nodes.deliverAll();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.is(reader.told().filter((event) => event === 'lost').length, count + 1, 'it fits into no text');
    await Promise.all([here.stop(), there.stop()]);
  }));

/** A clock that stands still until it is moved, with a hub over the tables of a world. */
function standing({ db, clock }: HttpWorld) {
  let now = clock.now();
  let waiting: (() => void) | undefined;
  let asked = 0;
  db.on('query', () => asked++);
  const still: Clock = {
    now: () => now,
    after(_ms, run) {
      waiting = run;
      return { cancel: () => (waiting = undefined) };
    },
  };
  const hub = new ChangesHub({ db, clock: still, logger: silentLogger, cluster: alone });
  return {
    hub,
    still,
    isWaiting: () => waiting !== undefined,
    /** Lets time pass, and waits until the look that was due has ended. */
    async passes(ms: number): Promise<void> {
      now += ms;
      const run = waiting;
      waiting = undefined;
      run?.();
      while (run !== undefined && waiting === undefined && hub.open() > 0) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

test('ten thousand frames that wake at once are reported in a few words, and nothing is read while nobody listens', () =>
  withHttp(async (world) => {
    const { admin, db, random } = world;
    const { hub, still, passes, isWaiting } = standing(world);
    const count = 10_000;
    const rows = (make: (serial: string, number: number) => object) =>
      Array.from({ length: count }, (_, number) => make(`epd7-${number}`, number)) as never;
    const times = { created_at: 1, updated_at: 1 };
    const frame = {
      kind: 'epd7',
      reported_version: 0,
      announced_version: 0,
      sleep_seconds: 60,
      activation: 'activated',
    };
    const device = { organization_id: admin.organizationId, kind: 'epd7', meta: '{}', details: '{}', assignment: 1 };
    const insert = (table: string, made: never) => db.transaction((trx) => trx.batchInsert(table, made, 400));
    await insert(
      'frames',
      rows((serial) => ({ serial, spelling: serial, ...frame, ...times })),
    );
    await insert(
      'devices',
      rows((serial, n) => ({ id: String(n).padStart(24, '0'), serial, name: serial, ...device, ...times })),
    );
    assert.not.ok(isWaiting(), 'nobody listens');
    const principal = {
      accountId: admin.accountId,
      memberships: [
        { userId: admin.userId, organizationId: admin.organizationId, role: 'admin' as const, name: 'Ada' },
      ],
    };
    const stream = await hub.subscribe({ principal, askAgain: async () => principal });
    stream.setEncoding('utf8');
    let text = '';
    stream.on('data', (part) => {
      text += part;
    });
    const at = still.now();
    await insert(
      'frame_events',
      rows((serial) => ({ id: random.id(), serial, type: 'hello', at, payload: '{}', ownership: 1 })),
    );
    for (let look = 0; look < 20; look++) await passes(300);
    const told = [...text.matchAll(/^event: many\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
    assert.is(
      told.reduce((sum, { count }) => sum + count, 0),
      count,
    );
    assert.ok(told.length <= 6, `${told.length} words`);
    assert.not.match(text, /^event: change$/m);
    stream.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    await passes(300);
    assert.not.ok(isWaiting(), 'nobody listens any more');
    await hub.stop();
  }));

test('a service has a hundred streams', () =>
  withHttp(async (world) => {
    const { hub } = standing(world);
    const open = (accountId: string) =>
      hub.subscribe({
        principal: { accountId, memberships: [] },
        askAgain: async () => ({ accountId, memberships: [] }),
      });
    for (let count = 0; count < maxStreams; count++) await open(`account ${count}`);
    await open('one too many').then(
      () => assert.unreachable(),
      (error) => assert.equal([error.code, error.retryAfterSeconds], ['unavailable', 5]),
    );
    await hub.stop();
  }));

test('a stream whose reader closed the tab is not a warning: nobody can act on it', () =>
  withHttp(async (world) => {
    const unsent = () => world.log.filter(({ message }) => message === 'an answer could not be sent');
    for (let tab = 1; tab <= 3; tab++) {
      const reader = await open(world, world.admin);
      reader.leave();
      await until(() => unsent().length === tab, 'the closed stream was noticed');
    }
    assert.equal(
      unsent().map(({ level }) => level),
      ['debug', 'debug', 'debug'],
    );
  }));

test.run();
