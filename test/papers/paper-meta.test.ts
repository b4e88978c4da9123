import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { picture, withHttp } from '../http/world.ts';

const test = suite('paper meta');

const paperId = 'a'.repeat(24);
const startsAt = '2026-03-01T06:00:00.000Z';
const rule = (rrule: unknown) => ({ paperId, startsAt, rrule });
/** The second as clients in the field write it. */
const entries = [
  { paperId, startsAt: '2026-03-01T07:00' },
  rule('DTSTART:20260301T060000Z\nRRULE:FREQ=WEEKLY;INTERVAL=1'),
  ...['', null, 'RRULE:FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20270101T000000Z', 'freq=daily;count=3;'].map(rule),
];
const badEntries: [entry: unknown, hint: RegExp][] = [
  [
    rule('every day'),
    /^meta\.playlistEntries\[1\]\.rrule: FREQ is not .*; expected a rule .* such as FREQ=WEEKLY;BYDAY=MO,FR$/,
  ],
  [rule('FREQ=MINUTELY'), /rrule: FREQ is not/],
  [rule('FREQ=DAILY;BYDAY=XX'), /rrule: BYDAY is not a list of weekdays/],
  [rule('FREQ=DAILY;BYHOUR=24'), /rrule: BYHOUR is not a list of numbers from 0 to 23/],
  [rule('FREQ=DAILY;UNTIL=soon'), /rrule: UNTIL is not a time/],
  [rule('FREQ=DAILY;INTERVALL=2'), /rrule: INTERVALL is not a part of a rule/],
  [rule('FREQ=DAILY\nFREQ=WEEKLY'), /rrule: holds more than one/],
  [rule('DTSTART:soon\nRRULE:FREQ=DAILY'), /rrule: DTSTART is not a time/],
  [rule(`FREQ=DAILY;BYHOUR=${'1,'.repeat(300)}1`), /rrule: is longer than 500 characters/],
  [rule(7), /rrule: is not text/],
  [
    { paperId, startsAt: 'tomorrow' },
    /^meta\.playlistEntries\[1\]\.startsAt: expected a time such as 2026-03-01T07:00/,
  ],
  [{ paperId }, /startsAt: expected/],
];

test('A-27: what cannot be kept is refused by the name of its field, by whatever road it comes', () =>
  withHttp(async ({ call, admin, db }) => {
    const { organizationId: organization } = admin;
    const { id: deviceId } = (await call('POST', '/devices', { as: admin, json: { organization } })).json;
    const fields = { deviceId, organization, kind: 'image' };
    const create = (meta: unknown) => call('POST', '/papers', { as: admin, json: { ...fields, meta } });
    const good = { schedule: '0 6 * * *', timezone: 'Europe/Berlin' };
    const { id } = (await create(good)).json;
    const upload = (path: string, settings: unknown) => {
      const body = new FormData();
      body.append('picture', new Blob([new Uint8Array(picture('a'))]), 'a.png');
      body.append('settings', JSON.stringify(settings));
      return call('POST', `${path}/${id}`, { as: admin, body });
    };
    const row = () => db('papers').where({ id }).first();
    const before = await row();
    for (const [meta, hint] of [
      [{ schedule: 'bad' }, /^meta\.schedule: /],
      [{ schedule: 7 }, /^meta\.schedule: /],
      [{ timezone: 'X/Y' }, /^meta\.timezone: /],
      [{ timezone: 7 }, /^meta\.timezone: /],
      [{ ...good, timezone: 'X/Y' }, /^meta\.timezone: /],
      ...['fill', 'Cover', 7, ['cover']].map(
        (fit) => [{ fit }, /^meta\.fit: expected one of cover, contain$/] as const,
      ),
      ...badEntries.map(([entry, hint]) => [{ playlistEntries: [entries[0], entry] }, hint] as const),
    ] as const) {
      const refused = [
        await create(meta),
        await call('POST', `/papers/${id}`, { as: admin, json: { ...fields, meta } }),
        await call('PATCH', `/v1/papers/${id}`, { as: admin, json: { meta } }),
        await upload('/papers/uploadSingleImage', meta),
        await upload('/v1/papers/uploadSingleImage', { meta }),
      ];
      for (const { status, json } of refused) {
        assert.is(status, 400);
        assert.match(json.hint ?? json.raw.hint ?? json.raw, hint);
      }
    }
    assert.equal(await row(), before, 'nothing was changed');
    const playlist = { ...fields, kind: 'playlist', meta: { ...good, playlistEntries: entries } };
    for (const prefix of ['', '/v1']) {
      assert.is((await call('POST', `${prefix}/papers`, { as: admin, json: playlist })).status, 200, prefix);
    }
    for (const [kind, fit] of [
      ['text', 'tight'],
      ['album', 'contain'],
      ['image', 'cover'],
      ['printer', ''],
      ['image', null],
    ] as const) {
      const made = await call('POST', '/papers', { as: admin, json: { ...fields, kind, meta: { fit } } });
      assert.equal([made.status, made.json.meta], [200, { fit }], kind);
    }
    for (const kind of ['album', 'printer']) {
      const refused = await call('POST', '/papers', { as: admin, json: { ...fields, kind, meta: { fit: 'tight' } } });
      assert.equal([refused.status, refused.json.reasons?.[0]?.code], [400, 'field-one-of'], kind);
    }
    for (const [selectors, status] of [
      [{ waitFor: '#table', clickFirst: 'button', cutOut: 'main > article' }, 200],
      [{ waitFor: 2_000, clickFirst: '', cutOut: null }, 200],
      [{ waitFor: 60_000 }, 400],
      [{ cutOut: 'a'.repeat(501) }, 400],
      [{ clickFirst: ['button'] }, 400],
    ] as const) {
      const json = { ...fields, kind: 'website', meta: { url: 'https://example.org/', ...selectors } };
      const made = await call('POST', '/papers', { as: admin, json });
      const said = status === 200 ? undefined : 'field-no-selector';
      assert.equal([made.status, made.json.reasons?.[0]?.code], [status, said], JSON.stringify(selectors));
    }
    // What was stored before is no reason to refuse something else.
    const old = JSON.stringify({ playlistEntries: [rule('every day')], timezone: 'X/Y' });
    await db('papers').where({ id }).update({ meta: old });
    assert.is((await upload('/papers/uploadSingleImage', { title: 'x' })).status, 200);
    for (const meta of [{ timezone: '' }, { timezone: null, schedule: '' }, { timezone: 'Asia/Kolkata' }]) {
      assert.is((await upload('/papers/uploadSingleImage', meta)).status, 200, JSON.stringify(meta));
    }
  }));

test.run();
