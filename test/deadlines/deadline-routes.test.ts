import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isoTime } from '../../runtime/clock.ts';
import { furnish } from '../http/matrix.ts';
import { picture, withHttp } from '../http/world.ts';
import { home } from './deadline-home.ts';

const test = suite('deadlines/deadline-routes');
const hourMs = 3_600_000;

test('a deadline is made, read, changed and withdrawn with every field it has', () =>
  withHttp(async (world) => {
    const { call, admin, clock, db } = world;
    const { ids, paper } = await home(world);
    const steps = [
      { when: { state: 'unavoidable' }, to: { channel: ids.channel }, urgent: true },
      { when: { minutesLater: 10 }, to: { person: ids.user }, urgent: false },
      { when: { minutesBefore: 5 }, to: { device: ids.device }, urgent: false },
      { when: { minutesAfter: 5 }, to: { channels: 'all' }, urgent: false },
    ];
    const given = {
      name: 'Menu',
      devices: [ids.device],
      places: null,
      rule: { weekdays: [5, 1, 1], time: '07:00' },
      timeZone: 'Europe/Berlin',
      freshMinutes: 600,
      grade: 'named',
      steps,
      language: 'de',
    };
    const made = await call('POST', '/deadlines/', {
      as: admin,
      json: { organization: ids.organization, paper, ...given },
    });
    assert.is(made.status, 201, made.text);
    const { id, due, nextBy, createdAt, updatedAt, author, ...shown } = made.json;
    assert.equal(shown, {
      ...given,
      organization: ids.organization,
      paper,
      timedPicture: null,
      entry: null,
      onePicture: false,
      by: null,
      rule: { weekdays: [1, 5], time: '07:00' },
      withdrawnAt: null,
    });
    assert.ok(Date.parse(nextBy) > clock.now() && Array.isArray(due) && createdAt === updatedAt && author !== '');
    const by = isoTime(clock.now() + hourMs);
    const changed = await call('PATCH', `/deadlines/${id}`, {
      as: admin,
      json: { by, grade: 'processed', freshMinutes: null },
    });
    assert.is(changed.status, 200, changed.text);
    assert.equal([changed.json.by, changed.json.rule, changed.json.name], [by, null, 'Menu']);
    assert.is(changed.json.due.length, 1);
    assert.is(changed.json.due[0].device, ids.device);
    const listed = await call('GET', `/deadlines/?organization=${ids.organization}&paper=${paper}`, { as: admin });
    assert.equal(
      listed.json.deadlines.map((one: { id: string }) => one.id),
      [id],
    );
    assert.is((await call('DELETE', `/deadlines/${id}`, { as: admin })).status, 204);
    assert.equal((await call('GET', `/deadlines/?organization=${ids.organization}`, { as: admin })).json.deadlines, []);
    assert.is((await call('PATCH', `/deadlines/${id}`, { as: admin, json: { name: 'x' } })).json.hint, 'set a new one');
    assert.equal(await db('deadline_occurrences').whereNotNull('due_at'), []);
    const actions = await db('audit_entries').where('action', 'like', 'deadline.%').orderBy('at').pluck('action');
    assert.equal(actions.slice(-3), ['deadline.made', 'deadline.changed', 'deadline.withdrawn']);
  }));

test('one that no frame can meet is taken, and its answer says so at once, with the way out (DL-12, DL-23)', () =>
  withHttp(async (world) => {
    const { call, admin, clock, db } = world;
    const { ids, paper } = await home(world);
    const [by, until] = [clock.now() + hourMs, clock.now() + 2 * hourMs];
    await db('devices').where({ id: ids.device }).update({ serial: ids.serial });
    await db('frames').where({ serial: ids.serial }).update({
      activation: 'activated',
      dialect: 'native',
      last_contact_at: clock.now(),
      asleep_until: until,
    });
    const json = { organization: ids.organization, paper, by: isoTime(by) };
    const { status, json: made } = await call('POST', '/deadlines/', { as: admin, json });
    assert.is(status, 201);
    const [due] = made.due;
    assert.is(due.state, 'unavoidable');
    assert.is(due.causes[0].code, 'deadline-asleep');
    assert.is(due.causes[0].parameters.time, isoTime(until));
    assert.equal(due.waysOut, ['press-button', 'other-frame']);
    assert.is(due.willMissAt, due.since);
    assert.equal(
      due.events.map((event: { kind: string }) => event.kind),
      ['deadline.will-miss'],
    );
    const [told] = due.told;
    assert.equal([told.kind, told.id, told.sentAt], ['channel', ids.channel, null]);
    const seen = await call('GET', `/deadlines/due?organization=${ids.organization}&device=${ids.device}`, {
      as: admin,
    });
    assert.equal(seen.json.due, [due]);
    const taken = await call('POST', `/deadlines/${made.id}/acknowledge`, { as: admin, json: { device: ids.device } });
    assert.is(taken.status, 200, taken.text);
    const { acknowledgedAt: at, acknowledgedUntil: rests } = taken.json.due[0];
    assert.is(Date.parse(rests) - Date.parse(at), 15 * 60_000);
    assert.ok(taken.json.due[0].acknowledgedBy !== '');
    const row = await db('frames').where({ serial: ids.serial }).first();
    assert.ok(row.planned_deadlines === null || row.planned_deadlines.includes('deadline-due'));
  }));

