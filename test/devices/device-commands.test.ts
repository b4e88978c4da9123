import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Role } from '../../api/access/principal.ts';
import { type EventType, recordFrameEvent } from '../../gateway/frames/event-log.ts';
import { type HttpWorld, type Person, withHttp } from '../http/world.ts';

const test = suite('asking devices');
const serial = 'epd7-f00d';
const start = Date.UTC(2127, 0, 1);
const hour = 3_600_000;
const at = (ms: number) => new Date(ms).toISOString();

/** A registered device whose patient is the named person. */
async function hang(world: HttpWorld, patient: Person | null = null, named = serial): Promise<string> {
  await world.frames.provision(named);
  const json = { enable: true, organization: world.admin.organizationId, patient: patient?.userId ?? null };
  const answer = await world.call('POST', `/devices/registerdevice/${named}`, { as: world.admin, json });
  return answer.json.device.id;
}

async function happen(world: HttpWorld, ...events: [at: number, type: EventType, payload?: object][]): Promise<void> {
  for (const [when, type, payload = {}] of events) {
    await recordFrameEvent(world.db, world.random, { serial, type, at: when, payload: { ...payload } });
  }
}

test('A-16: ping says what the frame said, with times as ISO texts and always 200', () =>
  withHttp(async (world) => {
    const { call, admin, frames } = world;
    const id = await hang(world);
    const times = { lastReachableAt: start, expectedWakeAt: start + hour };
    const awake = { success: true, reachable: true, state: 'awake', roundTripMs: 41 } as const;
    frames.pings.set(serial, { ...awake, ...times, data: { rssi: -60 } });
    const answer = await call('GET', `/devices/ping/${id}?dataResponse=True`, { as: admin });
    const texts = { lastReachableAt: at(start), expectedWakeAt: at(start + hour) };
    assert.equal([answer.status, answer.json], [200, { ...awake, ...texts, data: { rssi: -60 } }]);
    frames.pings.set(serial, { success: false, reachable: false, state: 'sleeping', ...times });
    const asleep = await call('GET', `/devices/ping/${id}?dataResponse=false`, { as: admin });
    assert.equal(
      [asleep.status, asleep.json],
      [200, { success: false, reachable: false, state: 'sleeping', ...texts }],
    );
    assert.equal(
      frames.asked.map(({ options }) => options),
      [{ waitForData: true }, { waitForData: false }],
    );
  }));

test('C-10: what a ping and a list of events cannot do without is named in the 400', () =>
  withHttp(async (world) => {
    const id = await hang(world);
    for (const [path, field] of [
      [`/devices/ping/${id}`, 'dataResponse'],
      [`/devices/events/${id}?DateEnd=5`, 'DateStart'],
      [`/iotdevice/events/${id}?DateStart=5`, 'DateEnd'],
      [`/devices/events/${id}?DateStart=yesterday&DateEnd=5`, 'DateStart'],
      [`/devices/events/${id}?DateStart=2127-13-01&DateEnd=5`, 'DateStart'],
      [`/devices/events/${id}?DateStart=2020-02-30&DateEnd=5`, 'DateStart'],
      [`/v1/devices/events/${id}?DateEnd=2023-02-29T10:00Z`, 'DateEnd'],
      [`/devices/events/${id}?DateStart=6&DateEnd=5`, 'DateEnd'],
      [`/devices/events/${id}?DateStart=1&DateEnd=5&TypeFilter=log,gossip`, 'TypeFilter'],
      [`/devices/events/${id}?DateStart=1&DateEnd=5&TypeFilter=toString`, 'TypeFilter'],
    ] as const) {
      const answer = await world.call('GET', path, { as: world.admin });
      assert.is(answer.status, 400, path);
      assert.match(answer.text, field);
    }
    assert.equal(world.frames.asked, []);
  }));

