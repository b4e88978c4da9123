/** Logins for the addresses of a paper: written, never shown, sealed, and sent to their origin alone. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FeedCaller, feedFetcher } from '../../api/calendar/fetch-feed.ts';
import { loginHeaders } from '../../api/outgoing/address-login.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { openLogins } from '../../api/papers/address-logins.ts';
import { fakeNetwork, withReceiver } from '../callbacks/receiver.ts';
import { withHttp, worldKeys } from '../http/world.ts';
import { handClock } from '../integration/integration-world.ts';

const test = suite('logins for addresses');

const feed = 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n';

test('T-93: a login is set, shown as set and forgotten by those who may write the paper, and its value is nowhere', async () => {
  const given: FeedCaller[] = [];
  await withHttp(
    async ({ admin, stranger, patient, call, db, random }) => {
      const { organizationId: organization } = admin;
      const deviceId = random.id();
      const device = { id: deviceId, organization_id: organization, meta: '{}', details: '{}', assignment: 0 };
      await db('devices').insert({ ...device, created_at: 0, updated_at: 0 });
      const meta = { calendars: [{ key: 'a', url: 'https://nas.example/a.ics' }] };
      const made = await call('POST', '/papers/', {
        as: admin,
        json: { deviceId, kind: 'calendar', organization, meta },
      });
      const paperId: string = made.json.id;
      const path = `/papers/${paperId}/logins/`;
      const set = await call('PUT', path, {
        as: admin,
        json: { address: 'webcal://nas.example/a', bearer: 'sesame-1' },
      });
      assert.is(set.status, 200);
      const { id, setAt, ...shown } = set.json;
      assert.equal(shown, { origin: 'https://nas.example', header: 'authorization', isSet: true });
      const other = { address: 'http://nas.example:5000/x', header: 'X-Token', value: 'sesame-2' };
      assert.is((await call('PUT', path, { as: admin, json: other })).json.header, 'x-token');
      const again = { address: 'http://nas.example:5000/y', header: 'X-Key', value: 'sesame-3' };
      assert.is((await call('PUT', path, { as: admin, json: again })).status, 200);
      const listed = await call('GET', path, { as: admin });
      assert.equal(
        listed.json.map(({ origin, header }: Record<string, string>) => `${origin} ${header}`),
        ['http://nas.example:5000 x-key', 'https://nas.example authorization'],
      );
      const paper = await call('GET', `/papers/${paperId}`, { as: admin });
      const rows = JSON.stringify(await db('address_logins'));
      for (const text of [
        set.text,
        listed.text,
        paper.text,
        rows,
        JSON.stringify(await db('audit_entries').catch(() => [])),
      ]) {
        assert.not.match(text, /sesame/);
      }
      const stored = { id: paperId, organization_id: organization };
      const opened = await openLogins(db, worldKeys.seal, stored);
      assert.equal(opened.map(({ value }) => value).sort(), ['Bearer sesame-1', 'sesame-3']);
      assert.equal(await openLogins(db, worldKeys.seal, { ...stored, organization_id: random.id() }), []);

      await call('GET', `/papers/calendar/${paperId}`, { as: admin });
      assert.equal(
        given.at(-1)?.logins?.find(({ origin }) => origin === 'https://nas.example')?.value,
        'Bearer sesame-1',
      );

      const storage = {
        address: 'http://ha.example:8123/lovelace',
        storageKey: 'own key',
        value: '{"token":"sesame-4"}',
      };
      const kept = (await call('PUT', path, { as: admin, json: storage })).json;
      assert.equal([kept.origin, kept.header, kept.storageKey], ['http://ha.example:8123', '', 'own key']);
      const [storedLogin] = (
        await openLogins(db, worldKeys.seal, { id: paperId, organization_id: organization })
      ).filter(({ storageKey }) => storageKey !== undefined);
      assert.is(storedLogin?.value, '{"token":"sesame-4"}');
      assert.equal(
        loginHeaders(storedLogin === undefined ? [] : [storedLogin], new URL(storage.address)),
        {},
        'it is a header of nothing',
      );
      assert.is((await call('DELETE', path + kept.id, { as: admin })).status, 204);

      for (const bad of [
        { address: 'https://nas.example/', storageKey: 'a' },
        { address: 'https://nas.example/', storageKey: 'a', header: 'a', value: 'b' },
        { address: 'https://nas.example/', storageKey: 'a\nb', value: 'b' },
        { address: 'ftp://nas.example/', bearer: 'x' },
        { address: 'https://nas.example/' },
        { address: 'https://nas.example/', bearer: 'x', header: 'a', value: 'b' },
        { address: 'https://nas.example/', header: 'a' },
        { address: 'https://nas.example/', header: 'Host', value: 'x' },
        { address: 'https://nas.example/', header: 'Content-Length', value: '1' },
        { address: 'https://nas.example/', header: 'a b', value: 'x' },
        { address: 'https://nas.example/', header: 'a', value: 'x\r\ny: z' },
      ]) {
        const refused = await call('PUT', path, { as: admin, json: bad });
        assert.is(refused.status, 400, JSON.stringify(bad));
      }
      for (const as of [stranger, patient]) {
        for (const [method, at] of [
          ['GET', path],
          ['PUT', path],
          ['DELETE', path + id],
        ] as const) {
          const answer = await call(method, at, { as, ...(method === 'PUT' && { json: other }) });
          assert.ok([403, 404].includes(answer.status), `${method} ${answer.status}`);
        }
      }
      assert.is((await call('DELETE', path + id, { as: admin })).status, 204);
      assert.is((await call('DELETE', path + id, { as: admin })).status, 404);
      assert.is((await call('GET', path, { as: admin })).json.length, 1);
    },
    {
      fetchFeed: async (_addresses, _age, caller) => {
        given.push(caller);
        return { text: feed };
      },
    },
  );
});

test('T-93: a feed’s login goes to its origin alone, and not on or back after a redirect to another one', async () => {
  await withReceiver(
    ({ path }, response) => {
      const to: Record<string, string> = {
        '/same': '/feed',
        '/away': 'http://other.example/feed',
        '/back': 'http://other.example/home',
        '/home': 'http://nas.example/feed',
      };
      const location = to[path];
      if (location === undefined) response.writeHead(200).end('text');
      else response.writeHead(302, { location }).end();
    },
    async ({ port, received }) => {
      const network = fakeNetwork(port, () => ['93.184.216.34']);
      const fetchFeed = feedFetcher(openWayOut({ network, clock: handClock() }));
      const logins = [{ origin: 'http://nas.example', header: 'authorization', value: 'Bearer x' }];
      const sent = async (url: string, age = 0, paper = 'p'): Promise<string[]> => {
        received.length = 0;
        const { signal } = new AbortController();
        await fetchFeed([new URL(url)], age, {
          sharer: ['house', 'view', paper],
          signal,
          logins: paper === 'q' ? [] : logins,
        });
        return received.map(
          ({ path, headers }) => `${headers.host}${path}${headers.authorization === undefined ? '' : ' sent'}`,
        );
      };
      assert.equal(await sent('http://nas.example/feed'), ['nas.example/feed sent']);
      assert.equal(await sent('http://nas.example/same'), ['nas.example/same sent', 'nas.example/feed sent']);
      assert.equal(await sent('http://nas.example/away'), ['nas.example/away sent', 'other.example/feed']);
      assert.equal(await sent('http://nas.example/back'), [
        'nas.example/back sent',
        'other.example/home',
        'nas.example/feed',
      ]);
      assert.equal(await sent('http://nas.example:8080/feed'), ['nas.example:8080/feed']);
      assert.equal(await sent('http://other.example/feed'), ['other.example/feed']);
      // What was read with a login is not what a paper without it is given.
      assert.equal(await sent('http://nas.example/feed', 60_000), []);
      assert.equal(await sent('http://nas.example/feed', 60_000, 'q'), ['nas.example/feed']);
    },
  );
});

test.run();
