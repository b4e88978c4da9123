/** Signing in without the operator: passkeys, links of administrators, another device by its number, staying signed in. */
import type { Page } from 'puppeteer';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { type ConsoleWorld, withConsole } from './console-world.ts';

const test = suite('signing in to the console');

/** Gives a page a device that has passkeys and knows its person, as a phone with a fingerprint. */
async function addAuthenticator(page: Page) {
  const client = await page.createCDPSession();
  await client.send('WebAuthn.enable');
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { client, authenticatorId };
}

const localhost = ({ http }: ConsoleWorld): string => http.replace('127.0.0.1', 'localhost');

async function invite({ person, organizationId }: ConsoleWorld, email: string): Promise<string> {
  const body = { organization: organizationId, email, role: 'user' };
  return (await callApi<{ inviteCode: string }>(person, 'POST', '/users/', body)).inviteCode;
}

test('anyone who joins is offered a passkey, signs out and comes in by it; a copy of it is blocked', () =>
  withConsole(async (world) => {
    const { context, openPage } = world;
    const { page, ...console } = await openPage({ userId: null, width: 390, host: 'localhost' });
    const device = await addAuthenticator(page);
    await page.goto(`${localhost(world)}/console/#invite=${await invite(world, 'bea@example.org')}`);
    await console.sees(/You were invited to “.+”/);
    await page.reload();
    await console.fill('Your name', 'Bea');
    await console.isAccessible();
    await console.click('Join');
    await console.sees('Sign in without a link next time');
    await console.isAccessible();
    await console.click('Add a passkey');
    await console.sees('From now on you sign in here with this device');
    await eventually('the offer is gone', async () => !/without a link next time/.test(await console.text()));
    await console.goTo('account');
    await console.sees('not used yet');
    await console.isAccessible();
    await console.click('Sign out');
    await console.sees('Ask somebody who manages this Papergate');
    await console.isAccessible();
    await console.click('Stay signed in on this device');
    await console.click('Sign in with a passkey');
    await console.sees('signed in with a passkey');
    await console.sees('if it is not used');
    const kept = await context.db('sessions').whereNotNull('idle_ms').first('way');
    assert.is(kept.way, 'passkey');

    await console.click('Sign out');
    await context.db('passkeys').update({ counter: 1_000 });
    await console.click('Sign in with a passkey');
    await console.sees('There may be a copy of this passkey');
    await console.isAccessible();
    const { credentials } = await device.client.send('WebAuthn.getCredentials', {
      authenticatorId: device.authenticatorId,
    });
    assert.is(credentials.length, 1);
  }));

longTest(test)('the offer can be put off, and the last passkey is removed with a warning', () =>
  withConsole(async ({ openPage }) => {
    const { page, ...console } = await openPage({ host: 'localhost', language: 'de', scheme: 'dark', width: 360 });
    await addAuthenticator(page);
    await console.sees('Nächstes Mal ohne Link');
    await console.isAccessible();
    await console.click('Später');
    await page.reload();
    await console.goTo('account');
    await console.click('Passkey auf diesem Gerät hinzufügen');
    await console.sees('Fertig. Ab jetzt');
    assert.not.match(await console.text(), /Nächstes Mal ohne Link/);
    await page.locator('[aria-labelledby="passkeys"] li ::-p-text(Umbenennen)').click();
    await console.sees('Wie heißt das Gerät');
    await console.isAccessible();
    assert.is(await page.$('dialog .primary:not(:disabled)'), null, 'there is nothing to save yet');
    await console.fill('Name', 'Handy von Oma');
    await page.click('dialog .primary');
    await console.sees('Der Passkey heißt jetzt „Handy von Oma“.');
    await page.locator('[aria-labelledby="passkeys"] li button.danger').click();
    await console.sees('Das ist Ihr letzter Passkey');
    await console.isAccessible();
    await page.click('dialog .danger');
    await console.sees('Sie haben noch keinen');
  }),
);

