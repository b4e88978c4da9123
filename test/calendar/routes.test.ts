/** The calendar's rows over HTTP. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withHttp } from '../http/world.ts';

const test = suite('calendar routes');

const feed = (name: string): string =>
  ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', `UID:${name}`, `SUMMARY:${name}`, 'DTSTART:20200101T080000Z', 'RRULE:FREQ=DAILY']
    .concat('END:VEVENT', 'END:VCALENDAR', '')
    .join('\r\n');

test('calendar view and preview: who may, what is answered, what is refused', async () => {
  const asked: [href: string, youngerThanMs: number][] = [];
  await withHttp(
    async ({ admin, patient, stranger, call, database, random }) => {
      const { organizationId } = admin;
      const deviceId = random.id();
      await database('devices').insert({
        ...{ id: deviceId, organization_id: organizationId, meta: '{}', details: '{}', assignment: 0 },
        ...{ created_at: 0, updated_at: 0 },
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
      const wish = { selectedCalendars: { a: true, b: false }, dayRange: 100, maxEvents: 7 };
      asked.length = 0;
      const shown = await call('POST', preview, { as: admin, json: wish });
      assert.equal(shown.json.calendarAuth, { status: 'ok', calendars: { a: 'ok' } });
      assert.is(shown.json.calendarData.events.length, 7);
      assert.not.match(shown.text, /secret|example/);
      assert.equal(asked, [['https://a.example/secret', 10_000]]);
      const after = await call('GET', `/papers/${paperId}`, { as: admin });
      assert.equal(after.json, made.json, 'nothing was saved');

      const bad: Record<string, unknown> = {
        selectedCalendars: [],
        dayRange: 0,
        maxEvents: 201,
      };
      for (const [field, value] of Object.entries(bad)) {
        const answer = await call('POST', preview, { as: admin, json: { ...wish, [field]: value } });
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
        assert.is((await call('POST', preview, { as, json: wish })).status, 404);
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
      fetchFeed: async ({ href }, youngerThanMs) => {
        asked.push([href, youngerThanMs]);
        return href.includes('//a.') ? { text: feed('daily') } : { problem: 'status 401' };
      },
    },
  );
});

test.run();
