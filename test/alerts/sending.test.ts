/** When channels send: quiet hours, digests, limits, failing receivers, and several nodes. */

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ChannelRow, channelStore } from '../../api/alerts/channels.ts';
import { openMail } from '../../api/alerts/mail.ts';
import { setUpOperatorsChannels } from '../../api/alerts/operators-channels.ts';
import { mayIn, planned, quietUntil, type SendingTimes } from '../../api/alerts/quiet-hours.ts';
import { wordSpan } from '../../api/alerts/word-message.ts';
import { forgetOldRows } from '../../api/retention/forget-old-rows.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { readReasons, reasonOf } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { withReceiver } from '../callbacks/receiver.ts';
import { longTest } from '../some-times.ts';
import { hourMs, minuteMs, withAlerts, withMailServer } from './alert-world.ts';

const test = suite('sending of alerts');
const dayMs = 24 * hourMs;

const times = (more: Partial<SendingTimes>): SendingTimes => ({
  digest: 'immediately',
  quiet_from: null,
  quiet_until: null,
  time_zone: 'Europe/Berlin',
  hourly_limit: 12,
  ...more,
});
const at = (iso: string): number => Date.parse(iso);
const iso = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString();

test('quiet hours end at the time that clocks of the zone show, over midnight and when clocks are moved', () => {
  const night = times({ quiet_from: '22:00', quiet_until: '07:00' });
  assert.is(quietUntil(at('2026-01-10T20:59:00Z'), night), undefined);
  assert.is(iso(quietUntil(at('2026-01-10T21:00:00Z'), night)), '2026-01-11T06:00:00.000Z');
  assert.is(iso(quietUntil(at('2026-01-11T05:59:00Z'), night)), '2026-01-11T06:00:00.000Z');
  assert.is(quietUntil(at('2026-01-11T06:00:00Z'), night), undefined);
  // Clocks go forward on 29 March at 2:00, and back on 25 October at 3:00.
  assert.is(iso(quietUntil(at('2026-03-28T22:00:00Z'), night)), '2026-03-29T05:00:00.000Z');
  assert.is(iso(quietUntil(at('2026-10-24T21:00:00Z'), night)), '2026-10-25T06:00:00.000Z');
  const skipped = times({ quiet_from: '01:00', quiet_until: '02:30' });
  assert.is(iso(quietUntil(at('2026-03-29T00:30:00Z'), skipped)), '2026-03-29T01:30:00.000Z');
  // 2:15 for the second time.
  assert.is(iso(quietUntil(at('2026-10-25T01:15:00Z'), skipped)), '2026-10-25T01:30:00.000Z');
  // On Lord Howe clocks go back by half an hour: 1:40 for the first time, and for the second.
  const island = times({ quiet_from: '01:00', quiet_until: '01:45', time_zone: 'Australia/Lord_Howe' });
  assert.is(iso(quietUntil(at('2026-04-04T14:40:00Z'), island)), '2026-04-04T14:45:00.000Z');
  assert.is(iso(quietUntil(at('2026-04-04T15:10:00Z'), island)), '2026-04-04T15:15:00.000Z');
  const noon = times({ quiet_from: '12:00', quiet_until: '13:00' });
  assert.is(iso(quietUntil(at('2026-01-10T11:30:00Z'), noon)), '2026-01-10T12:00:00.000Z');
});