test('what makes no sense is refused, and says why', () =>
  withHttp(async (world) => {
    const { call, admin, clock, stranger } = world;
    const { ids, paper } = await home(world);
    const { ids: abroad } = await furnish(world, stranger);
    const by = isoTime(clock.now() + hourMs);
    const make = (fields: object) =>
      call('POST', '/deadlines/', { as: admin, json: { organization: ids.organization, paper, by, ...fields } });
    const code = async (fields: object): Promise<string> => {
      const { status, json } = await make(fields);
      if (status !== 404) assert.ok(json.hint, `${json.message}, and nothing says what to do next`);
      return `${status} ${json.reasons?.[0]?.code ?? json.code}`;
    };
    assert.is(await code({ by: isoTime(clock.now() - 1) }), '400 deadline-past');
    assert.is(await code({ by: isoTime(clock.now() + 400 * 24 * hourMs) }), '400 deadline-far');
    assert.is(await code({ by: undefined }), '400 deadline-no-time');
    assert.is(await code({ rule: { weekdays: [1], time: '07:00' } }), '400 deadline-no-time');
    assert.is(await code({ by: '2026-05-09 07:00' }), '400 picture-time-unclear');
    assert.is(await code({ paper: undefined }), '400 deadline-no-subject');
    assert.is(await code({ entry: ids.paper }), '400 deadline-no-entry');
    assert.match(await code({ devices: [abroad.device] }), /^404/);
    assert.match(await code({ paper: abroad.paper }), /^404/);
    const to = { channels: 'all' };
    assert.is(await code({ steps: [{ when: { minutesLater: 5 }, to }] }), '400 deadline-step-order');
    for (const [what, id] of Object.entries({ channel: abroad.channel, person: abroad.user })) {
      const { status, json } = await make({ steps: [{ when: { state: 'missed' }, to: { [what]: id } }] });
      assert.equal([status, json.hint], [404, `the organization has no ${what} with this id`]);
    }
    assert.match(await code({ steps: [{ when: { state: 'missed' }, to: { device: abroad.device } }] }), /^404/);
    const ofDevice = { paper: undefined, timedPicture: ids.timed };
    assert.is(
      await code({ ...ofDevice, steps: [{ when: { state: 'missed' }, to: { device: ids.device } }] }),
      '400 deadline-step-frame',
    );
    assert.match(await code({ timeZone: 'Nowhere/Land' }), /^400/);
    assert.is((await make(ofDevice)).status, 201);
    const settled = await call('POST', '/deadlines/', {
      as: admin,
      json: { organization: ids.organization, paper, by, devices: [ids.device] },
    });
    await world.db('deadline_occurrences').update({ state: 'met' });
    const late = await call('POST', `/deadlines/${settled.json.id}/acknowledge`, { as: admin, json: {} });
    assert.equal([late.status, late.json.hint], [409, 'how it stands: GET /deadlines/ID']);
    await world.db('deadlines').update({ organization_id: ids.organization });
    const [one] = await world.db('deadlines');
    const rows = Array.from({ length: 500 }, () => ({ ...one, id: world.random.id() }));
    for (let from = 0; from < rows.length; from += 10) await world.db('deadlines').insert(rows.slice(from, from + 10));
    assert.is(await code({}), '409 deadlines-many');
  }));

test('an upload names the deadline of its picture, once for the same picture', () =>
  withHttp(async (world) => {
    const { call, admin, clock, db } = world;
    const { ids, paper } = await home(world);
    const form = (more: Record<string, string>): FormData => {
      const body = new FormData();
      body.append('picture', new Blob([new Uint8Array(picture('x'))]), 'x.png');
      for (const [name, value] of Object.entries(more)) body.append(name, value);
      return body;
    };
    const by = isoTime(clock.now() + hourMs);
    const path = `/papers/uploadSingleImage/${paper}?messageId=m-1`;
    const first = await call('POST', path, { as: admin, body: form({ deadline: by }) });
    assert.is(first.status, 200, first.text);
    assert.equal(first.json.deadline.by, by);
    assert.equal(
      first.json.deadline.frames.map(({ device }: { device: string }) => device),
      [ids.device],
    );
    const again = await call('POST', path, { as: admin, body: form({ deadline: by }) });
    assert.is(again.json.deadline?.id, first.json.deadline.id);
    const timed = await call('POST', `/devices/uploadSingleImage/${ids.device}`, {
      as: admin,
      body: form({ deadline: by, showFrom: isoTime(clock.now() + hourMs / 2), uuid: 'u' }),
    });
    assert.is(timed.status, 200, timed.text);
    assert.ok((await db('deadlines').where({ id: timed.json.deadline.id }).first()).timed_id !== null);
    const own = await call('POST', `/devices/uploadSingleImage/${ids.device}`, {
      as: admin,
      body: form({ deadline: by }),
    });
    assert.is(own.status, 200, own.text);
    assert.is(own.json.deadline.frames.length, 1);
    const past = await call('POST', path, { as: admin, body: form({ deadline: '2020-01-01T00:00:00Z' }) });
    assert.is(past.status, 400);
    const without = await call('POST', `/papers/uploadSingleImage/${paper}`, { as: admin, body: form({}) });
    assert.is(without.json.deadline, undefined);
  }));

test.run();
