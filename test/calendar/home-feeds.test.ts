/** Feeds of the home network: admitted ones are read, and no redirect leads into the house from outside. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { feedFetcher } from '../../api/calendar/fetch-feed.ts';
import { homeNetworks } from '../../api/outgoing/home-networks.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { wordsOf } from '../../reasons/words.ts';
import { fakeNetwork, withReceiver } from '../callbacks/receiver.ts';
import { handClock } from '../integration/integration-world.ts';

const test = suite('feeds of the home network');

const home = homeNetworks({
  entries: [
    { address: '192.168.1.0', prefix: 24 },
    { name: 'nas', port: 5000 },
  ],
  notFor: ['guests'],
  own: { addresses: () => [], listening: () => [], databases: [], hosts: () => [] },
});
const answers: Record<string, string[][]> = {
  nas: [['192.168.7.7'], ['192.168.7.7'], ['192.168.7.7'], ['192.168.7.7'], ['192.168.7.7']],
  'rebinds.example': [['93.184.216.34'], ['192.168.1.5']],
};
const redirects: Record<string, string> = {
  '/in': 'http://192.168.1.5/feed',
  '/named': 'http://nas:5000/feed',
  '/out': 'http://public.example/feed',
  '/out-and-in': 'http://public.example/in',
  '/loopback': 'http://127.0.0.1/feed',
  '/other': 'http://192.168.9.9/feed',
  '/again': '/feed',
};

test('T-91, T-92: the house is reached by those who name it, and from outside by nobody', async () => {
  await withReceiver(
    ({ path }, response) => {
      const location = redirects[path];
      if (location === undefined) response.writeHead(200).end('text');
      else response.writeHead(302, { location }).end();
    },
    async ({ port, received }) => {
      const network = fakeNetwork(port, (name) => answers[name]?.shift() ?? ['93.184.216.34']);
      const fetchFeed = feedFetcher(openWayOut({ network, clock: handClock() }), home);
      const { signal } = new AbortController();
      const fetched = async (url: string, organization = 'house'): Promise<string> => {
        const { text, problem } = await fetchFeed([new URL(url)], 0, { sharer: [organization], signal });
        return text ?? wordsOf(problem ?? []);
      };
      const said =
        /^the address is not public, and the operator’s setting PAPERGATE_HOME_NETWORKS does not allow it here: the operator can add the host or its network to it$/;
      assert.is(await fetched('http://192.168.1.5/feed'), 'text');
      assert.is(await fetched('http://192.168.1.5:8080/again'), 'text');
      assert.is(await fetched('http://nas:5000/feed'), 'text');
      assert.is(await fetched('http://nas:5000/in'), 'text');
      assert.is(await fetched('http://192.168.1.5/named'), 'text');
      assert.is(await fetched('http://192.168.1.5/out'), 'text');
      assert.match(await fetched('http://nas:5001/feed'), said);
      assert.match(await fetched('http://192.168.1.5/other'), said);
      assert.is(await fetched('http://192.168.1.5/loopback'), 'the address is not public');
      for (const path of ['in', 'named', 'loopback']) {
        assert.match(await fetched(`http://public.example/${path}`), /not (?:public|a public name)/, path);
      }
      assert.match(await fetched('http://192.168.1.5/out-and-in'), /not public/);
      assert.is(await fetched('http://rebinds.example/again'), 'the host name has an address that is not public');
      assert.is(received.at(-1)?.path, '/again');
      // An excluded organization gets neither the house nor what others read there.
      assert.match(await fetched('http://192.168.1.5/feed', 'guests'), said);
      const kept = await fetchFeed([new URL('http://192.168.1.5/feed')], 60_000, { sharer: ['guests'], signal });
      assert.is(kept.text, undefined);
      assert.is(
        (await fetchFeed([new URL('http://192.168.1.5/feed')], 60_000, { sharer: ['others'], signal })).text,
        'text',
      );
    },
  );
});

test.run();
