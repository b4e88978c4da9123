/** Pictures by mail and Telegram in the console: an album’s address, people, chats, and mails that wait for a yes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../runtime/clock.ts';
import { systemRandom } from '../../runtime/random.ts';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { type ConsolePage, type ConsoleWorld, withConsole } from './console-world.ts';
import { photograph } from './furnished-home.ts';
import { coveredControls, walkPage } from './walk-page.ts';

const test = suite('mail and messages in the console');

/** Nothing listens at port 9: the mailbox is away, and so is Telegram. */
const setUp = {
  PAPERGATE_PICTURE_MAILBOX: 'imap://frames%40example.org:s3cret@127.0.0.1:9/INBOX',
  PAPERGATE_PICTURE_BOT: '123456:AAbbCCddEEffGGhhIIjjKKllMMnnOOpp',
  PAPERGATE_PICTURE_BOT_SERVER: 'http://127.0.0.1:9',
};

/** An album that a frame shows. */
async function familyAlbum({ startFrames, createPaper }: ConsoleWorld): Promise<string> {
  await startFrames([{ serial: 'epd7-0000c0a1b002', dialect: 'native' }]);
  return createPaper('album', { title: 'Family' });
}

const random = systemRandom(systemClock);
const organizationOf = async ({ context }: ConsoleWorld, album: string): Promise<string> =>
  (await context.db('papers').where({ id: album }).first('organization_id'))?.organization_id ?? '';

/** A mail at an album, as the mailbox holds it. */
async function holdMail(world: ConsoleWorld, album: string, sender: string, reason: string): Promise<void> {
  const { db } = world.context;
  const id = random.id();
  await db('waiting_mails').insert({
    id,
    paper_id: album,
    organization_id: await organizationOf(world, album),
    key: `<${id}@example.org>`,
    sender,
    subject: `Party of ${sender}`,
    reason: JSON.stringify([{ code: reason }]),
    files: 3,
    arrived_at: Date.now() - 60_000,
    held_at: Date.now(),
    decision: null,
  });
  await db('papers').where({ id: album }).update({ updated_at: Date.now() });
}

const decisions = async ({ context }: ConsoleWorld): Promise<unknown> =>
  Object.fromEntries(
    (await context.db('waiting_mails').select('sender', 'decision')).map((one) => [one.sender, one.decision]),
  );

interface Post {
  readonly mailbox: { readonly address: string | null } | null;
  readonly senders: readonly { readonly address: string; readonly name: string }[];
  readonly chats: readonly unknown[];
}
const postOf = ({ person }: ConsoleWorld, album: string): Promise<Post> =>
  callApi<Post>(person, 'GET', `/papers/${album}/post/`);

/** Presses Enter on what bears this name, with the focus on it. */
async function enter({ page }: ConsolePage, name: string): Promise<void> {
  const found = await page.waitForSelector(`::-p-aria([name="${name}"][role="button"])`);
  await found?.focus();
  await page.keyboard.press('Enter');
}

const addressShown = ({ page }: ConsolePage): Promise<string> =>
  page.$eval('[aria-labelledby="paper-post"] .copy input', (field) => (field as HTMLInputElement).value);

test('an address is made, replaced and ended, and a person invited and removed, by the keyboard on a phone', () =>
  withConsole(async (world) => {
    const album = await familyAlbum(world);
    const console = await world.openPage({ width: 390 });
    await console.goTo(`papers/${album}`);
    await console.sees('This album has no mail address yet.');
    await enter(console, 'Make an address');
    await console.sees('Nobody is invited yet: all mail waits for a yes.');
    const first = await addressShown(console);
    assert.match(first, /^frames\+[a-z0-9]{8,}@example\.org$/);
    await console.fill('Mail address of the person', 'Grandma@Example.org');
    await console.fill('Name of the person', 'Grandma');
    await console.page.keyboard.press('Enter');
    await console.sees('grandma@example.org');
    await console.isAccessible({ everyLook: true });
    await console.goTo(`papers/${album}`);
    await console.sees('grandma@example.org');
    assert.equal([...(await walkPage(console.page)).faults, ...(await coveredControls(console.page))], []);
    await enter(console, 'Replace the mail address');
    await console.sees('mail to the old one is ignored');
    await enter(console, 'Cancel');
    assert.is((await postOf(world, album)).mailbox?.address, first);
    await enter(console, 'Replace the mail address');
    await enter(console, 'Replace');
    await console.sees('The album has a new mail address.');
    await eventually('the new address is shown', async () => (await addressShown(console)) !== first);
    assert.is((await postOf(world, album)).mailbox?.address, await addressShown(console));
    await enter(console, 'Remove Grandma');
    await console.sees('Pictures that came stay.');
    await enter(console, 'Remove');
    await console.sees('Grandma was removed.');
    await console.sees('Nobody is invited yet');
    await enter(console, 'End the mail address');
    await enter(console, 'End');
    await console.sees('This album has no mail address yet.');
    const { mailbox, senders } = await postOf(world, album);
    assert.equal([mailbox?.address, senders], [null, []]);
  }, setUp));

