/** The calendar's rows over HTTP. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reasonOf } from '../../reasons/reason.ts';
import { until } from '../gateway/world.ts';
import { withHttp } from '../http/world.ts';

const test = suite('calendar routes');

const feed = (name: string): string =>
  ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', `UID:${name}`, `SUMMARY:${name}`, 'DTSTART:20200101T080000Z', 'RRULE:FREQ=DAILY']
    .concat('END:VEVENT', 'END:VCALENDAR', '')
    .join('\r\n');

test('calendar view and preview: who may, what is answered, what is refused', async () => {
  const asked: [href: string, youngerThanMs: number][] = [];
  await withHttp(
    async ({ admin, patient, stranger, call, db, random }) => {
      const { organizationId } = admin;
      const deviceId = random.id();
      await db('devices').insert({
        id: deviceId,
        organization_id: organizationId,
        meta: '{}',
        details: '{}',
        assignment: 0,
        created_at: 0,
        updated_at: 0,
      });
      const create = async (kind: string, meta: unknown) =>
        call('POST', '/papers/', { as: admin, json: { deviceId, kind, organization: organizationId, meta } });
      const calendars = ['a', 'b'].map((key) => ({ key, name: key, url: `https://${key}.example/secret` }));
      const made = await create('calendar', { title: 'Ours', timezone: 'Europe/Berlin', dayRange: 3, calendars });
      assert.is(made.status, 200);
      const paperId: string = made.json.id;

      const view = await call('GET', `/papers/calendar/${paperId}`, { as: admin });
      assert.equal([view.status, view.json.id, view.json.title], [200, paperId, 'Ours']);
      assert.equal(view.json.calendarAuth, { status: 'partial', calendars: { a: 'ok', b: 'status 401' } });
      assert.is(view.json.calendarData.events.length, 3);
      assert.is(view.json.calendarData.events[0].start.timeZone, 'Europe/Berlin');

      const preview = `/papers/${paperId}/calendar-preview`;
      const options = { selectedCalendars: { a: true, b: false }, dayRange: 100, maxEvents: 7 };
      asked.length = 0;
      const shown = await call('POST', preview, { as: admin, json: options });
      assert.equal(shown.json.calendarAuth, { status: 'ok', calendars: { a: 'ok' } });
      assert.is(shown.json.calendarData.events.length, 7);
      assert.not.match(shown.text, /secret|example/);
      assert.equal(asked, [['https://a.example/secret', 10_000]]);
      const after = await call('GET', `/papers/${paperId}`, { as: admin });
      const { deviceShows: _, ...before } = made.json;
      assert.equal(after.json, before, 'nothing was saved');

      for (const prefix of ['', '/v1']) {
        const seen = async (json: unknown): Promise<unknown[]> => {
          const { status, json: answer } = await call('POST', prefix + preview, { as: admin, json });
          return [status, answer.calendarAuth?.status, answer.calendarData?.events.length];
        };
        assert.equal(await seen({}), [200, 'partial', 3], 'what is left out is as the paper says');
        assert.equal(await seen({ maxEvents: 2 }), [200, 'partial', 2]);
        assert.equal(await seen({ selectedCalendars: { b: false }, dayRange: 4.4 }), [200, 'ok', 4]);
      }
      const tried = {
        calendars: [
          { key: 'new', name: 'New', url: 'https://a.example/other' },
          { key: 'bad', url: 7 },
        ],
      };
      const trial = await call('POST', preview, { as: admin, json: tried });
      assert.equal(trial.json.calendarAuth, {
        status: 'partial',
        calendars: { new: 'ok', 'calendar 2': 'its url is malformed' },
      });
      assert.is(trial.json.calendarRemarks, undefined);
      const odd = { calendars: [{ key: 'odd', url: 'https://a.example/odd' }] };
      const remarked = await call('POST', preview, { as: admin, json: odd });
      assert.equal(remarked.json.calendarAuth, { status: 'ok', calendars: { odd: 'ok' } });
      const sentence = 'the time zone "Villa" is not known, so its times were read as Europe/Berlin';
      const parameters = { zone: 'Villa', taken: 'Europe/Berlin' };
      assert.equal(remarked.json.calendarRemarks, { odd: [{ code: 'calendar-zone-guessed', parameters, sentence }] });
      assert.is((await call('POST', preview, { as: patient, json: tried })).status, 404);
      const google = { code: 'x', googleCalendar: { access_token: 'x' } };
      assert.is((await call('POST', `/v1${preview}`, { as: admin, json: google })).status, 200);

      const bad: Record<string, unknown> = {
        selectedCalendars: [],
        dayRange: 0,
        maxEvents: 201,
      };
      for (const [field, value] of Object.entries(bad)) {
        const answer = await call('POST', preview, { as: admin, json: { ...options, [field]: value } });
        assert.is(answer.status, 400, field);
        assert.match(answer.json.hint, field);
      }
      const hostile = '{"selectedCalendars":{"__proto__":true},"dayRange":1,"maxEvents":1}';
      const polluted = await call('POST', preview, {
        as: admin,
        headers: { 'content-type': 'application/json' },
        body: hostile,
      });
      assert.is(polluted.status, 400);
      for (const as of [stranger, patient]) {
        const foreign = await call('GET', `/papers/calendar/${paperId}`, { as });
        const random = await call('GET', `/papers/calendar/${'0'.repeat(24)}`, { as });
        assert.equal([foreign.status, foreign.text], [404, random.text]);
        assert.is((await call('POST', preview, { as, json: options })).status, 404);
      }

      const other = await create('website', { url: 'https://example.org' });
      const refused = await call('GET', `/papers/calendar/${other.json.id}`, { as: admin });
      assert.equal([refused.status, refused.json.message], [400, 'A paper of kind website has no calendars']);
      const manifest = { requiredPermissions: ['googleCalendar'] };
      const plugin = await create('plugin', { pluginManifest: manifest, calendars: calendars.slice(0, 1) });
      assert.is((await call('GET', `/papers/calendar/${plugin.json.id}`, { as: admin })).status, 200);
      const unscheduled = await create('website', { schedule: 'now and then' });
      assert.equal([unscheduled.status, /schedule/.test(unscheduled.json.hint)], [400, true]);
    },
    {
      fetchFeed: async ([url], youngerThanMs) => {
        const href = url?.href ?? '';
        asked.push([href, youngerThanMs]);
        if (href.endsWith('/odd'))
          return { text: feed('odd').replace('DTSTART:20200101T080000Z', 'DTSTART;TZID=Villa:20200101T080000') };
        return href.includes('//a.')
          ? { text: feed('daily') }
          : { problem: reasonOf('answer-status', { status: 401 }) };
      },
    },
  );
});

test('T-60: an organization has ten views and previews at once; who leaves makes room, and others are answered', async () => {
  let asked = 0;
  await withHttp(
    async ({ admin, stranger, port, call, db, random }) => {
      const paperOf = async (person: typeof admin, host: string): Promise<string> => {
        const { organizationId: organization } = person;
        const deviceId = random.id();
        await db('devices').insert({
          id: deviceId,
          organization_id: organization,
          meta: '{}',
          details: '{}',
          assignment: 0,
          created_at: 0,
          updated_at: 0,
        });
        const meta = { calendars: [{ key: 'a', url: `https://${host}.example/` }] };
        return (
          await call('POST', '/papers/', { as: person, json: { deviceId, kind: 'calendar', organization, meta } })
        ).json.id;
      };
      const [theirs, answering] = [await paperOf(admin, 'silent'), await paperOf(admin, 'feeds')];
      const ours = await paperOf(stranger, 'feeds');
      const json = { selectedCalendars: {}, dayRange: 7, maxEvents: 7 };
      const body = JSON.stringify(json);
      const head = [
        `POST /papers/${theirs}/calendar-preview HTTP/1.1`,
        'Host: x',
        `x-api-key: ${admin.key}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ];
      const sockets = Array.from({ length: 11 }, () => connect(port, '127.0.0.1'));
      let refused = '';
      for (const socket of sockets) {
        socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
        socket.once('data', (data) => {
          refused += data;
        });
      }
      await until(() => refused !== '', 'one is refused, whichever it is');
      assert.match(refused, /^HTTP\/1.1 429 .*\r\nRetry-After: \d+\r\n.*"rate-limited"/s);
      // Four are fetched at once for one organization.
      await until(() => asked === 4, 'others are read');
      assert.is((await call('GET', `/papers/calendar/${theirs}`, { as: admin })).status, 429);
      const other = await call('POST', `/papers/${ours}/calendar-preview`, { as: stranger, json });
      assert.equal([other.status, other.json.calendarAuth.status], [200, 'ok']);
      for (const socket of sockets) socket.destroy();
      await until(() => asked === 0, 'nothing is fetched for who left');
      const again = await call('POST', `/papers/${answering}/calendar-preview`, { as: admin, json });
      assert.equal([again.status, again.json.calendarAuth.status], [200, 'ok']);
    },
    {
      fetchFeed: async ([url], _age, { signal }) => {
        if (url?.hostname === 'feeds.example') return { text: feed('daily') };
        asked++;
        await once(signal, 'abort');
        asked--;
        throw signal.reason;
      },
    },
  );
});

test.run();