test('a digest comes at the next full hour or at eight in the morning, and a spent limit waits for its hour', () => {
  const now = at('2026-01-10T08:20:00Z');
  assert.is(planned(now, times({}), []), now);
  assert.is(iso(planned(now, times({ digest: 'hourly' }), [])), '2026-01-10T09:00:00.000Z');
  assert.is(iso(planned(now, times({ digest: 'daily' }), [])), '2026-01-11T07:00:00.000Z');
  assert.is(iso(planned(at('2026-01-10T05:00:00Z'), times({ digest: 'daily' }), [])), '2026-01-10T07:00:00.000Z');
  // At two clocks on Lord Howe show half past one, or half past two: the summary then comes at the next full hour.
  const island = times({ digest: 'hourly', time_zone: 'Australia/Lord_Howe' });
  assert.is(iso(planned(at('2026-04-04T14:50:00Z'), island, [])), '2026-04-04T15:30:00.000Z');
  assert.is(iso(planned(at('2026-10-03T15:10:00Z'), island, [])), '2026-10-03T16:00:00.000Z');
  const sent = [now - 50 * minuteMs, now - 10 * minuteMs];
  assert.is(mayIn(now, times({ hourly_limit: 3 }), sent), now);
  assert.is(mayIn(now, times({ hourly_limit: 2 }), sent), now + 10 * minuteMs);
  assert.is(mayIn(now, times({ hourly_limit: 1 }), sent), now + 50 * minuteMs);
  const quiet = times({ quiet_from: '06:00', quiet_until: '12:00', digest: 'daily' });
  assert.is(iso(planned(now, quiet, [])), '2026-01-11T11:00:00.000Z');
});

test('spans are worded in the two largest units', () => {
  assert.is(wordSpan(3 * hourMs + 20 * minuteMs, 'en'), '3 h 20 min');
  assert.is(wordSpan(20_000, 'en'), '1 min');
  assert.is(wordSpan(2 * dayMs + 4 * hourMs + 5 * minuteMs, 'de'), '2 T. 4 Std.');
});

const ok = (_: unknown, response: { writeHead(status: number): { end(): void } }): void =>
  void response.writeHead(200).end();

test('what happens in the quiet hours waits until they end, and an outage that was over by then is reported as over', () =>
  withReceiver(ok, ({ origin, received }) =>
    withAlerts(
      async (world) => {
        await world.addChannel({
          kind: 'webhook',
          target: { url: origin },
          quiet_from: '22:00',
          quiet_until: '07:00',
        });
        const [hall, kitchen] = [await world.addFrame('Hall'), await world.addFrame('Kitchen')];
        await world.silent(hall.serial, true);
        await world.silent(kitchen.serial, true);
        await world.watches(hourMs, 10 * minuteMs);
        await world.silent(hall.serial, false);
        await world.watches(5 * hourMs, 10 * minuteMs);
        assert.is(received.length, 0);
        await world.watches(hourMs, 10 * minuteMs);
        assert.is(received.length, 1);
        const { title, text } = JSON.parse(received[0]?.body ?? '');
        assert.is(title, '1 outage, 1 is over');
        assert.match(text, /“Hall” is back, after 1 h 10 min\./);
      },
      { at: at('2026-03-28T22:30:00Z') },
    ),
  ));

test('a channel of a kind that this release does not know sends nothing, and reports that', () =>
  withReceiver(ok, ({ origin, received }) =>
    withAlerts(async (world) => {
      await world.addChannel({ kind: 'ntfy', target: { url: origin, topic: 'papers' } });
      // A node of the next release wrote it.
      await world.db('alert_channels').update({ kind: 'pager' });
      await world.silent((await world.addFrame('Hall')).serial, true);
      await world.watches(minuteMs);
      assert.is(received.length, 0);
      const { last_error: lastError } = await world.db('alert_channels').first();
      assert.equal(readReasons(lastError), [reasonOf('channel-kind-unknown', { kind: 'pager' })]);
    }),
  ));

test('beyond the limit of an hour messages wait, and are then one', () =>
  withReceiver(ok, ({ origin, received }) =>
    withAlerts(async (world) => {
      await world.addChannel({ kind: 'webhook', target: { url: origin }, hourly_limit: 3 });
      for (let count = 1; count <= 8; count++) {
        await world.silent((await world.addFrame(`Frame ${count}`)).serial, true);
        await world.watches(minuteMs);
      }
      assert.is(received.length, 3);
      await world.watches(hourMs, 5 * minuteMs);
      assert.is(received.length, 4);
      assert.is(JSON.parse(received[3]?.body ?? '').title, '5 outages');
    }),
  ));