longTest(test)(
  'a member who cannot come in gets a new link, which says at once when it was used, and sees who made it',
  () =>
    withConsole(async (world) => {
      const { http, context, openPage } = world;
      const inviteCode = await invite(world, 'bea@example.org');
      const first = await openPage({ userId: null });
      await first.page.goto(`${http}/console/#invite=${inviteCode}`);
      await first.fill('Your name', 'Bea');
      await first.click('Join');
      await first.page.waitForSelector('.console:not([hidden])');
      await context.db('sessions').delete();

      const admin = await openPage();
      await admin.goTo('people');
      await admin.click('New sign-in link for Bea');
      await admin.sees('Pass this link on to Bea');
      await admin.isAccessible();
      const url = await admin.page.$eval('.new-sign-in-link input', (field) => field.value);

      const { page, ...member } = await openPage({ userId: null, width: 390 });
      await page.goto(url);
      await member.sees(/You sign in to .+ as Bea/);
      await member.isAccessible();
      await page.reload();
      await member.sees(/You sign in to .+ as Bea/);
      await member.click('Stay signed in on this device');
      await member.click('Sign in');
      await page.waitForSelector('.console:not([hidden])');
      await member.goTo('account');
      await member.sees(/made one for you/);
      await member.sees('signed in with a link that somebody made for you');
      await member.isAccessible();

      const late = await openPage({ userId: null, width: 390 });
      await late.page.goto(url);
      await late.sees('This link no longer works');
      await late.sees('This link was already used');
      await late.isAccessible();
      await late.click('Other ways to sign in');
      await late.sees('does not work at this address');
    }),
);

longTest(test)(
  'a phone opens the code of a computer and comes in by its number; a stranger who photographed it does not',
  () =>
    withConsole(async (world) => {
      const { openPage, context } = world;
      const computer = await openPage();
      await computer.goTo('account');
      await computer.isAccessible();
      const show = async (button: string): Promise<string> => {
        const answered = computer.page.waitForResponse(
          (answer) => answer.url().endsWith('/sessions/pairings/') && answer.request().method() === 'POST',
        );
        await computer.click(button);
        const { url } = await (await answered).json();
        await computer.page.waitForSelector('svg.qr');
        return url;
      };
      const url = await show('Show a code');
      await computer.isAccessible();
      const { page, ...phone } = await openPage({ userId: null, width: 390 });
      await page.goto(url);
      await phone.sees('Choose this number');
      const number = await page.$eval('.paired-number', ({ textContent }) => textContent ?? '');
      await page.reload();
      await phone.sees(number);
      await phone.isAccessible();
      await computer.sees('Which number does the other device show?');
      await computer.isAccessible();
      await computer.click(number);
      await computer.sees('Your other device is signed in.');
      await page.waitForSelector('.console:not([hidden])');
      assert.is((await context.db('sessions').where({ way: 'pairing' })).length, 1);
      await computer.click('Close');

      const second = await show('Show a code');
      const stranger = await openPage({ userId: null, width: 390 });
      await stranger.page.goto(second);
      await stranger.sees('Choose this number');
      const own = await openPage({ userId: null, width: 390 });
      await own.page.goto(second);
      await own.sees('This code was already opened');
      await own.isAccessible();
      await computer.sees('Which number does the other device show?');
      await computer.click('None of these: let nobody in');
      await stranger.sees('Nobody was signed in');
      assert.is((await context.db('sessions').where({ way: 'pairing' })).length, 1);
    }),
);

test('anyone who is let in from another device is offered a passkey of this one, though the other has one', () =>
  withConsole(async ({ openPage }) => {
    const computer = await openPage({ host: 'localhost' });
    await addAuthenticator(computer.page);
    await computer.goTo('frames');
    await computer.click('Add a passkey');
    await computer.sees('From now on you sign in here with this device');
    await computer.goTo('account');
    const answered = computer.page.waitForResponse((answer) => answer.url().endsWith('/sessions/pairings/'));
    await computer.click('Show a code');
    const { url } = await (await answered).json();
    const { page, ...phone } = await openPage({ userId: null, width: 390, host: 'localhost' });
    await addAuthenticator(page);
    await page.goto(url);
    await phone.sees('Choose this number');
    await computer.click(await page.$eval('.paired-number', ({ textContent }) => textContent ?? ''));
    await phone.sees('Sign in without a link next time');
    await phone.click('Add a passkey');
    await phone.sees('From now on you sign in here with this device');
    await phone.goes('Sign in without a link next time');
  }));

test.run();
