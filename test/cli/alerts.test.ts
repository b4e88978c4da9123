import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withMailServer } from '../alerts/alert-world.ts';
import { withReceiver } from '../callbacks/receiver.ts';
import { papergate } from './papergate.ts';

const test = suite('papergate alerts');

test('alerts test sends a message to each receiver of the operator, and says what it answered', () =>
  withMailServer({}, ({ url, letters }) =>
    withReceiver(
      ({ path }, response) => void response.writeHead(path === '/gone' ? 410 : 200).end(),
      async ({ origin, received }) => {
        const mail = { PAPERGATE_SMTP_URL: url, PAPERGATE_MAIL_FROM: 'papergate@example.org' };
        const ntfy = `ntfy+${origin.replace('//', '//:tk_hidden-1@')}/ops`;
        const to = `ops@example.org,${ntfy}`;
        const all = await papergate({ ...mail, PAPERGATE_ALERTS_TO: to }, 'alerts', 'test', '--json');
        assert.is(all.code, 0, all.stderr);
        assert.equal(
          JSON.parse(all.stdout).map(({ answer }: { answer: string }) => answer),
          ['The mail server accepted it: 250 queued as 7', 'The receiver accepted it: status 200'],
        );
        assert.is(letters.length, 1);
        assert.is(received[0]?.headers.authorization, 'Bearer tk_hidden-1');
        const one = await papergate({ PAPERGATE_ALERTS_TO: `${ntfy},${origin}/gone` }, 'alerts', 'test');
        assert.is(one.code, 1);
        assert.match(one.stdout, /The receiver did not accept it: status 410/);
        assert.match(one.stderr, /number 2 did not accept a message/);
        assert.not.match(all.stdout + one.stdout + one.stderr, /hidden/);
        const none = await papergate({}, 'alerts', 'test');
        assert.match(none.stderr, /PAPERGATE_ALERTS_TO: names nobody/);
      },
    ),
  ));

test.run();