test('C-27: reboot, reset and identify succeed when they are done or kept, and a frame that cannot is still answered with 200', () =>
  withHttp(async (world) => {
    const { call, admin, frames } = world;
    const id = await hang(world);
    const commandId = '0123456789abcdef01234567';
    const table = [
      [{ state: 'answered', expectedAt: null }, true, 'delivered', null],
      [{ state: 'sent', expectedAt: null, message: 'no answer yet' }, true, 'delivered', null],
      [{ state: 'queued', expectedAt: start }, true, 'queued', at(start)],
      [{ state: 'refused', expectedAt: null, message: 'busy' }, false, 'refused', null],
    ] as const;
    for (const [outcome, success, state, expectedAt] of table) {
      frames.outcomes.set(serial, { commandId, ...outcome });
      for (const name of ['reboot', 'reset', 'identify']) {
        const { status, json } = await call('POST', `/devices/${name}/${id}`, { as: admin });
        const { message, ...rest } = json;
        assert.equal([status, rest], [200, { success, state, commandId, expectedAt }]);
        assert.ok(typeof message === 'string' && message !== '');
        assert.equal(frames.asked.at(-1), { serial, options: { name } });
      }
    }
  }));

test('A-17: reset forgets sleep and sensor settings and nothing else; the frame stays registered', () =>
  withHttp(async (world) => {
    const { call, admin, frames } = world;
    const id = await hang(world);
    frames.outcomes.set(serial, { state: 'queued', commandId: 'c1', expectedAt: null });
    const json = {
      meta: { name: 'Hall', orientation: 'portrait', sleepTime: '900' },
      alarmEnable: 1,
      intake: { a: 1 },
    };
    await call('POST', `/devices/${id}`, { as: admin, json });
    await call('POST', `/devices/reset/${id}`, { as: admin });
    const { meta, alarmEnable, intake } = (await call('GET', `/devices/${id}`, { as: admin })).json;
    assert.equal([meta, alarmEnable, intake], [{ name: 'Hall', orientation: 'portrait' }, undefined, { a: 1 }]);
    assert.is(frames.active.get(serial), true);
  }));

test('a device without a frame is answered politely and nobody is asked', () =>
  withHttp(async (world) => {
    const { call, admin, frames } = world;
    const json = { organization: admin.organizationId };
    const { id } = (await call('POST', '/devices/', { as: admin, json })).json;
    const ping = await call('GET', `/devices/ping/${id}?dataResponse=true`, { as: admin });
    assert.equal([ping.status, ping.json.success, ping.json.state], [200, false, 'no-frame']);
    for (const name of ['reboot', 'reset', 'identify']) {
      const answer = await call('POST', `/devices/${name}/${id}`, { as: admin });
      assert.equal([answer.status, answer.json.success, answer.json.state], [200, false, 'no-frame']);
    }
    const events = await call('GET', `/devices/events/${id}?DateStart=0&DateEnd=${start}`, { as: admin });
    assert.equal([events.status, events.json], [200, []]);
    assert.equal(frames.asked, []);
  }));

test('T-15, T-16: who may see a device may ping it and read its events, who may change it may reboot and reset it', () =>
  withHttp(async (world) => {
    const { call, admin, user, patient, onlyself, stranger } = world;
    const own: Record<string, string> = {};
    for (const [index, person] of [patient, onlyself].entries()) {
      own[person.key] = await hang(world, person, `epd7-f00${index}`);
    }
    const others = await hang(world);
    const range = `DateStart=0&DateEnd=${start}`;
    const ask = async (as: Person | undefined, id: string): Promise<number[]> => {
      const calls: [string, string][] = [
        ['GET', `/devices/ping/${id}?dataResponse=false`],
        ['GET', `/devices/events/${id}?${range}`],
        ['GET', `/iotdevice/events/${id}?${range}`],
        ['POST', `/devices/reboot/${id}`],
        ['POST', `/devices/reset/${id}`],
        ['POST', `/devices/identify/${id}`],
      ];
      const statuses: number[] = [];
      for (const [method, path] of calls) {
        statuses.push((await call(method, path, as === undefined ? {} : { as })).status);
      }
      return statuses;
    };
    const roles: readonly [Person | undefined, string, number[]][] = [
      [admin, others, [200, 200, 200, 200, 200, 200]],
      [user, others, [200, 200, 200, 200, 200, 200]],
      [patient, others, [404, 404, 404, 404, 404, 404]],
      [patient, own[patient.key] ?? '', [200, 200, 200, 403, 403, 403]],
      [onlyself, others, [404, 404, 404, 404, 404, 404]],
      [onlyself, own[onlyself.key] ?? '', [200, 200, 200, 403, 403, 403]],
      [stranger, others, [404, 404, 404, 404, 404, 404]],
      [undefined, others, [401, 401, 401, 401, 401, 401]],
    ];
    for (const [as, id, statuses] of roles) assert.equal(await ask(as, id), statuses);
    const everyRole: readonly Role[] = ['admin', 'user', 'patient', 'onlyself'];
    assert.is(roles.length, 2 * everyRole.length, 'a new role needs rows here');
  }));

