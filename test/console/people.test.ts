/** People in the console: inviting by a link, joining, roles, keys; and the page of the service. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { withConsole } from './console-world.ts';

const test = suite('people in the console');

longTest(test)('somebody is invited, joins by the link without an account, and sees what their role may', () =>
  withConsole(async ({ http, person, context, openPage }) => {
    const admin = await openPage();
    await admin.goTo('people');
    await admin.isAccessible();
    await admin.fill('Email address', 'bea@example.org');
    await admin.click('Invite');
    await admin.sees('The invitation is ready');
    await admin.isAccessible();
    const users = await callApi<{ email: string; inviteCode?: string; id: string }[]>(
      person,
      'GET',
      `/users/?organization=${(await context.db('organizations').first('id')).id}`,
    );
    const { inviteCode, id } = users.find(({ email }) => email === 'bea@example.org') ?? {};

    const { page, ...guest } = await openPage({ userId: null, width: 390 });
    await page.goto(`${http}/console/#invite=${inviteCode}`);
    await guest.sees('You were invited');
    assert.is(new URL(page.url()).hash, '', 'the code has left the address');
    await guest.isAccessible();
    await guest.fill('Your name', 'Bea');
    await guest.click('Join');
    await guest.sees('Your wall is waiting');
    await guest.goTo('people');
    await guest.sees('Bea');
    assert.not.match(await guest.text(), /Invite somebody/, 'members manage nobody');
    await guest.isAccessible();

    const late = await openPage({ userId: null, width: 390 });
    await late.page.goto(`${http}/console/#invite=${inviteCode}`);
    await late.sees('This invitation is no longer valid');
    assert.not.match(await late.text(), /Your name/, 'nobody types a name for nothing');
    await late.isAccessible();

    await admin.goTo('people');
    await admin.sees('Bea');
    await admin.page.locator('::-p-aria(Role of Bea)').fill('patient');
    await admin.sees('Bea is now');
    const roleOf = () =>
      context
        .db('users')
        .where({ id })
        .first('role')
        .then(({ role }) => role);
    assert.is(await roleOf(), 'patient');
    await admin.click('Undo');
    await eventually('it is undone', async () => (await roleOf()) === 'user');
    await admin.click('Remove Bea');
    await admin.sees('They no longer see anything of this organization.');
    await admin.isAccessible();
    await admin.click('Remove');
    await admin.sees('Bea was removed.');
    await page.reload();
    await guest.sees('Not a member yet');
  }),
);

longTest(test)('a key is made, shown once and ended; the service says how it is', () =>
  withConsole(async ({ http, openPage }) => {
    const console = await openPage();
    await console.goTo('people');
    await console.sees('Invite somebody');
    assert.not.match(await console.text(), /API key|Organization/, 'a family is shown neither');
    await console.goTo('service');
    await console.click('Your API keys');
    await console.fill('What the key is for', 'Weather');
    await console.click('Make a key');
    await console.sees('This key is shown once');
    await console.isAccessible();
    const key = await console.page.$eval('.warn input', (field) => field.value);
    const devices = () =>
      callApi({ url: http, apiKey: key }, 'GET', '/devices/').then(
        () => true,
        () => false,
      );
    assert.is(await devices(), true);
    await console.click('End the key Weather');
    await console.sees('Programs that use it are refused from now on.');
    await console.click('End');
    await console.sees('The key has ended.');
    assert.is(await devices(), false);
    await console.goTo('service');
    await console.sees('Everything works.');
    await console.isAccessible();
  }),
);

longTest(test)('a name of ten thousand characters leaves room for everything else', () =>
  withConsole(async ({ context, person, organizationId, openPage }) => {
    const serial = 'epd7-0000c0501e31';
    const provisioned = { organization: organizationId, password: false };
    const { device } = await callApi<{ device: { id: string } }>(
      person,
      'POST',
      `/devices/provision/${serial}`,
      provisioned,
    );
    const name = `\u202e<b>${'W'.repeat(10_000)}`;
    // Such a name is from a time without a limit. It is trouble that a frame was never heard from a day after it was
    // added.
    await context
      .db('devices')
      .where({ id: device.id })
      .update({ name, meta: JSON.stringify({ name }), created_at: Date.now() - 2 * 86_400_000 });
    const console = await openPage({ width: 390 });
    for (const [place, awaited] of [
      ['service', 'Not heard from yet.'],
      [`frames/${device.id}/technical`, 'Ask the frame'],
      ['frames?view=table', 'WWW'],
    ] as const) {
      await console.goTo(place);
      await console.sees(awaited);
      const [excess, tallest] = await console.page.evaluate(() => [
        document.documentElement.scrollWidth - innerWidth,
        Math.max(...[...document.querySelectorAll('h1, .rows > li')].map(({ clientHeight }) => clientHeight)),
      ]);
      assert.ok(Number(excess) <= 0, `${place} is ${excess} pixels too wide`);
      assert.ok(Number(tallest) < 250, `${place}: ${tallest} pixels for one name`);
    }
  }),
);

test.run();
