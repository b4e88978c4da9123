/** The console's first steps: the first run, signing in, a session that ends, languages, and the frames page. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAccount } from '../../api/directory/create-organization.ts';
import { makeSignInCode } from '../../api/directory/sessions.ts';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { type ConsoleWorld, withConsole } from './console-world.ts';

const test = suite('first steps in the console');

/** Takes everybody away, as on a service that nobody has set up. */
async function forgetPeople({ context: { db } }: ConsoleWorld): Promise<void> {
  for (const table of ['api_keys', 'sessions', 'sign_in_codes', 'users', 'organizations', 'accounts']) {
    await db(table).delete();
  }
}

test('the link of a new service makes its organization, and shows what to do next', () =>
  withConsole(async (world) => {
    await forgetPeople(world);
    const { context, http, openPage } = world;
    const { page, ...console } = await openPage({ userId: null });
    await page.goto(`${http}/console/`);
    await console.sees('Its log contains a link');
    assert.match(await console.text(), /^\.\/papergate console$/m, 'as it is typed in a checkout');
    assert.is(await page.title(), 'Sign in · Papergate');
    await console.isAccessible();
    const { code } = await makeSignInCode(context.db, context, null);
    // In the tab that is open: the address changes behind its `#` alone.
    await page.goto(`${http}/console/#code=${code}`);
    await console.fill('Name of the organization', 'Home');
    assert.is(new URL(page.url()).hash, '', 'the code has left the address');
    await page.reload();
    await console.fill('Name of the organization', 'Home');
    await console.fill('Your name', 'Ada');
    await console.fill('Your email address', 'ada@example.org');
    const late = await openPage({ userId: null });
    await late.page.goto(`${http}/console/#code=${code.slice(1)}0`);
    await late.sees('This link has expired or was used');
    assert.not.match(await late.text(), /Name of the organization/, 'nothing is typed for nothing');
    await late.isAccessible();
    await console.isAccessible();
    await console.click('Begin');
    await console.sees('Your wall is waiting');
    await console.sees('Home');
    assert.is(await page.title(), 'Frames · Papergate');
    await console.isAccessible();
    assert.equal(await context.db('organizations').pluck('name'), ['Home']);
  }));

longTest(test)('a link that was used says so; a key signs in; a session that ended leaves what was typed', () =>
  withConsole(async ({ context, http, person, openPage }) => {
    const used = await makeSignInCode(context.db, context, null);
    const { page, ...console } = await openPage({ userId: null });
    await page.goto(`${http}/console/frames?search=kitchen#code=${used.code}`);
    await console.sees('This link has expired or was used');
    await console.isAccessible();
    await console.click('For the operator of Papergate');
    await console.fill('API key', person.apiKey ?? '');
    await console.click('Sign in');
    await console.sees('Your wall is waiting');
    await console.sees('First steps');
    assert.match(page.url(), /\/console\/frames\?search=kitchen$/, 'it goes on where it was');
    await context.db('sessions').delete();
    // The page may know of it already, and stand below the login.
    await page.$eval('nav a[href$="people"]', (link) => (link as HTMLElement).click());
    await console.sees('Your session has ended');
    await console.isAccessible();
    await console.click('For the operator of Papergate');
    await console.fill('API key', person.apiKey ?? '');
    await console.click('Sign in');
    await console.sees('Invite somebody');
    await context.db('sessions').delete();
    await page.goto(`${http}/console/account`);
    await console.click('For the operator of Papergate');
    await console.fill('API key', person.apiKey ?? '');
    await console.click('Sign in');
    await console.sees('this browser');
    await console.isAccessible();
    await console.click('Sign out');
    await console.sees('Ask somebody who manages this Papergate');
    assert.equal(await context.db('sessions').pluck('id'), []);
  }),
);

longTest(test)('anyone who comes back from the identity provider without a session reads why, in their language', () =>
  withConsole(async ({ http, openPage }) => {
    const { page, ...console } = await openPage({ userId: null, language: 'de', width: 360 });
    await page.goto(`${http}/console/#problem=refused`);
    await console.sees('nicht erlaubt');
    assert.is(new URL(page.url()).hash, '', 'it is told once');
    await console.isAccessible();
  }),
);