test('mails that wait come onto their album and its card by themselves, and are accepted, invited or refused', () =>
  withConsole(async (world) => {
    const album = await familyAlbum(world);
    await callApi(world.person, 'POST', `/papers/${album}/post/senders/`, {
      address: 'lena@example.org',
      name: 'Lena',
    });
    const list = await world.openPage({ width: 390, scheme: 'dark' });
    await list.goTo('papers');
    await list.sees('Family');
    const console = await world.openPage({ width: 390 });
    await console.goTo(`papers/${album}`);
    await console.sees('By mail or message');
    assert.not.match(await console.text(), /waits? for a yes\n/);
    await holdMail(world, album, 'lena@example.org', 'album-source-mail-sender-unproven');
    await console.sees('1 mail waits for a yes');
    for (const sender of ['maria@example.org', 'spam@example.org']) {
      await holdMail(world, album, sender, 'album-source-mail-sender-unknown');
    }
    await console.sees('3 mails wait for a yes');
    await console.sees('Party of maria@example.org');
    await console.sees('Nobody has invited this sender.');
    await list.sees('3 mails wait for a yes');
    await list.isAccessible();
    await console.isAccessible({ everyLook: true });
    assert.is(await console.page.$('::-p-aria([name="Accept and invite lena@example.org"])'), null, 'she is invited');
    await enter(console, 'Accept the mail from lena@example.org');
    await console.sees('the pictures from lena@example.org come in a moment');
    await console.sees('2 mails wait for a yes');
    await enter(console, 'Accept and invite maria@example.org');
    await console.sees('maria@example.org is invited');
    await enter(console, 'Refuse the mail from spam@example.org?');
    await console.sees('the sender gets no answer');
    await enter(console, 'Refuse');
    await console.goes('waits for a yes\n');
    await list.goes('for a yes');
    assert.equal(await decisions(world), {
      'lena@example.org': 'yes',
      'maria@example.org': 'yes',
      'spam@example.org': 'no',
    });
    const { senders } = await postOf(world, album);
    assert.equal(
      senders.map(({ address }) => address),
      ['lena@example.org', 'maria@example.org'],
    );
  }, setUp));

test('a code admits a chat of Telegram, which stands on the page as soon as it is used, and is removed', () =>
  withConsole(async (world) => {
    const album = await familyAlbum(world);
    const { db } = world.context;
    const console = await world.openPage({ width: 390 });
    await console.goTo(`papers/${album}`);
    await console.sees('Telegram has not answered since');
    await console.sees('No chat is admitted yet.');
    await db('post_states').where({ way: 'telegram' }).update({ name: 'LindenBot' });
    await enter(console, 'Admit a chat');
    await console.page.waitForSelector('svg.qr[aria-label]');
    const values = await console.page.$$eval('.new-link input', (all) =>
      all.map((one) => (one as HTMLInputElement).value),
    );
    const [link = '', message = ''] = values;
    assert.match(link, /^https:\/\/t\.me\/LindenBot\?start=[\w-]{6,}$/);
    assert.is(message, `/start ${link.split('=')[1]}`);
    await console.isAccessible({ everyLook: true });
    await db('admitted_chats').insert({
      id: random.id(),
      paper_id: album,
      organization_id: await organizationOf(world, album),
      bot: '123456',
      chat: '-77',
      title: 'Family Linden',
      is_group: 1,
      members: null,
      created_at: Date.now(),
      last_at: null,
      pictures: 0,
    });
    await db('papers').where({ id: album }).update({ updated_at: Date.now() });
    await console.sees('“Family Linden” is admitted: pictures that are sent there come here.');
    assert.is(await console.page.$('svg.qr'), null, 'the code was used');
    await enter(console, 'Remove Family Linden');
    await console.sees('A new code admits it again.');
    await enter(console, 'Remove');
    await console.sees('No chat is admitted yet.');
    assert.equal((await postOf(world, album)).chats, []);
  }, setUp));

