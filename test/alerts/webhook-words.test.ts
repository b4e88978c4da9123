/** A webhook's body holds the words under the names that common receivers read. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withReceiver } from '../callbacks/receiver.ts';
import { withAlerts } from './alert-world.ts';

const test = suite('words of webhooks');

test('Discord finds content of 2,000 characters at most that mentions nobody, Gotify a message with a priority, Slack a text', () =>
  withReceiver(
    (_, response) => void response.writeHead(204).end(),
    ({ origin, received }) =>
      withAlerts(async (world) => {
        await world.addChannel({ kind: 'webhook', target: { url: origin } });
        for (let count = 1; count <= 60; count++) {
          await world.silent((await world.addFrame(`@everyone in the long hall number ${count}`)).serial, true);
        }
        await world.looks();
        const body = JSON.parse(received[0]?.body ?? '');
        assert.equal(body.allowed_mentions, { parse: [] });
        assert.ok(body.content.length <= 2_000 && body.content.length > 1_900, `${body.content.length}`);
        assert.ok(body.content.startsWith(body.title) && body.content.endsWith(body.link));
        assert.is(body.message, `${body.text}\n\n${body.link}`);
        assert.is(body.priority, 8);
        assert.ok(body.text.length > 0 && body.outages.length === 60);
      }),
  ));

test.run();
