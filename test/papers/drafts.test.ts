/** The preview of a paper before it is saved or made: calendars that are tried, the week of a playlist, and its picture. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reasonOf } from '../../reasons/reason.ts';
import type { Answer, HttpWorld } from '../http/world.ts';
import { withHttp } from '../http/world.ts';
import { pictureFormOf } from './album-world.ts';
import { framedPaper, ok, photo } from './images-world.ts';

const test = suite('papers before they are made');

const feed = [
  ...['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:1', 'SUMMARY:Swimming', 'DTSTART:20200101T080000Z', 'RRULE:FREQ=DAILY'],
  ...['END:VEVENT', 'END:VCALENDAR', ''],
].join('\r\n');

/** The papers of a world, as they are counted before and after. */
const papersIn = async ({ db }: HttpWorld): Promise<number> => (await db('papers')).length;

test('a calendar is tried before there is a paper, with a login that goes to its address alone and is kept nowhere', () => {
  const asked: unknown[] = [];
  return withHttp(
    async (world) => {
      const { call, admin, user, patient, stranger, db } = world;
      const body = (more: object) => ({
        organization: admin.organizationId,
        timezone: 'Europe/Berlin',
        dayRange: 7,
        ...more,
      });
      const tryIt = (more: object, as = admin): Promise<Answer> =>
        call('POST', '/previews/calendar', { as, json: body(more) });
      const calendars = [{ key: 'a', name: 'Family', url: 'webcal://a.example/secret.ics' }];
      const open = await tryIt({ calendars });
      assert.equal(open.json.calendarAuth, { status: 'ok', calendars: { a: 'ok' } });
      assert.is(open.json.calendarData.events.length, 7);
      assert.is(open.json.calendarData.events[0].start.timeZone, 'Europe/Berlin');
      const logins = [{ address: 'https://a.example/', bearer: 'open-sesame' }];
      assert.is((await tryIt({ calendars, logins }, user)).status, 200);
      assert.equal(asked.at(-1), [
        { origin: 'https://a.example', header: 'authorization', value: 'Bearer open-sesame' },
      ]);
      assert.equal([await papersIn(world), (await db('address_logins')).length], [0, 0]);
      const hostile = await tryIt({
        calendars: [
          'http://127.0.0.1/x',
          'file:///etc/passwd',
          'javascript:alert(1)',
          '',
          'https://u:p@a.example/',
        ].map((url, place) => ({ key: `k${place}`, url })),
      });
      assert.is(hostile.json.calendarAuth.status, 'failed');
      assert.is(Object.keys(hostile.json.calendarProblems).length, 5);
      for (const [more, hint] of [
        [{ calendars: Array.from({ length: 21 }, () => calendars[0]) }, /calendars/],
        [{ calendars, dayRange: 1_000 }, /dayRange/],
        [{ calendars, timezone: 'Mars/Olympus' }, /timezone/],
        [{ calendars, logins: [{ address: 'not one', bearer: 'x' }] }, /address|url/i],
        [{ calendars, logins: [{ address: 'https://a.example/', header: 'Host', value: 'x' }] }, /header/],
      ] as const) {
        const refused = await tryIt(more);
        assert.is(refused.status, 400, JSON.stringify(more));
        assert.match(refused.text, hint);
      }
      assert.is((await tryIt({ calendars }, patient)).status, 403);
      assert.is((await tryIt({ calendars }, stranger)).status, 404);
    },
    {
      fetchFeed: async ([url], _age, { logins }) => {
        asked.push(logins);
        return url?.host === 'a.example' ? { text: feed } : { problem: reasonOf('address-not-public') };
      },
    },
  );
});

