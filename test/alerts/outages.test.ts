/** One message for each outage, to real receivers. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openMail } from '../../api/alerts/mail.ts';
import { holdMs } from '../../api/alerts/outage-kinds.ts';
import { recordServiceOutage, unclosedOutages } from '../../api/alerts/outages.ts';
import { signWebhook } from '../../api/alerts/send-message.ts';
import { alone } from '../../cluster/alone.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type Received, withReceiver } from '../callbacks/receiver.ts';
import { hourMs, minuteMs, withAlerts, withMailServer } from './alert-world.ts';

const test = suite('outages');

const ok = (_: unknown, response: { writeHead(status: number): { end(): void } }): void =>
  void response.writeHead(200).end();

test('INV-90: an outage is reported once, however often it is looked at, and its end once, with how long it lasted', () =>
  withReceiver(ok, ({ origin, received }) =>
    withAlerts(async (world) => {
      await world.addChannel({ kind: 'webhook', target: { url: `${origin}/hook` } }, 'a-long-secret');
      const { serial, deviceId } = await world.addFrame('Kitchen');
      await world.silent(serial, true);
      await world.watches(3 * hourMs + 20 * minuteMs, 5 * minuteMs);
      assert.is(received.length, 1);
      const [first] = received;
      const body = JSON.parse(first?.body ?? '');
      assert.is(body.title, '“Kitchen” is offline');
      assert.match(body.text, /“Kitchen” was expected on Sat.* 10 Jan.* 09:00 and has not come\./);
      assert.is(body.link, `https://papers.example/console/frames/${deviceId}`);
      assert.is(body.organizationId, world.organizationId);
      const timestamp = String(first?.headers['x-papergate-timestamp']);
      assert.is(first?.headers['x-papergate-signature'], signWebhook('a-long-secret', timestamp, first?.body ?? ''));
      const lasting = async () =>
        (await unclosedOutages(world.db, world.organizationId)).map(({ ended_at }) => ended_at === null);
      assert.equal(await lasting(), [true]);
      await world.silent(serial, false);
      await world.looks();
      assert.is(received.length, 1, 'it may come again');
      assert.equal(await lasting(), [false]);
      await world.watches(hourMs, 5 * minuteMs);
      assert.is(received.length, 2);
      const over = JSON.parse(received[1]?.body ?? '');
      assert.is(over.text, '“Kitchen” is back, after 3 h 20 min.');
      assert.is(over.outages[0].id, body.outages[0].id);
      assert.ok(over.outages[0].endedAt);
    }),
  ));

test('INV-90: what ends and begins again within the hold time is the same outage; after it, another one', () =>
  withReceiver(ok, ({ origin, received }) =>
    withAlerts(async (world) => {
      await world.addChannel({ kind: 'webhook', target: { url: origin } });
      const { serial } = await world.addFrame('Hall');
      for (let time = 0; time < 10; time++) {
        await world.silent(serial, time % 2 === 0);
        await world.watches(holdMs / 2);
      }
      assert.is(received.length, 1);
      assert.is((await world.outages()).length, 1);
      await world.watches(2 * holdMs);
      assert.is(received.length, 2);
      await world.silent(serial, true);
      await world.looks();
      assert.is(received.length, 3);
      assert.is((await world.outages()).length, 2);
    }),
  ));

test('a look at a service where nothing changes writes nothing', () =>
  withReceiver(ok, ({ origin }) =>
    withAlerts(async (world) => {
      await world.addChannel({ kind: 'webhook', target: { url: origin } });
      const { serial } = await world.addFrame('Hall');
      await world.silent(serial, true);
      await world.watches(5 * minuteMs);
      const written: string[] = [];
      const note = ({ sql }: { readonly sql: string }): void => {
        if (/^\s*(?:insert|update|delete|with .* (?:insert|update|delete))/i.test(sql)) written.push(sql);
      };
      world.db.on('query', note);
      await world.watches(10 * minuteMs);
      assert.equal(written, []);
    }),
  ));

test('a failure of a paper that mends itself within a quarter of an hour is not reported', () =>
  withReceiver(ok, ({ origin, received }) =>
    withAlerts(async (world) => {
      await world.addChannel({ kind: 'webhook', target: { url: origin } });
      const { db, clock, random, organizationId } = world;
      const { deviceId } = await world.addFrame('Hall');
      const paperId = random.id();
      const times = { created_at: clock.now(), updated_at: clock.now() };
      const paper = { organization_id: organizationId, device_id: deviceId, kind: 'website', meta: '{"title":"News"}' };
      await db('papers').insert({ id: paperId, ...paper, author: 'x', sequence: 0, ...times });
      await db('devices').where({ id: deviceId }).update({ paper_id: paperId });
      const fails = async (problem: string | null): Promise<void> => {
        await db('shown_pictures').where({ device_id: deviceId }).delete();
        const shown = {
          device_id: deviceId,
          paper_id: paperId,
          revision: 'r',
          attempts: 1,
          due_at: 0,
          updated_at: clock.now(),
        };
        await db('shown_pictures').insert({ ...shown, problem });
      };
      await fails('The page answered with status 500.');
      await world.watches(10 * minuteMs);
      await fails(null);
      await world.watches(30 * minuteMs);
      assert.is(received.length, 0);
      assert.equal(await world.outages(), []);
      await fails('The page answered with status 500.');
      await world.watches(16 * minuteMs);
      assert.is(received.length, 1);
      assert.is(JSON.parse(received[0]?.body ?? '').title, 'There is no new picture of “News”');
    }),
  ));

test('INV-90: a channel that is limited to a building reports its frames and their content alone, and of their end wherever they hang by then', () =>
  withReceiver(ok, ({ origin, received }) =>
    withAlerts(async (world) => {
      const { db, silent, watches } = world;
      const school = { building: 'School' };
      const wing = { building: 'school ', floor: '2' };
      await world.addChannel({ kind: 'webhook', target: { url: `${origin}/school` }, places: [school] });
      await world.addChannel({ kind: 'webhook', target: { url: `${origin}/wing` }, places: [wing] });
      await world.addChannel({ kind: 'webhook', target: { url: `${origin}/all` } });
      const hung = async (name: string, place: object | undefined): Promise<string> => {
        const { serial, deviceId } = await world.addFrame(name);
        await db('devices')
          .where({ id: deviceId })
          .update({ meta: JSON.stringify({ place }) });
        return serial;
      };
      const serials = [
        await hung('Gym', { building: 'School', floor: '1' }),
        await hung('Lab', { building: 'School', floor: '2' }),
        await hung('Counter', { building: 'Town hall', floor: '2' }),
        await hung('Somewhere', undefined),
      ];
      const told = (): Record<string, string[]> => {
        const names: Record<string, string[]> = {};
        for (const { path, body } of (received as Received[]).splice(0))
          names[path] = JSON.parse(body)
            .outages.map(({ name }: { name: string }) => name)
            .toSorted();
        return names;
      };
      for (const serial of serials) await silent(serial, true);
      await watches(5 * minuteMs);
      const everybody = ['Counter', 'Gym', 'Lab', 'Somewhere'];
      assert.equal(told(), { '/school': ['Gym', 'Lab'], '/wing': ['Lab'], '/all': everybody });
      await db('devices')
        .where({ name: 'Lab' })
        .update({ meta: JSON.stringify({ place: { building: 'Town hall' } }) });
      for (const serial of serials) await silent(serial, false);
      await watches(30 * minuteMs);
      assert.equal(told(), { '/school': ['Gym', 'Lab'], '/wing': ['Lab'], '/all': everybody });
    }),
  ));

test('many outages at once are one message that lists them, and what was removed meanwhile is not back', () =>
  withReceiver(ok, ({ origin, received }) =>
    withAlerts(async (world) => {
      await world.addChannel({ kind: 'webhook', target: { url: origin } });
      for (let at = 1; at <= 5; at++) await world.silent((await world.addFrame(`Frame ${at}`)).serial, true);
      await world.looks();
      assert.is(received.length, 1);
      const { title, text, outages } = JSON.parse(received[0]?.body ?? '');
      assert.is(title, '5 outages');
      assert.is(text.split('\n').length, 5);
      assert.is(outages.length, 5);
      await world.db('devices').where({ name: 'Frame 1' }).delete();
      for (const at of [2, 3]) {
        const { serial } = await world
          .db('devices')
          .where({ name: `Frame ${at}` })
          .first('serial');
        await world.silent(serial, false);
      }
      await world.watches(20 * minuteMs);
      assert.is(received.length, 2);
      assert.is(JSON.parse(received[1]?.body ?? '').title, '2 are over');
    }),
  ));

test('mail arrives with what happened, what to do and where to look, in the language of the channel', () =>
  withMailServer({}, ({ url, letters }) =>
    withAlerts(
      async (world) => {
        await world.addChannel({
          kind: 'mail',
          target: { recipients: ['ada@example.org', 'oma@example.org'] },
          language: 'de',
        });
        await world.silent((await world.addFrame('Küche\r\nBcc: x@example.org')).serial, true);
        await world.looks();
        assert.is(letters.length, 1);
        const [letter] = letters;
        assert.equal(letter?.to, ['ada@example.org', 'oma@example.org']);
        assert.match(letter?.text ?? '', /^From: papergate@example\.org$/m);
        assert.not.match(letter?.text ?? '', /^Bcc:/m);
        assert.match(letter?.text ?? '', /console\/frames\//);
      },
      { mail: openMail({ url, from: 'papergate@example.org', clock: systemClock }) },
    ),
  ));

test('ntfy gets its message as it documents it: topic, title, priority, tags and where a tap leads', () =>
  withReceiver(ok, ({ origin, received }) =>
    withAlerts(async (world) => {
      await world.addChannel({ kind: 'ntfy', target: { url: origin, topic: 'home' } }, 'tk_secret');
      await world.silent((await world.addFrame('Hall')).serial, true);
      await world.looks();
      const { topic, title, priority, tags, click } = JSON.parse(received[0]?.body ?? '');
      assert.equal([topic, title, priority, tags], ['home', '“Hall” is offline', 4, ['rotating_light']]);
      assert.match(click, /\/console\/frames\//);
      assert.is(received[0]?.headers.authorization, 'Bearer tk_secret');
    }),
  ));

test('trouble of the service itself goes to the channels of the operator alone', () =>
  withReceiver(ok, ({ origin, received }) =>
    withAlerts(async (world) => {
      await world.addChannel({ kind: 'webhook', target: { url: `${origin}/family` } });
      const id = await world.addChannel({ kind: 'webhook', target: { url: `${origin}/operator` } });
      await world.db('alert_channels').where({ id }).update({ organization_id: null });
      world.own.freeBytes = 1024;
      world.own.certificateEnd = world.clock.now() + 24 * hourMs;
      const deps = { ...world, single: alone.single };
      await recordServiceOutage(deps, 'backup-failed', true);
      await world.looks();
      assert.equal(
        received.map(({ path, body }) => `${path} ${JSON.parse(body).title}`),
        ['/operator 3 outages'],
      );
      world.own.freeBytes = 10 ** 12;
      await recordServiceOutage(deps, 'backup-failed', false);
      await world.looks();
      await world.watches(15 * minuteMs);
      assert.is(received.length, 2);
      assert.is(JSON.parse(received[1]?.body ?? '').title, '2 are over');
      assert.is(world.setUps(), 1);
    }),
  ));

test('an organization that is removed takes its channels and outages along', () =>
  withReceiver(ok, ({ origin }) =>
    withAlerts(async (world) => {
      await world.addChannel({ kind: 'webhook', target: { url: origin } });
      const { serial, deviceId } = await world.addFrame('Hall');
      await world.silent(serial, true);
      await world.looks();
      await world.db('devices').where({ id: deviceId }).delete();
      await world.db('organizations').where({ id: world.organizationId }).delete();
      for (const table of ['alert_channels', 'alert_outages', 'alert_notices']) {
        assert.equal(await world.db(table), [], table);
      }
      await world.looks();
    }),
  ));

test.run();