test('a mailbox and a bot that are away, refused or stopped say so, since when, and who can do something', () =>
  withConsole(async (world) => {
    const album = await familyAlbum(world);
    const console = await world.openPage({ width: 390 });
    await console.goTo(`papers/${album}`);
    await console.sees(/The mailbox has not answered since .* Mail waits there, and comes when it answers again\./);
    await console.isAccessible();
    const answer = await postOf(world, album);
    const { page } = console;
    let changed: object = {};
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const isPost = request.url().endsWith(`/papers/${album}/post/`) && request.method() === 'GET';
      const body = JSON.stringify({ ...answer, ...changed });
      void (isPost ? request.respond({ contentType: 'application/json', body }) : request.continue());
    });
    const [since, sentence] = [new Date(Date.now() - 3_600_000).toISOString(), 'Another program asks.'];
    changed = {
      mailbox: { address: null, state: 'denied', since, problem: 'Check the password.' },
      bot: { name: 'LindenBot', state: 'stopped', since, problem: sentence },
    };
    await page.reload();
    await console.sees(/has refused this service’s login since .* until the operator .* Check the password\./);
    await console.sees(
      /Nothing has come from Telegram since .*: the operator of this service has to act.* Another program asks\./,
    );
    await console.isAccessible();
    changed = { mailbox: { address: null, state: 'starting', since: null }, bot: null };
    await page.reload();
    await console.sees('The mailbox is being opened.');
    await console.sees('Its operator makes one and sets PAPERGATE_PICTURE_BOT.');
  }, setUp));

test('without mailbox and bot an admin sees which settings are missing, and a member whom to ask', () =>
  withConsole(async (world) => {
    const album = await familyAlbum(world);
    const console = await world.openPage();
    await console.goTo(`papers/${album}`);
    await console.sees('sets up a mailbox (PAPERGATE_PICTURE_MAILBOX) or a bot (PAPERGATE_PICTURE_BOT).');
    const { id } = (await world.context.db('users').where({ role: 'admin' }).first('id')) ?? {};
    await world.context.db('users').where({ id }).update({ role: 'user' });
    const member = await world.openPage({ userId: String(id) });
    await member.goTo(`papers/${album}`);
    await member.sees('as soon as the operator of this service has set up a mailbox or a bot. Ask them for it.');
    assert.not.match(await member.text(), /PAPERGATE_PICTURE/);
  }));

test('pictures that came by mail and Telegram bear their senders’ names, and the ways by which they came', () =>
  withConsole(async (world) => {
    const album = await familyAlbum(world);
    const { db } = world.context;
    const senders = [
      ['mail:grandma@example.org', 'Grandma'],
      ['telegram:4711', 'Lena'],
    ] as const;
    for (const [index, [sender, sender_name]] of senders.entries()) {
      const form = new FormData();
      form.append('picture', new Blob([new Uint8Array(await photograph())]), `${index}.jpg`);
      const headers = { 'x-api-key': String(world.person.apiKey) };
      const sent = await fetch(`${world.http}/papers/${album}/pictures/`, { method: 'POST', headers, body: form });
      const { id } = (await sent.json()) as { id: string };
      await db('sent_pictures').where({ id }).update({ sender, sender_name });
    }
    const console = await world.openPage();
    await console.goTo(`papers/${album}`);
    await console.sees(/Grandma\s+by mail, /);
    await console.sees(/Lena\s+by Telegram, /);
    assert.not.match(await console.text(), /mail:|telegram:/);
    await console.sees(/On the wall since/);
  }));

test.run();