test('the week of a playlist is what the frame will show: hours of the zone, changed clocks, overlaps, gaps and what is not there', () =>
  withHttp(async (world) => {
    const { call, admin, patient, clock, passes } = world;
    const { organizationId: organization } = admin;
    // The week in which the clocks of Berlin are put back.
    passes(Date.parse('2027-10-28T10:00:00Z') - clock.now());
    const [one, two] = [await framedPaper(world), await framedPaper(world)];
    const weekOf = (playlistEntries: unknown[], as = admin): Promise<Answer> =>
      call('POST', '/previews/playlist-week', {
        as,
        json: { organization, timezone: 'Europe/Berlin', playlistEntries },
      });
    const daily = (paperId: string, time: string, durationMinutes?: number) => ({
      paperId,
      startsAt: `2027-10-28T${time}:00`,
      rrule: 'FREQ=DAILY',
      ...(durationMinutes !== undefined && { durationMinutes }),
    });
    const { json } = await weekOf([
      daily(one.id, '08:00', 120),
      daily(two.id, '09:30', 60),
      daily('f'.repeat(24), '12:00'),
      { paperId: one.id, startsAt: 'tomorrow' },
      { paperId: two.id, startsAt: '2027-12-24T18:00:00' },
    ]);
    assert.is(json.days.length, 7);
    const hours = json.days.map(
      ({ from, until }: { from: string; until: string }) => (Date.parse(until) - Date.parse(from)) / 3_600_000,
    );
    assert.equal(hours, [24, 24, 24, 25, 24, 24, 24]);
    const blocksOf = (day: number): unknown[] =>
      json.days[day].blocks.map(({ entry, from, stays }: { entry: number | null; from: string; stays: boolean }) => [
        entry,
        new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', timeStyle: 'short' }).format(new Date(from)),
        stays,
      ]);
    assert.equal(blocksOf(0), [
      [null, '00:00', false],
      [0, '08:00', false],
      [1, '09:30', false],
      [1, '10:30', true],
    ]);
    assert.equal(blocksOf(4), [
      [1, '00:00', true],
      [0, '08:00', false],
      [1, '09:30', false],
      [1, '10:30', true],
    ]);
    assert.equal(json.covered, [{ entry: 0, by: 1, isHidden: false }]);
    assert.equal([json.absent, json.unshowable], [[4], [2]]);
    assert.equal(
      json.problems.map(({ entry }: { entry: number }) => entry),
      [3],
    );
    const both = (await weekOf([daily(one.id, '08:00'), daily(two.id, '08:00')])).json;
    assert.equal(both.covered, [{ entry: 0, by: 1, isHidden: true }]);
    const busy = {
      paperId: one.id,
      startsAt: '2027-10-28T00:00:00',
      rrule: `FREQ=HOURLY;BYMINUTE=${[...Array(60).keys()]}`,
    };
    const refused = await weekOf([busy]);
    assert.is(refused.status, 400);
    assert.match(refused.json.message, /changes more than 2000 times/);
    assert.is((await weekOf(Array.from({ length: 101 }, () => busy))).status, 400);
    assert.equal((await weekOf([])).json.covered, []);
    assert.is((await weekOf([], patient)).status, 403);
  }));

