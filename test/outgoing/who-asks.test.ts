/** The name under which other servers are asked: a browser's, with the service's own behind, or the operator's. */

import { readdir, readFile } from 'node:fs/promises';
import * as driver from 'puppeteer';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { feedFetcher } from '../../api/calendar/fetch-feed.ts';
import { sendCallback } from '../../api/callbacks/send-callback.ts';
import { readDocument } from '../../api/outgoing/read-document.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { defaultUserAgent } from '../../api/outgoing/who-asks.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { fakeNetwork, withReceiver } from '../callbacks/receiver.ts';
import { handClock } from '../integration/integration-world.ts';

const test = suite('who asks');

const text = 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n';
const { signal } = new AbortController();

/** Answers browsers alone, as the calendars of Office 365 have since August 2025. */
const browsersOnly = (agent: string | undefined): number =>
  /^Mozilla\/5\.0 .*Chrome\/\d/.test(agent ?? '') ? 200 : 500;

test('feeds, documents and callbacks are asked for under one name, and a server that answers browsers alone answers', async () => {
  await withReceiver(
    ({ headers }, response) => response.writeHead(browsersOnly(headers['user-agent'])).end(text),
    async ({ port, received }) => {
      const network = fakeNetwork(port, () => ['93.184.216.34']);
      for (const userAgent of [undefined, 'Mozilla/5.0 (X11) Chrome/1 Ours']) {
        const wayOut = openWayOut({ network, clock: handClock(), ...(userAgent !== undefined && { userAgent }) });
        const fetched = await feedFetcher(wayOut)([new URL('http://a.example/a')], 0, { sharer: ['house'], signal });
        assert.equal('text' in fetched && fetched.text, text);
        assert.is(await readDocument(wayOut, 'http://a.example/b'), text);
        const url = 'https://a.example/c';
        const callback = {
          sharer: ['house'],
          url,
          callbackToken: 't',
          body: '{}',
          allowLoopback: false,
          anyPort: false,
        };
        assert.equal(await sendCallback(wayOut, { ...callback, signal, mayBegin: async () => true }), {
          delivered: true,
          status: 200,
        });
        const agents = received.splice(0).map(({ headers }) => headers['user-agent']);
        assert.equal(
          agents,
          Array.from({ length: 3 }, () => userAgent ?? defaultUserAgent),
        );
      }
    },
  );
  assert.match(defaultUserAgent, / Papergate$/);
});

test('the name is that of the browser that the driver is made for, unless the operator sets another', () => {
  const { chrome } = Object(Reflect.get(driver, 'PUPPETEER_REVISIONS')) as { readonly chrome: string };
  const [version] = chrome.split('.');
  assert.match(defaultUserAgent, new RegExp(`Chrome/${version}\\.`));
  assert.is(readSettings({}).PAPERGATE_USER_AGENT, defaultUserAgent);
  assert.is(
    readSettings({ PAPERGATE_USER_AGENT: 'Mine/1 (me@example.org)' }).PAPERGATE_USER_AGENT,
    'Mine/1 (me@example.org)',
  );
  for (const bad of [' a', 'a\r\nb: c', 'Müll', 'x'.repeat(501)]) {
    assert.throws(() => readSettings({ PAPERGATE_USER_AGENT: bad }), /PAPERGATE_USER_AGENT/, JSON.stringify(bad));
  }
});

test('no other place of the service gives itself a name', async () => {
  const files = (await readdir('api', { recursive: true })).filter((file) => file.endsWith('.ts'));
  for (const file of files) assert.not.match(await readFile(`api/${file}`, 'utf8'), /'user-agent': '/, file);
});

test.run();
