/** Sentences in answers: each stands as it did, with its code and its parameters for programs beside it. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freshMs } from '../../api/status/health.ts';
import { notePanel } from '../../gateway/frames/named-panel.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { withHttp } from './world.ts';

const test = suite('told sentences');

test('a part of the service in trouble returns each reason with its code; one that is well returns none', () =>
  withHttp(async ({ call, findings, passes }) => {
    const reasons = [reasonOf('callback-late'), reasonOf('callbacks-many')];
    findings.set('callbacks', { status: 'degraded', reasons });
    findings.set('rendering', { status: 'ok', note: reasonOf('browser-network-own') });
    passes(freshMs);
    const { json } = await call('GET', '/iotdevice/status/callbacks');
    assert.is(json.reason, 'a callback could not be delivered for an hour; callbacks pile up');
    assert.equal(json.reasons, [
      { code: 'callback-late', sentence: wordsOf(reasons[0] ?? []) },
      { code: 'callbacks-many', sentence: wordsOf(reasons[1] ?? []) },
    ]);
    const well = await call('GET', '/iotdevice/status/rendering');
    assert.equal([well.json.notes?.[0]?.code, 'reasons' in well.json], ['browser-network-own', false]);
  }));

test('a refusal returns what its message and its hint say beyond its code', () =>
  withHttp(async ({ call, admin }) => {
    const invited = { organization: admin.organizationId, email: 'ida@example.org', role: 'user' };
    assert.is((await call('POST', '/users', { as: admin, json: invited })).status, 200);
    const twice = (await call('POST', '/users', { as: admin, json: invited })).json;
    const sentence = 'Somebody with this address is already in the organization';
    assert.equal(twice, {
      code: 'conflict',
      message: sentence,
      reasons: [{ code: 'address-in-organization', sentence }],
    });
    const unknown = (await call('GET', `/devices/${'0'.repeat(24)}`, { as: admin })).json;
    assert.equal([unknown.code, unknown.reasons], ['not-found', undefined], 'its code says it all');
  }));

test('a mistake in a field is answered with the field and the bound, in the words of the reader of bodies', () =>
  withHttp(async ({ call, admin }) => {
    const { organizationId: organization } = admin;
    const wrong: readonly (readonly [object, string, object])[] = [
      [{ email: 'ida@example.org' }, 'field-missing', { field: 'organization' }],
      [{ organization, role: 'user', email: 'none' }, 'field-not-email', { field: 'email' }],
      [{ organization, role: 'user', name: 'x'.repeat(81) }, 'field-name-long', { field: 'name', most: 80 }],
      [
        { organization, role: 'user', avatar: `https://example.org/${'x'.repeat(2_000)}` },
        'field-too-long',
        { field: 'avatar' },
      ],
      [{ organization, role: 'user', name: 7 }, 'field-other-type', { field: 'name', expected: 'string' }],
      [{ organization, role: 'user', name: 'Ida', shoe: 41 }, 'field-unknown', { field: 'shoe' }],
    ];
    for (const [json, code, parameters] of wrong) {
      const answer = (await call('POST', '/users', { as: admin, json })).json;
      const found = answer.reasons?.find((one: { code: string }) => one.code === code);
      assert.ok(found, `${code}: ${JSON.stringify(answer)}`);
      for (const [name, value] of Object.entries(parameters)) assert.is(found.parameters[name], value, code);
    }
  }));

test('a mistake in a field that a route judges itself is answered with the field', () =>
  withHttp(async ({ call, admin }) => {
    const { organizationId: organization } = admin;
    const deviceId = (await call('POST', '/devices', { as: admin, json: { organization, kind: 'epd7' } })).json.id;
    const paper = { organization, deviceId };
    const album = (await call('POST', '/papers', { as: admin, json: { ...paper, kind: 'album', meta: {} } })).json.id;
    const ofMeta = (meta: object) => call('POST', '/papers', { as: admin, json: { ...paper, kind: 'text', meta } });
    const links = `/papers/${album}/guest-links/`;
    const over = { name: 'Aunt Erna', endsAt: '2001-01-01T00:00:00Z' };
    const entry = { paperId: album, startsAt: '2026-01-01T07:00' };
    const told: readonly (readonly [Awaited<ReturnType<typeof call>>, string, string])[] = [
      [await call('POST', links, { as: admin, json: over }), 'field-over', 'endsAt'],
      [await ofMeta({ timezone: 'Nowhere' }), 'field-time-zone', 'meta.timezone'],
      [await ofMeta({ schedule: 'soon' }), 'field-not-cron', 'meta.schedule'],
      [
        await ofMeta({ playlistEntries: [{ ...entry, rrule: 'FREQ=SOON;BYDAY=MO' }] }),
        'field-not-rule',
        'meta.playlistEntries[0].rrule',
      ],
      [
        await ofMeta({ playlistEntries: [{ ...entry, startsAt: 'soon' }] }),
        'field-not-start',
        'meta.playlistEntries[0].startsAt',
      ],
      [await call('GET', '/papers?limit=many', { as: admin }), 'field-not-whole-number', 'limit'],
    ];
    for (const [{ status, json }, code, field] of told) {
      assert.equal(
        [status, json.reasons?.[0]?.code, json.reasons?.[0]?.parameters.field],
        [400, code, field],
        json.hint,
      );
      assert.is(json.reasons[0].sentence, json.hint);
    }
  }));

test('an alert tells what to do about it with a code, too', () =>
  withHttp(async ({ call, frames, admin, db, clock, random }) => {
    const serial = 'epd7-0a0b0c0d0e0f';
    await frames.provision(serial);
    const json = { enable: true, organization: admin.organizationId };
    const { createdDevice } = (await call('POST', `/v1/devices/registerdevice/${serial}`, { as: admin, json })).json;
    const frame = await frameRegistry(db).known(serial);
    await notePanel(db, frame, 'el133uf1', { now: clock.now(), random });
    const span = `DateStart=2000-01-01T00:00:00Z&DateEnd=${clock.now() + 1}&TypeFilter=alert`;
    for (const room of ['devices', 'iotdevice']) {
      const [alert] = (await call('GET', `/${room}/events/${createdDevice.id}?${span}`, { as: admin })).json;
      assert.equal(
        [alert.problems[0].code, alert.remedies],
        ['names-other-panel', [{ code: 'remedy-other-panel', sentence: alert.payload.remedy }]],
      );
    }
  }));

test('clients in the field read errors as they always did', () =>
  withHttp(async ({ call, admin }) => {
    const { json } = await call('POST', '/v1/users', { as: admin, json: { email: 7 } });
    assert.equal(Object.keys(json).sort(), ['code', 'message', 'raw']);
  }));

test.run();
