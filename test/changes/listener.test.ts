import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Principal, Role } from '../../api/access/principal.ts';
import {
  beatMs,
  Listener,
  maxAreas,
  maxChangesPerSecond,
  maxNamedDevices,
  type News,
} from '../../api/changes/listener.ts';
import type { Area } from '../../api/changes/read-areas.ts';
import type { Audience, OwnedChange } from '../../api/changes/read-changes.ts';
import { EventStream, maxWaitingBytes } from '../../api/http/event-stream.ts';
import { refuse } from '../../reasons/refusals.ts';

const test = suite('listener');

const someone = (role: Role, organizationId = 'home'): Principal => ({
  accountId: 'a',
  memberships: [{ userId: 'u', organizationId, role, name: 'Una' }],
});

const change = (number: number, audience: Audience = { organizationId: 'home', viewers: [] }): OwnedChange => ({
  change: { id: `c${number}`, at: '', deviceId: `d${number}`, name: '', type: 'hello', payload: {} },
  audience,
});

const news = (changes: readonly OwnedChange[], more: Partial<News> = {}): News => ({
  changes,
  records: [],
  areas: [],
  linked: [],
  overflows: false,
  cursor: '00000001',
  ...more,
});
const manyOf = (count: number, from = 0): OwnedChange[] => Array.from({ length: count }, (_, at) => change(from + at));

function listen(principal = someone('admin'), askAgain = async () => principal) {
  const stream = new EventStream();
  const listener = new Listener(stream, principal, askAgain, 0);
  /** Returns the events since the last call, one event a line, and `:` for a line without meaning. */
  const sent = (): { event: string; data: Sent }[] => {
    let text = '';
    for (let part: unknown = stream.read(); part !== null; part = stream.read()) text += String(part);
    return text.split('\n\n').flatMap((part) => {
      if (part === '') return [];
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1];
      return [{ event: field('event') ?? ':', data: JSON.parse(field('data') ?? '{}') }];
    });
  };
  return { stream, listener, sent };
}

/** The fields of an event that the tests look at. */
interface Sent {
  readonly count?: number;
  readonly deviceIds?: string[] | null;
  readonly id?: string;
  readonly area?: Area;
  readonly paper?: string | null;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a reader gets what its role shows it, and nothing else', () => {
  const linked = { organizationId: 'home', viewers: ['u'] };
  const all = [change(1), change(2, linked), change(3, { organizationId: 'abroad', viewers: ['u'] })];
  const record = (id: string, audience: Audience, except?: Audience) => ({
    change: { id, at: '', record: 'paper' as const, recordId: id, what: 'changed' as const },
    audience,
    except,
  });
  const records = [
    record('paper', { ...linked, isPaper: true }),
    record('moved', { organizationId: 'home', viewers: [] }),
    record('kept', { organizationId: 'home', viewers: ['u'] }, { organizationId: 'home', viewers: ['u'] }),
  ];
  const expected: [Role, string[]][] = [
    ['admin', ['c1', 'c2', 'paper', 'moved']],
    ['user', ['c1', 'c2', 'paper', 'moved']],
    ['patient', ['c2', 'paper']],
    ['onlyself', ['c2']],
  ];
  for (const [role, ids] of expected) {
    const { listener, sent } = listen(someone(role));
    listener.send(news(all, { records }), 0);
    assert.equal(
      sent().map(({ data }) => data.id),
      ids,
      role,
    );
  }
});

test('changes of an area reach only those who may read it, and many papers are reported as some', () => {
  const touched = (area: Area, organization = 'home', paper: string | null = null) => ({
    at: '',
    area,
    organization,
    paper,
  });
  const all = [
    ...(['people', 'audit', 'alerts', 'firmware'] as const).map((area) => touched(area)),
    touched('paper', 'home', 'p'),
    touched('people', 'abroad'),
  ];
  const expected: [Role, Area[]][] = [
    ['admin', ['people', 'audit', 'alerts', 'firmware', 'paper']],
    ['user', ['people', 'firmware', 'paper']],
    ['patient', []],
    ['onlyself', []],
  ];
  for (const [role, names] of expected) {
    const { listener, sent } = listen(someone(role));
    listener.send(news([], { areas: all }), 0);
    assert.equal(
      sent().map(({ data }) => data.area),
      names,
      role,
    );
  }
  const { listener, sent } = listen();
  const papers = Array.from({ length: maxAreas }, (_, at) => touched('paper', 'home', `p${at}`));
  listener.send(news([], { areas: [...papers, touched('audit')] }), 0);
  assert.equal(
    sent().map(({ data }) => [data.area, data.paper]),
    [
      ['paper', null],
      ['audit', null],
    ],
  );
});

