/** Alerts in the console: what is wrong, and channels that are made, tried, changed and removed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withReceiver } from '../callbacks/receiver.ts';
import { longTest } from '../some-times.ts';
import { withConsole } from './console-world.ts';

const test = suite('alerts in the console');

longTest(test)('a channel is made, tried, changed and removed; outages are listed', () =>
  withReceiver(
    ({ path }, response) => void response.writeHead(path === '/broken' ? 503 : 200).end(),
    ({ origin, received }) =>
      withConsole(
        async ({ context: { db, random, clock }, openPage }) => {
          const { id: organization } = await db('organizations').first('id');
          const outage = (name: string, ended: number | null) => ({
            id: random.id(),
            organization_id: organization,
            kind: 'frame-silent',
            subject: random.id(),
            name,
            since: clock.now() - 7_200_000,
            opened_at: clock.now(),
            tell_at: clock.now(),
            told_at: clock.now(),
            ended_at: ended,
            closes_at: ended,
            closed_at: ended,
          });
          await db('alert_outages').insert([outage('Kitchen', null), outage('Attic', clock.now())]);
          const console = await openPage();
          await console.goTo('service/alerts');
          await console.sees('Nobody is notified of outages yet');
          await console.sees('No longer heard from');
          await console.click('Add a channel');
          await console.sees('its operator has to set up a mail server');
          await console.fill('Name', 'Grandma’s phone');
          await console.fill('Address of the ntfy server', origin);
          await console.fill('Topic', 'home-of-grandma');
          await console.fill('Access token', 'tk_12345678');
          await console.fill('Quiet from', '22:00');
          await console.fill('until', '07:00');
          await console.isAccessible();
          await console.click('Save');
          await console.sees('was added. Send a test message now.');
          await console.click('Test “Grandma’s phone”');
          await console.sees('The receiver accepted it: status 200.');
          assert.is(received[0]?.headers.authorization, 'Bearer tk_12345678');
          const channel = () => db('alert_channels').first();
          assert.equal([(await channel()).quiet_from, (await channel()).quiet_until], ['22:00', '07:00']);
          await db('alert_channels').update({
            failing_since: clock.now(),
            last_error: 'The receiver did not accept it: status 503',
          });
          await console.goTo('service/alerts');
          await console.sees('Failing since');
          await console.isAccessible();
          await console.click('Change “Grandma’s phone”');
          await console.page.locator('::-p-aria(The battery is low)').click();
          await console.fill('Name', 'Phone');
          await console.isAccessible();
          await console.click('Save');
          await console.sees('“Phone” was changed.');
          assert.is(JSON.parse((await channel()).kinds).length, 8);
          assert.ok((await channel()).sealed, 'the token stays');
          await console.click('Remove “Phone”');
          await console.page.locator('dialog .danger').click();
          await console.sees('“Phone” was removed.');
          assert.is(await channel(), undefined);
        },
        { INTEGRATION_ALLOW_LOCALHOST: 'true' },
      ),
  ),
);

test.run();