test('A-18: events come in order from a half-open range, of one type or several, in both shapes', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const id = await hang(world);
    await happen(
      world,
      [start + 3 * hour, 'disconnect'],
      [start + hour, 'hello', { wake: 'timer', rssi: null }],
      [start + 2 * hour, 'log', { level: 'warn', message: 'low' }],
      [start, 'connect'],
    );
    const read = async (query: string, shape = 'devices') => {
      const answer = await call('GET', `/${shape}/events/${id}?${query}`, { as: admin });
      assert.is(answer.status, 200, answer.text);
      return answer.json;
    };
    const types = async (query: string) => (await read(query)).map(({ type }: { type: string }) => type);
    const all = `DateStart=${start}&DateEnd=${start + 4 * hour}`;
    assert.equal(await types(all), ['connect', 'hello', 'log', 'disconnect']);
    assert.equal(await types(`DateStart=${start}&DateEnd=${start + 3 * hour}`), ['connect', 'hello', 'log']);
    assert.equal(await types(`DateStart=${start + 1}&DateEnd=${start + 3 * hour + 1}`), ['hello', 'log', 'disconnect']);
    assert.equal(await types(`DateStart=${start}&DateEnd=${start}`), []);
    for (const [from, to] of [
      ['2127-01-01T01:00:00Z', '2127-01-01T02:00:00.001Z'],
      ['2127-01-01T01:00', '2127-01-01T02:00:01'],
      ['2127-01-01T02:00:00%2B01:00', '2127-01-01T03:30:00%2B0100'],
    ]) {
      assert.equal(await types(`DateStart=${from}&DateEnd=${to}`), ['hello', 'log'], from);
    }
    assert.equal((await types('DateStart=2127-01-01&DateEnd=2127-01-02')).length, 4);
    assert.equal(await types(`${all}&TypeFilter=log`), ['log']);
    assert.equal(await types(`${all}&TypeFilter=log,%20hello`), ['hello', 'log']);
    assert.equal(await types(`${all}&TypeFilter=`), ['connect', 'hello', 'log', 'disconnect']);

    const [event] = await read(`${all}&TypeFilter=hello`);
    const shown = { deviceId: id, type: 'hello', timestamp: at(start + hour), payload: { wake: 'timer', rssi: null } };
    assert.match(event.id, /^[0-9a-f]{24}$/);
    assert.equal(event, { id: event.id, ...shown });
    const [iot] = await read(`${all}&TypeFilter=hello`, 'iotdevice');
    assert.equal(iot, { eventId: event.id, ...shown });
  }));

test('an answer holds 2,000 events at most, the earliest, and asking again from the last one continues', () =>
  withHttp(async (world) => {
    const id = await hang(world);
    const { ownership } = await world.db('frames').where({ serial }).first('ownership');
    const rows = Array.from({ length: 2_100 }, (_, index) => ({
      id: world.random.id(),
      serial,
      type: 'log',
      at: start + index,
      payload: `{"index":${index}}`,
      ownership,
    }));
    await world.db.batchInsert('frame_events', rows, 100);
    const path = (from: number | string) => `/devices/events/${id}?DateStart=${from}&DateEnd=${start + hour}`;
    const first = (await world.call('GET', path(start), { as: world.admin })).json;
    assert.is(first.length, 2_000);
    const rest = (await world.call('GET', path(first.at(-1).timestamp), { as: world.admin })).json;
    assert.equal([rest[0].payload.index, rest.at(-1).payload.index], [1_999, 2_099]);
  }));

test('T-16: a new owner reads nothing of what the frame lived through before', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const before = world.clock.now() - 5;
    await happen(world, [before, 'log', { message: 'of the former owner' }]);
    const id = await hang(world);
    await happen(world, [world.clock.now() + 5, 'log', { message: 'of the new one' }]);
    const { json } = await call('GET', `/devices/events/${id}?DateStart=0&DateEnd=${start * 2}`, { as: admin });
    assert.equal(
      json.map(({ payload }: { payload: { message: string } }) => payload.message),
      ['of the new one'],
    );
  }));

test.run();