test('a draft is drawn for the panel of its frame and kept nowhere; what it lacks is named, and a fourth at once is refused', () => {
  let held: (() => void)[] = [];
  return withHttp(
    async (world) => {
      const { call, admin, stranger, patient, db } = world;
      const { deviceId } = await framedPaper(world);
      const foreign = await framedPaperOf(world);
      const before = await papersIn(world);
      const draw = (json: object, as = admin): Promise<Answer> =>
        call('POST', '/previews/paper', { as, json: { deviceId, ...json } });
      const drawn = await draw({ kind: 'text', meta: { text: 'Hello', orientation: 'landscape' } });
      ok(drawn);
      assert.equal([drawn.json.width, drawn.json.height, drawn.json.problem], [800, 480, undefined]);
      assert.is(Buffer.from(drawn.json.png, 'base64').subarray(1, 4).toString(), 'PNG');
      assert.equal([drawn.json.remark, drawn.json.remarks], [undefined, undefined]);
      const empty = await draw({ kind: 'slides', meta: { selectedPapers: [] } });
      assert.equal([empty.json.png, empty.json.problems[0].code], [undefined, 'no-paper-chosen']);
      const later = await draw({
        kind: 'playlist',
        meta: { playlistEntries: [{ paperId: 'f'.repeat(24), startsAt: '2999-01-01T08:00:00' }] },
      });
      assert.is(later.json.problems[0].code, 'no-entry');
      for (const kind of ['plugin', 'image', 'printer', 'hologram'])
        assert.is((await draw({ kind, meta: {} })).status, 400, kind);
      assert.is((await draw({ kind: 'text', meta: { timezone: 'Mars/Olympus' } })).status, 400);
      for (const as of [stranger, patient]) assert.is((await draw({ kind: 'text', meta: {} }, as)).status, 404);
      assert.is((await draw({ kind: 'text', meta: { text: 'x' }, paperId: foreign })).status, 404);
      const site = { kind: 'website', meta: { url: 'https://example.org/' } };
      const waiting = [draw(site), draw(site), draw(site)];
      while (held.length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
      const fourth = await draw(site);
      assert.equal([fourth.status, fourth.json.code], [429, 'rate-limited']);
      for (const go of held) go();
      for (const { status, json } of await Promise.all(waiting))
        assert.equal([status, json.remarks[0].code], [200, 'page-still-loading']);
      held = [];
      assert.equal([await papersIn(world), (await db('uploads')).length], [before, 0], 'nothing was kept');
    },
    {
      renderPage: async () => {
        await new Promise<void>((resolve) => held.push(resolve));
        const remarks = [reasonOf('page-still-loading')];
        return { ok: true, png: await photo(800, 480), warnings: [], remarks };
      },
    },
  );
});

/** A paper of somebody else's organization. */
async function framedPaperOf({ call, stranger }: HttpWorld): Promise<string> {
  const { organizationId: organization } = stranger;
  const device = await call('POST', '/devices', { as: stranger, json: { organization } });
  const json = { organization, deviceId: device.json.id, kind: 'text' };
  return (await call('POST', '/papers', { as: stranger, json })).json.id;
}

test('a new paper is shown by a device without one, or not, or as an album with its first picture; a choice of a person ends the waiting', () =>
  withHttp(async (world) => {
    const { call, admin } = world;
    const { organizationId: organization } = admin;
    const deviceId = (await call('POST', '/devices', { as: admin, json: { organization } })).json.id;
    const make = (kind: string, show?: string): Promise<Answer> =>
      call('POST', '/papers/', { as: admin, json: { organization, deviceId, kind, ...(show && { show }) } });
    const shown = async (): Promise<string | null> =>
      (await call('GET', `/devices/${deviceId}`, { as: admin })).json.paper ?? null;
    assert.is((await make('text', 'not')).json.deviceShows, null);
    const text = (await make('text', 'if-first')).json;
    assert.is(text.deviceShows, text.id);
    const refused = await make('text', 'with-picture');
    assert.equal([refused.status, refused.json.message], [400, 'Pictures cannot be sent to a paper of kind text']);
    const send = async (album: string): Promise<void> => {
      const body = pictureFormOf(await photo(80, 48));
      assert.is((await call('POST', `/papers/${album}/pictures/`, { as: admin, body })).status, 201);
    };
    const first = (await make('album', 'with-picture')).json.id;
    assert.is(await shown(), text.id);
    await send(first);
    assert.is(await shown(), first);
    ok(await call('POST', `/devices/${deviceId}`, { as: admin, json: { paper: text.id } }));
    await send(first);
    assert.is(await shown(), text.id, 'once alone');
    const second = (await make('album', 'with-picture')).json.id;
    ok(await call('POST', `/devices/${deviceId}`, { as: admin, json: { paper: first } }));
    await send(second);
    assert.is(await shown(), first, 'somebody chose meanwhile');
  }));

test.run();