test('a channel reports the kinds that it wants, and one that is off reports nothing', () =>
  withReceiver(ok, ({ origin, received }) =>
    withAlerts(async (world) => {
      await world.addChannel({ kind: 'webhook', target: { url: origin }, kinds: ['battery-low'] });
      await world.addChannel({ kind: 'webhook', target: { url: origin }, is_on: 0 });
      const { serial } = await world.addFrame('Hall');
      await world.silent(serial, true);
      await world.looks();
      assert.is(received.length, 0);
      await world.db('frame_watch').where({ serial }).update({ battery_level: 'low' });
      await world.looks();
      assert.equal(
        received.map(({ body }) => JSON.parse(body).title),
        ['The battery of “Hall” is low'],
      );
    }),
  ));

longTest(test)(
  'a receiver that fails for days is tried seldom, logged once, and gets what is left in one message',
  () => {
    let status = 500;
    return withReceiver(
      (_, response) => void response.writeHead(status).end(),
      ({ origin, received }) =>
        withAlerts(async (world) => {
          const id = await world.addChannel({ kind: 'webhook', target: { url: origin } });
          await world.silent((await world.addFrame('First')).serial, true);
          await world.looks();
          const since = (await world.channel(id)).failing_since;
          assert.is(since, world.clock.now());
          await world.watches(2 * dayMs, 10 * minuteMs);
          assert.ok(received.length > 40 && received.length < 120, `${received.length} attempts`);
          const failing = await world.channel(id);
          assert.is(failing.failing_since, since);
          assert.equal(readReasons(failing.last_error), [reasonOf('receiver-not-taken', { status: 500 })]);
          assert.is(world.logged.filter(({ text }) => text.includes('an alert channel fails')).length, 1);
          await world.watches(6 * dayMs, hourMs);
          assert.is(await world.waiting(), 0, 'what is older than seven days is dropped');
          await world.silent((await world.addFrame('Second')).serial, true);
          status = 204;
          await world.watches(2 * hourMs, 10 * minuteMs);
          const last = JSON.parse(received.at(-1)?.body ?? '');
          assert.match(last.text, /“Second” was expected/);
          assert.match(last.text, /1 older message could not be sent in time/);
          const well = await world.channel(id);
          assert.equal([well.failing_since, well.last_error, well.next_at, well.left_out], [null, null, null, 0]);
        }),
    );
  },
);

test('a queue is never endless: beyond 500 the oldest notices are left out', () =>
  withReceiver(
    (_, response) => void response.writeHead(503).end(),
    ({ origin }) =>
      withAlerts(async (world) => {
        const id = await world.addChannel({ kind: 'webhook', target: { url: origin } });
        for (let count = 1; count <= 620; count++) {
          const { serial } = await world.addFrame(`Frame ${count}`);
          await world.db('frame_watch').where({ serial }).update({ overdue_since: 1 });
        }
        await world.looks();
        assert.is(await world.waiting(), 500);
        assert.is((await world.channel(id)).left_out, 120);
      }),
  ));

/** Opens a mail server that takes connections and never says a word. */
async function withSilentServer(run: (url: string) => Promise<void>): Promise<void> {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => {})));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  try {
    await run(`smtp://ops:hidden-password@127.0.0.1:${(silent.address() as AddressInfo).port}`);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  }
}

const from = 'papergate@example.org';
const letter = { to: ['ada@example.org'], subject: 'x', text: 'x', id: 'x' };

test('a mail server that hangs is left after a minute in all, and the mail waits', () =>
  withSilentServer((url) => {
    const { now, after } = systemClock;
    const hurried: Clock = { now, after: (ms, run) => after(ms / 300, run) };
    return withAlerts(
      async (world) => {
        const id = await world.addChannel({ kind: 'mail', target: { recipients: ['ada@example.org'] } });
        await world.silent((await world.addFrame('Hall')).serial, true);
        await world.looks();
        const { last_error } = await world.channel(id);
        assert.equal(readReasons(last_error), [reasonOf('mail-server-late', { seconds: 60 })]);
        assert.is(await world.waiting(), 1);
        assert.not.match(JSON.stringify(world.logged), /hidden-password/);
      },
      { mail: openMail({ url, from, clock: hurried }) },
    );
  }));