test('beyond fifty changes a second a reader gets their number, once a second, and which devices while they are few', () => {
  const { listener, sent } = listen();
  listener.send(news(manyOf(maxChangesPerSecond)), 0);
  assert.is(sent().length, maxChangesPerSecond);
  listener.send(news(manyOf(1)), 0);
  assert.equal(sent(), [{ event: 'many', data: { count: 1, deviceIds: ['d0'] } }]);
  for (let at = 100; at <= 900; at += 100) listener.send(news(manyOf(1_000, at * 1_000)), at);
  assert.equal(sent(), []);
  listener.send(news(manyOf(1_000)), 1_000);
  assert.equal(sent(), [{ event: 'many', data: { count: 10_000, deviceIds: null } }]);
  listener.send(news(manyOf(maxNamedDevices)), 1_300);
  assert.equal(sent(), []);
  listener.send(news([]), 2_000);
  const [last] = sent();
  assert.equal([last?.data.count, last?.data.deviceIds?.length], [maxNamedDevices, maxNamedDevices]);
  listener.send(news(manyOf(2)), 4_000);
  assert.equal(
    sent().map(({ event }) => event),
    ['change', 'change'],
  );
  listener.send(news([], { overflows: true }), 5_000);
  assert.equal(sent(), [{ event: 'many', data: { count: 0, deviceIds: null } }]);
});

test('T-61: a reader that takes nothing is cut off', () => {
  const { stream, listener } = listen();
  const large = { ...change(1), change: { ...change(1).change, payload: { text: 'x'.repeat(1_000) } } };
  let told = 0;
  for (let at = 0; !stream.destroyed && told < 1_000; at += 1_000, told++) listener.send(news([large]), at);
  assert.ok(stream.destroyed);
  assert.ok(told < maxWaitingBytes / 1_000 + 2, `${told} told`);
});

test('access is checked again within five seconds: it narrows what is sent, and its end ends the stream', async () => {
  let now = someone('admin');
  let isRevoked = false;
  let asked = 0;
  const { stream, listener, sent } = listen(now, async () => {
    asked++;
    if (isRevoked) throw refuse('not-authenticated');
    return now;
  });
  listener.judge(2_000, 'c');
  assert.is(asked, 0);
  now = someone('onlyself');
  listener.judge(3_500, 'c');
  await settled();
  assert.equal([asked, sent().map(({ event }) => event)], [1, ['ready']]);
  listener.send(news([change(1)]), 3_600);
  assert.equal(sent(), []);
  listener.judge(6_000, 'c');
  isRevoked = true;
  listener.judge(7_000, 'c');
  await settled();
  assert.is(asked, 2);
  stream.resume();
  await settled();
  assert.ok(stream.readableEnded);
});

test('access that nobody judges in time no longer counts', async () => {
  const { stream, listener } = listen(someone('admin'), () => new Promise(() => {}));
  stream.resume();
  listener.judge(4_000, 'c');
  listener.judge(4_900, 'c');
  await settled();
  assert.not.ok(stream.readableEnded);
  listener.judge(5_100, 'c');
  await settled();
  assert.ok(stream.readableEnded);
});

test('a silent stream says every twenty seconds that it lives', () => {
  const { listener, sent } = listen();
  listener.beat(beatMs - 1);
  assert.equal(sent(), []);
  listener.beat(beatMs);
  listener.beat(beatMs + 300);
  assert.equal(
    sent().map(({ event }) => event),
    [':'],
  );
});

test.run();
