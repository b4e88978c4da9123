/** The texts that somebody typed when their session ended are there again, by whichever way they come in. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeSignInCode } from '../../api/directory/sessions.ts';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { type ConsolePage, type ConsoleWorld, withConsole } from './console-world.ts';

const test = suite('typed words outlive a session');

const serial = 'epd7-0000c0de0b11';
const typed = 'Dinner is at seven';
const all = `${typed}.`;

/** Somebody has typed a text for new content, and the name of a frame, when the session ends. */
async function endedWhileTyping(world: ConsoleWorld): Promise<ConsolePage> {
  await world.startFrames([{ serial, dialect: 'native' }]);
  const console = await world.openPage();
  await console.goTo('papers/new');
  await console.page.locator('::-p-aria([name="Text"][role="link"])').click();
  await console.fill('Text', typed);
  await console.fill('Footer', 'Bring bread');
  await world.context.db('sessions').delete();
  // The page may know of it already, and lie below the login: a letter more asks for another preview.
  await console.page.$eval('textarea', (text) => {
    text.value += '.';
    text.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await console.sees('Your session has ended');
  return console;
}

async function newLink({ context, http }: ConsoleWorld): Promise<string> {
  const { account_id: account } = await context.db('users').where({ role: 'admin' }).first('account_id');
  const { code } = await makeSignInCode(context.db, context, account);
  return `${http}/console/#code=${code}`;
}

const textOn = ({ page }: ConsolePage): Promise<string | undefined> =>
  page.evaluate(() => document.querySelector<HTMLTextAreaElement>('.console:not([hidden]) textarea')?.value);

test('a sign-in link that is opened in the same tab leads back to the page, and what was typed stands there again', () =>
  withConsole(async (world) => {
    const console = await endedWhileTyping(world);
    await console.page.goto(await newLink(world));
    await console.sees('What you typed is here again.');
    assert.match(console.page.url(), /papers\/new/);
    assert.is(await textOn(console), all);
    await console.page.waitForSelector('[aria-labelledby=draft-preview] img').catch(async (error) => {
      throw new Error(`${error.message}; the page says:\n${await console.text()}`);
    });
    await console.click('Create it');
    await console.sees('was made.');
    const { results } = await callApi<{ results: { meta: { text?: string; footer?: string } }[] }>(
      world.person,
      'GET',
      `/papers/?organization=${world.organizationId}`,
    );
    assert.ok(results.some(({ meta }) => meta.text === all && meta.footer === 'Bring bread'));
    // What was put back is not put back again.
    await console.page.goto(await newLink(world));
    await console.sees('epd7');
    assert.not.match(console.page.url(), /papers\/new/);
  }));

test('anyone who signs in in another tab comes back to the first one as it was', () =>
  withConsole(async (world) => {
    const console = await endedWhileTyping(world);
    const other = await console.page.browserContext().newPage();
    await other.goto(await newLink(world));
    await other.waitForSelector('.console:not([hidden])');
    await other.close();
    await console.page.bringToFront();
    // A browser without windows notifies no page that it is visible again.
    await console.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    await eventually('the page is there again', async () => (await textOn(console)) === all);
    assert.match(console.page.url(), /papers\/new/);
  }));

test('another person who signs in in this tab sees none of it', () =>
  withConsole(async (world) => {
    const console = await endedWhileTyping(world);
    const invited = { organization: world.organizationId, email: 'ida@example.org', name: 'Ida', role: 'user' };
    const { id } = await callApi<{ id: string }>(world.person, 'POST', '/users/', invited);
    const { account_id: account } = await world.context.db('users').where({ id }).first('account_id');
    const { code } = await makeSignInCode(world.context.db, world.context, account);
    await console.page.goto(`${world.http}/console/#code=${code}`);
    await console.page.waitForSelector('.console:not([hidden])');
    await console.sees('epd7');
    assert.is(await console.page.evaluate(() => sessionStorage.getItem('papergate-typed')), null);
    assert.not.match(await console.text(), new RegExp(typed));
  }));

test.run();