longTest(test)('a mail server that greets nobody is left after ten seconds', () =>
  withSilentServer(async (url) => {
    const began = Date.now();
    const sent = await openMail({ url, from, clock: systemClock }).send(letter);
    assert.equal(sent, { ok: false, problem: reasonOf('mail-server-away', { error: 'ETIMEDOUT' }) });
    const tookMs = Date.now() - began;
    assert.ok(tookMs > 9_000 && tookMs < 20_000, `${tookMs} ms`);
  }),
);

test('the objection of a mail server to a mail is reported', () =>
  withMailServer(
    {
      onRcptTo: (_, __, done) => done(Object.assign(new Error('no such mailbox here'), { responseCode: 550 })),
    },
    async ({ url }) => {
      const sent = await openMail({ url, from, clock: systemClock }).send(letter);
      assert.is(sent.ok, false);
      assert.match(sent.ok ? '' : wordsOf(sent.problem), /The mail server did not accept it: 550 no such mailbox here/);
      const away = await openMail({ url: 'smtp://127.0.0.1:1', from, clock: systemClock }).send(letter);
      assert.equal(away, { ok: false, problem: reasonOf('mail-server-away', { error: 'ECONNREFUSED' }) });
    },
  ));

test('INV-74: a stop cuts off what is being sent, counts it as nothing, and leaves it due at once', async () => {
  const answers: { end(): void }[] = [];
  await withReceiver(
    (_, response) => void answers.push(response),
    ({ origin, arrived }) =>
      withAlerts(async (world) => {
        const id = await world.addChannel({ kind: 'webhook', target: { url: origin } });
        await world.silent((await world.addFrame('Hall')).serial, true);
        await world.watch.look();
        await arrived(1);
        await world.watch.stop();
        const { attempts, failing_since, next_at } = await world.channel(id);
        assert.equal([attempts, failing_since, next_at], [0, null, world.clock.now()]);
        assert.is(await world.waiting(), 1);
        for (const answer of answers) answer.end();
      }),
  );
});

test('two nodes that look at the same moment send each message once', () =>
  withReceiver(ok, ({ origin, received }) =>
    withAlerts(async (world) => {
      await world.addChannel({ kind: 'webhook', target: { url: origin } });
      await world.silent((await world.addFrame('Hall')).serial, true);
      await world.watch.look();
      await world.drain.idle();
      assert.is(received.length, 1);
      await world.db('alert_notices').update({ sent_at: null, message_id: null });
      await world.db('alert_channels').update({ next_at: world.clock.now() });
      const other = world.anotherNode();
      await Promise.all([world.drain.drain(), other.drain.drain()]);
      await Promise.all([world.drain.idle(), other.drain.idle()]);
      assert.is(received.length, 2, 'one of them had the claim');
      const idle = world.anotherNode({
        isOurs: () => false,
        transact: () => Promise.reject(new Error('not ours')),
        whenOurs: () => {},
      });
      await world.silent((await world.addFrame('Kitchen')).serial, true);
      await idle.watch.look();
      assert.is((await world.outages()).length, 1);
    }),
  ));

