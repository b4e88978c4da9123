/** The routes of alerts: what is written is read again, but for secrets; a test reports the receiver's answer. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { maxChannels } from '../../api/alerts/channels.ts';
import type { SentOutcome } from '../../api/alerts/mail.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { withHttp } from '../http/world.ts';

const test = suite('routes of alerts');

const whole = {
  kind: 'ntfy',
  name: 'Family',
  isOn: true,
  url: 'https://ntfy.example/',
  topic: 'home',
  kinds: ['frame-silent', 'battery-low'],
  places: [{ building: 'School' }, { building: 'Town hall', floor: '2' }],
  digest: 'daily',
  quietHours: { from: '22:00', until: '06:30' },
  timeZone: 'Europe/Berlin',
  language: 'de',
  hourlyLimit: 4,
};

test('T-94: each field of a channel is read as it was written, and its secret never again', () =>
  withHttp(async ({ call, admin, db }) => {
    const path = `/organizations/${admin.organizationId}/alerts/channels/`;
    const made = await call('POST', path, { as: admin, json: { ...whole, secret: 'tk_sesame-open' } });
    assert.is(made.status, 201, made.text);
    const { id, createdAt, updatedAt, ...shown } = made.json;
    const state = { state: 'untried', waiting: 0, nextAt: null, lastSentAt: null, failingSince: null, lastError: null };
    assert.equal(shown, { ...whole, hasSecret: true, ...state });
    const change = {
      name: 'Home',
      isOn: false,
      url: 'https://other.example/',
      topic: 'all',
      kinds: null,
      places: null,
      digest: 'hourly',
      quietHours: null,
      timeZone: 'UTC',
      language: 'en',
      hourlyLimit: 60,
    };
    const changed = await call('PATCH', `${path}${id}`, { as: admin, json: change });
    assert.is(changed.status, 200, changed.text);
    for (const [field, value] of Object.entries(change)) assert.equal(changed.json[field], value, field);
    assert.is(changed.json.hasSecret, true, 'what is left out stays');
    assert.is(changed.json.state, 'off');
    const without = await call('PATCH', `${path}${id}`, { as: admin, json: { secret: null } });
    assert.is(without.json.hasSecret, false);
    const listed = await call('GET', path, { as: admin });
    assert.is(listed.json.channels.length, 1);
    const rows = JSON.stringify([await db('alert_channels'), await db('audit_entries')]);
    for (const text of [made.text, changed.text, listed.text, rows]) assert.not.match(text, /sesame/);
    assert.is((await call('DELETE', `${path}${id}`, { as: admin })).status, 204);
    assert.is((await call('DELETE', `${path}${id}`, { as: admin })).status, 404);
  }));

test('a channel that lacks something, leads nowhere or is one too many is refused in words', () =>
  withHttp(async ({ call, admin }) => {
    const path = `/organizations/${admin.organizationId}/alerts/channels/`;
    const make = (json: object) => call('POST', path, { as: admin, json: { name: 'Family', ...json } });
    for (const [json, status, said] of [
      [{ kind: 'ntfy', url: 'https://ntfy.example' }, 400, /needs topic/],
      [{ kind: 'webhook' }, 400, /needs url/],
      [{ kind: 'webhook', url: 'https://hooks.example/in', places: [{}] }, 400, /places.*names nothing/],
      [{ kind: 'webhook', url: 'https://hooks.example/in', places: [] }, 400, /places/],
      [{ kind: 'webhook', url: 'https://me:secret@hooks.example' }, 400, /password/],
      [{ kind: 'webhook', url: 'file:///etc/passwd' }, 400, /url/],
      [{ kind: 'webhook', url: 'https://192.168.1.5/in' }, 400, /PAPERGATE_HOME_NETWORKS.* add the host/],
      [{ kind: 'ntfy', url: 'http://nas:8080', topic: 'home' }, 400, /PAPERGATE_HOME_NETWORKS.* add the host/],
      [
        { kind: 'webhook', url: 'http://93.184.216.34/in' },
        400,
        /unencrypted http .*PAPERGATE_HOME_NETWORKS.*use https/,
      ],
      [{ kind: 'webhook', url: 'https://127.0.0.1/in' }, 400, /not public/],
      [{ kind: 'mail', recipients: ['ada@example.org'] }, 409, /PAPERGATE_SMTP_URL/],
      [{ kind: 'webhook', url: 'https://a.example', quietHours: { from: '25:00', until: '07:00' } }, 400, /22:00/],
      [{ kind: 'webhook', url: 'https://a.example', quietHours: { from: '07:00', until: '07:00' } }, 400, /same time/],
      [{ kind: 'webhook', url: 'https://a.example', timeZone: 'Mars/Olympus' }, 400, /time zone/],
      [{ kind: 'webhook', url: 'https://a.example', kinds: ['disk-low'] }, 400, /kinds/],
    ] as const) {
      const answer = await make(json);
      assert.is(answer.status, status, answer.text);
      assert.match(answer.text, said);
    }
    for (let count = 0; count < maxChannels; count++) {
      assert.is((await make({ kind: 'webhook', url: 'https://a.example' })).status, 201);
    }
    const surplus = await make({ kind: 'webhook', url: 'https://a.example' });
    assert.is(surplus.status, 409);
    assert.match(surplus.text, /at most 20 channels/);
  }));

test('a test that reaches some of the recipients alone names the others, there and at the channel, until one reaches all', () => {
  const refused = reasonOf('mail-refused-some', { refused: 'gone@example.org (550 no such mailbox)' });
  const sent: { outcome: SentOutcome } = {
    outcome: { ok: true, answer: reasonOf('mail-taken', { answer: '250 queued' }), refused },
  };
  return withHttp(
    async ({ call, admin }) => {
      const path = `/organizations/${admin.organizationId}/alerts/channels/`;
      const json = { kind: 'mail', name: 'Both', recipients: ['ada@example.org', 'gone@example.org'] };
      const { id } = (await call('POST', path, { as: admin, json })).json;
      const tried = (await call('POST', `${path}${id}/test`, { as: admin })).json;
      assert.is(tried.sent, false);
      assert.match(tried.answer, /accepted it: 250 queued; .*not accept it for everyone: gone@example\.org/);
      const read = async () => (await call('GET', path, { as: admin })).json.channels[0];
      const failing = await read();
      assert.is(failing.state, 'failing');
      assert.match(failing.lastError, /gone@example\.org \(550 no such mailbox\)/);
      assert.ok(failing.lastSentAt !== null);
      sent.outcome = { ok: true, answer: reasonOf('mail-taken', { answer: '250 queued' }) };
      await call('POST', `${path}${id}/test`, { as: admin });
      const well = await read();
      assert.equal([well.state, well.lastError], ['working', null]);
    },
    { hasMail: true, sendAlert: async () => sent.outcome },
  );
});

test('a test returns the receiver’s answer, and is limited in number', () =>
  withHttp(
    async ({ call, admin, db, clock }) => {
      const path = `/organizations/${admin.organizationId}/alerts/channels/`;
      const json = { kind: 'mail', name: 'Ada', recipients: ['ada@example.org'] };
      const { id } = (await call('POST', path, { as: admin, json })).json;
      const tried = await call('POST', `${path}${id}/test`, { as: admin });
      assert.is(tried.json.sent, true);
      assert.is(tried.json.answer, 'The receiver accepted it: status 200');
      assert.is(tried.json.answers[0].code, 'receiver-took-it');
      const read = async () => (await call('GET', path, { as: admin })).json.channels[0];
      assert.is((await read()).state, 'working', 'a test arrived');
      assert.is((await call('PATCH', `${path}${id}`, { as: admin, json: { name: 'Eve' } })).json.state, 'working');
      const elsewhere = { recipients: ['eve@example.org'] };
      assert.is((await call('PATCH', `${path}${id}`, { as: admin, json: elsewhere })).json.state, 'untried');
      await db('alert_channels').update({ failing_since: 1, next_at: clock.now() + 3_600_000 });
      await call('POST', `${path}${id}/test`, { as: admin });
      const { next_at } = await db('alert_channels').first('next_at');
      assert.ok(next_at <= clock.now(), 'what waits is sent as soon as the receiver is heard');
      for (const status of [200, 429]) {
        assert.is((await call('POST', `${path}${id}/test`, { as: admin })).status, status);
      }
    },
    { hasMail: true },
  ));

test('outages are listed, those that last first, to admins of their organization', () =>
  withHttp(async ({ call, admin, stranger, db, random }) => {
    const outage = (name: string, since: number, endedAt: number | null) => ({
      id: random.id(),
      organization_id: admin.organizationId,
      kind: 'frame-silent',
      subject: name,
      name,
      since,
      opened_at: since,
      tell_at: since,
      told_at: since,
      ended_at: endedAt,
      closes_at: endedAt,
      closed_at: endedAt,
    });
    await db('alert_outages').insert([outage('old', 1, 2), outage('lasting', 3, null), outage('newer', 5, 6)]);
    const path = `/organizations/${admin.organizationId}/alerts/outages/`;
    const names = async (query: string): Promise<string[]> =>
      (await call('GET', `${path}${query}`, { as: admin })).json.map(({ name }: { name: string }) => name);
    assert.equal(await names(''), ['lasting', 'newer', 'old']);
    assert.equal(await names('?open=true'), ['lasting']);
    assert.equal(await names('?open=false&limit=1'), ['newer']);
    assert.is((await call('GET', path, { as: stranger })).status, 404);
  }));

test('the variables of alerts are read, and what does not fit is named without a secret', () => {
  const smtp = {
    PAPERGATE_SMTP_URL: 'smtps://me:pw@mail.example:465',
    PAPERGATE_MAIL_FROM: 'Papergate <p@mail.example>',
  };
  const to = 'ops@example.org, https://:key-of-8@hooks.example/a, ntfy+https://:tk_12345@ntfy.example/push/alerts';
  assert.equal(readSettings({ ...smtp, PAPERGATE_ALERTS_TO: to }).PAPERGATE_ALERTS_TO, [
    { kind: 'mail', target: { recipients: ['ops@example.org'] } },
    { kind: 'webhook', target: { url: 'https://hooks.example/a' }, secret: 'key-of-8' },
    { kind: 'ntfy', target: { url: 'https://ntfy.example/push/', topic: 'alerts' }, secret: 'tk_12345' },
  ]);
  for (const [env, said] of [
    [{ PAPERGATE_SMTP_URL: 'imap://me:hidden@x' }, /PAPERGATE_SMTP_URL: is not the address of a mail server/],
    [{ PAPERGATE_SMTP_URL: 'smtp://x' }, /PAPERGATE_SMTP_URL: needs PAPERGATE_MAIL_FROM/],
    [{ PAPERGATE_ALERTS_TO: 'ops@example.org' }, /PAPERGATE_ALERTS_TO: names a mail address/],
    [{ PAPERGATE_ALERTS_TO: 'https://hidden:hidden@x, y' }, /number 1 is not a receiver.*number 2/s],
    [{ PAPERGATE_ALERTS_TO: 'https://:hidden@hooks.example/x' }, /number 1 has a secret .* 8 to 200 characters/],
    [{ PAPERGATE_ALERTS_TO: 'ntfy+https://ntfy.example' }, /number 1/],
    [{ PAPERGATE_ALERTS_TO: 'https://:%zz@hooks.example/x' }, /number 1: its user or password has signs/],
  ] as const) {
    assert.throws(
      () => readSettings(env),
      (error: Error) => said.test(error.message) && !error.message.includes('hidden'),
      said.source,
    );
  }
});

test.run();