longTest(test)('somebody without a membership reads that, and joins by the code of an invitation', () =>
  withConsole(async ({ context, http, person, organizationId, openPage }) => {
    const body = { organization: organizationId, email: 'ida@example.org', role: 'user' };
    const { inviteCode } = await callApi<{ inviteCode: string }>(person, 'POST', '/users/', body);
    const came = { email: 'ida@example.org', name: 'Ida', subject: 'https://login.example/|ida' };
    const { code } = await makeSignInCode(context.db, context, await createAccount(context.db, context, came));
    const { page, ...console } = await openPage({ userId: null });
    await page.goto(`${http}/console/#code=${code}`);
    await console.sees('You are signed in as Ida, but belong to no organization here');
    await console.isAccessible();
    await console.fill('Invitation code', 'not-the-code');
    await console.click('Join');
    await page.waitForSelector('.problem');
    await console.fill('Invitation code', inviteCode);
    await console.click('Join');
    await console.sees('Your wall is waiting');
  }),
);

longTest(test)(
  'the first steps lead from an empty house by a simulated frame to a picture on the wall, and end for ever',
  () =>
    withConsole(async ({ context, http, person, openPage, createPaper, showOn }) => {
      const { page, ...console } = await openPage({ width: 390 });
      await console.goTo('frames');
      await console.sees('0 of 3 done');
      await console.click('Try with a simulated frame');
      await console.sees('What should it look like?');
      await console.fill('Where does it hang?', 'Hallway');
      await console.click('Begin');
      await console.sees('Hallway is awake');
      await console.isAccessible();
      await console.goTo('frames');
      await console.sees('1 of 3 done');
      await console.sees('Hallway is here.');
      await console.sees('simulated');
      await page.click('.first-steps a[href*="send?"]');
      await console.sees('Back to the first steps');
      const [{ id, serial }] = await context.db('devices').select('id', 'serial');
      assert.is(new URL(page.url()).searchParams.get('frame'), id);
      await showOn(await createPaper('text', { text: 'Good morning' }), [serial]);
      await console.click('Back to the first steps');
      await console.sees('A picture is on its way to Hallway.');
      await console.isAccessible();
      await eventually('the picture is on the wall', async () => {
        await callApi(person, 'POST', `/devices/simulated/${id}/button`);
        return (await console.text()).includes('2 of 3 done');
      });
      await console.click('I am alone');
      await console.sees('Everything is ready');
      // Another device shows the same, and the end holds there, too.
      const other = await openPage();
      await other.goTo('frames');
      await other.sees('Everything is ready');
      await other.isAccessible();
      await other.click('Finish');
      await eventually('they are gone', async () => !(await other.text()).includes('Everything is ready'));
      await console.goTo(`frames/${id}`);
      await console.sees('A simulated frame');
      await console.isAccessible();
      await console.click('Remove it');
      await console.sees('Your wall is waiting');
      assert.not.match(await console.text(), /First steps/);
      assert.ok(page.url().startsWith(`${http}/console/frames`));
    }),
);

longTest(test)('a frame is seen to wake, and its card shows the picture that is proven on its glass', () =>
  withConsole(async ({ person, openPage, startFrames, createPaper, showOn }) => {
    const serial = 'epd7-0000c0501e01';
    await startFrames([{ serial, dialect: 'native' }]);
    const paper = await createPaper('text', { text: 'Good morning' });
    await showOn(paper, [serial]);
    const { page, ...console } = await openPage();
    await console.sees(/On the wall since/);
    await console.sees('Confirmed by the frame');
    await console.sees('1 frame. All is well.');
    const picture = await eventually('the picture', () =>
      page.evaluate(() => {
        const found = document.querySelector<HTMLImageElement>('.hung img');
        return found?.complete === true ? [found.naturalWidth, found.naturalHeight, found.alt] : undefined;
      }),
    );
    assert.equal(picture.slice(0, 2), [800, 480]);
    assert.match(String(picture[2]), /^The picture that /);
    await console.isAccessible();
    // What is changed elsewhere comes by itself.
    const [device] = await callApi<{ id: string }[]>(person, 'GET', '/devices/');
    await callApi(person, 'POST', `/devices/${device?.id}`, { meta: { name: 'Kitchen' } });
    await console.sees('Kitchen');
    for (const place of ['frames?view=table', 'frames?search=nothing+like+it', 'account', 'nowhere']) {
      await console.goTo(place);
      await console.isAccessible();
    }
  }),
);

longTest(test)('a phone in German and in the dark has an accessible start, whose first link skips the navigation', () =>
  withConsole(async ({ openPage }) => {
    const console = await openPage({ width: 360, scheme: 'dark', language: 'de' });
    await console.goTo('frames');
    await console.isAccessible();
    await console.page.keyboard.press('Tab');
    assert.is(await console.page.evaluate(() => document.activeElement?.className), 'skip');
  }),
);

test.run();