test('T-94: secrets are sealed where they are kept, and reach no log', () =>
  withReceiver(
    (_, response) => void response.writeHead(403).end('the-secret-of-the-hook is wrong'),
    ({ origin }) =>
      withAlerts(async (world) => {
        const id = await world.addChannel({ kind: 'webhook', target: { url: origin } }, 'the-secret-of-the-hook');
        await world.silent((await world.addFrame('Hall')).serial, true);
        await world.looks();
        const rows = JSON.stringify(await world.db('alert_channels'));
        assert.not.match(rows + JSON.stringify(world.logged), /the-secret-of-the-hook/);
        const deps = { clock: world.clock, random: world.random, sealKey: world.sealKey };
        const { kind, target, ...row } = await world.channel(id);
        const choice = { ...row, kind, target: JSON.parse(target), kinds: null, places: null };
        const plain = Object.fromEntries(
          Object.entries(choice).filter(([name]) =>
            [
              'kind',
              'name',
              'is_on',
              'digest',
              'quiet_from',
              'quiet_until',
              'time_zone',
              'language',
              'hourly_limit',
              'target',
              'kinds',
              'places',
            ].includes(name),
          ),
        ) as typeof choice;
        await channelStore(world.db).change(deps, { ...row, target }, plain, null);
        assert.is((await world.channel(id)).sealed, null);
      }),
  ));

test('the operator’s channels are what the settings name, made once, and follow a change of them and of the key', () =>
  withAlerts(async ({ db, clock, random, sealKey, addOrganization }) => {
    await addOrganization();
    const deps = { clock, random, sealKey };
    const receivers = (to: string) => readSettings({ PAPERGATE_ALERTS_TO: to }).PAPERGATE_ALERTS_TO;
    const rows = () => db<ChannelRow>('alert_channels').orderBy('kind').select('id', 'kind', 'target', 'sealed');
    await setUpOperatorsChannels(
      db,
      deps,
      receivers('https://:first-key@hooks.example/a,ntfy+https://ntfy.example/ops'),
    );
    const first = await rows();
    assert.equal(
      first.map(({ kind }) => kind),
      ['ntfy', 'webhook'],
    );
    await setUpOperatorsChannels(
      db,
      deps,
      receivers('https://:first-key@hooks.example/a,ntfy+https://ntfy.example/ops'),
    );
    assert.equal(await rows(), first, 'nothing is written');
    await setUpOperatorsChannels(db, deps, receivers('https://:other-key@hooks.example/a'));
    const [changed, ...more] = await rows();
    assert.equal(more, []);
    assert.is(changed?.id, first[1]?.id);
    assert.is.not(changed?.sealed, first[1]?.sealed);
    const otherKey = { ...deps, sealKey: Buffer.alloc(32, 9) };
    await setUpOperatorsChannels(db, otherKey, receivers('https://:other-key@hooks.example/a'));
    assert.is.not((await rows())[0]?.sealed, changed?.sealed);
    await setUpOperatorsChannels(db, otherKey, []);
    assert.equal(await rows(), []);
  }));

test('a channel whose secret can no longer be opened fails with a sentence', () =>
  withReceiver(ok, ({ origin, received }) =>
    withAlerts(async (world) => {
      const id = await world.addChannel({ kind: 'webhook', target: { url: origin } }, 'a-long-secret');
      await world.db('alert_channels').where({ id }).update({ sealed: 'of another key' });
      await world.silent((await world.addFrame('Hall')).serial, true);
      await world.looks();
      assert.match(wordsOf(readReasons((await world.channel(id)).last_error)), /can no longer be opened: set it again/);
      assert.is(received.length, 0);
    }),
  ));

test('outages that are long over are forgotten at night, with their messages; those that last stay', () =>
  withReceiver(ok, ({ origin }) =>
    withAlerts(async (world) => {
      await world.addChannel({ kind: 'webhook', target: { url: origin } });
      const [hall, kitchen] = [await world.addFrame('Hall'), await world.addFrame('Kitchen')];
      await world.silent(hall.serial, true);
      await world.silent(kitchen.serial, true);
      await world.looks();
      await world.silent(hall.serial, false);
      await world.watches(20 * minuteMs);
      world.clock.passes(91 * dayMs);
      await forgetOldRows(world.db, world.clock.now());
      assert.equal(
        (await world.outages()).map(({ name }) => name),
        ['Kitchen'],
      );
      assert.is((await world.db('alert_notices')).length, 1);
    }),
  ));

test.run();
