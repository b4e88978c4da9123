/** Pictures that are mailed to an album, from the mailbox to the answer that they hang. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { photo } from '../papers/images-world.ts';
import { type FakeImap, openFakeImap } from '../picture-mail/fake-imap.ts';
import { writtenMail } from '../picture-mail/mail-world.ts';
import { type PostWorld, withPost } from './post-world.ts';

const test = suite('pictures by mail');
const grandma = 'grandma@example.org';

/** Opens a mailbox, an album with an address, and grandma among its senders. */
async function withMail(
  run: (world: Omit<PostWorld, 'server'> & { readonly server: FakeImap; readonly to: string }) => Promise<void>,
): Promise<void> {
  const server = await openFakeImap();
  try {
    await withPost({ imapPort: server.port }, async (world) => {
      await world.invites(grandma, 'Grandma');
      // What lies there before the mailbox is followed would stay.
      await world.until(async () => (await world.db('mailbox_places').first()) !== undefined);
      await run({ ...world, server, to: await world.makesAddress() });
    });
  } finally {
    await server.close();
  }
}

const inFolder = (server: FakeImap, folder: string): number => server.folders.get(folder)?.mails.length ?? 0;
const proofOf = (domain: string): string => `Authentication-Results: mx.box.example; dmarc=pass header.from=${domain}`;

test('a proven email of an invited sender hangs; its sender learns both, once each, also when the service is restarted', () =>
  withMail(async ({ server, to, until, pictured, shown, letters, mailed, settles, shows, restarts }) => {
    server.deliver(writtenMail({ id: 'one', to: to.toUpperCase(), pictures: [await photo(800, 480, 'red')] }));
    await until(() => letters.length === 1);
    const [picture] = await pictured();
    assert.equal(picture.sender, { name: 'Grandma', isGuest: false, way: 'mail' });
    assert.is(picture.caption, 'At the lake');
    const [letter] = letters;
    assert.equal([letter?.to, letter?.subject, letter?.answers?.messageId], [[grandma], 'Re: At the lake', '<one>']);
    await restarts();
    await settles();
    await shows();
    await until(() => letters.length === 2);
    await restarts();
    await until(() => inFolder(server, 'Papergate') === 1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.match(mailed()[0] ?? '', /^Your picture is accepted for “/);
    assert.match(mailed()[1] ?? '', /^Your picture hangs in “.*” since \d+:\d\d/);
    assert.is(letters.length, 2);
    await until(async () => (await shown()).mailbox.state === 'connected');
    const { mailbox, senders, waiting } = await shown();
    assert.is(mailbox.address, to);
    assert.equal([senders[0].name, senders[0].pictures, waiting], ['Grandma', 1, []]);
    assert.ok(senders[0].lastAt !== null);
  }));

test('a stranger and a forged sender wait without an answer; a yes brings the pictures, and invites', () =>
  withMail(async ({ server, to, until, call, admin, album, shown, pictured, letters }) => {
    const aunt = 'aunt@example.net';
    const deliver = async (id: string, from: string, headers: string[], colour: string) =>
      server.deliver(writtenMail({ id, from, to, headers, pictures: [await photo(800, 480, colour)] }));
    await deliver(
      'forged',
      grandma,
      ['Authentication-Results: mx.box.example; dmarc=fail header.from=example.org'],
      'red',
    );
    await deliver('stranger', aunt, [proofOf('example.net')], 'blue');
    await until(async () => (await shown()).waiting.length === 2);
    const { waiting } = await shown();
    const stranger = waiting.find((one: { sender: string }) => one.sender === aunt);
    const forged = waiting.find((one: { sender: string }) => one.sender === grandma);
    assert.equal(
      [stranger.files, stranger.subject, stranger.problem],
      [1, 'At the lake', 'nobody has invited this sender'],
    );
    assert.is(forged.problems[0].code, 'album-source-mail-sender-unproven');
    assert.equal(await pictured(), []);
    const decide = (id: string, json: object) =>
      call('POST', `/papers/${album}/post/waiting/${id}`, { as: admin, json });
    assert.is((await decide(forged.id, { accept: false })).status, 204);
    assert.is((await decide(stranger.id, { accept: true, invite: true })).status, 204);
    await until(async () => (await pictured()).length === 1 && inFolder(server, 'Papergate/left out') === 1);
    assert.is((await decide(stranger.id, { accept: true })).status, 404);
    assert.equal(letters, []);
    await deliver('again', aunt, [proofOf('example.net')], 'green');
    await until(() => letters.length === 1);
    assert.equal(letters[0]?.to, [aunt]);
    assert.is((await pictured()).length, 2);
  }));

test('the server’s name is learnt of the first email that a member accepts', async () => {
  const server = await openFakeImap();
  try {
    await withPost(
      { imapPort: server.port },
      async ({ invites, makesAddress, shown, until, call, admin, album, pictured, letters }) => {
        await invites(grandma);
        const to = await makesAddress();
        server.deliver(writtenMail({ id: 'one', to, pictures: [await photo(800, 480, 'red')] }));
        await until(async () => (await shown()).waiting.length === 1);
        const [{ id }] = (await shown()).waiting;
        await call('POST', `/papers/${album}/post/waiting/${id}`, { as: admin, json: { accept: true } });
        await until(async () => (await pictured()).length === 1);
        server.deliver(writtenMail({ id: 'two', to, pictures: [await photo(800, 480, 'blue')] }));
        await until(() => letters.length === 1);
        assert.is((await pictured()).length, 2);
      },
      null,
    );
  } finally {
    await server.close();
  }
});

test('of 60 attachments 20 are taken, and the sender learns what was left out', () =>
  withMail(async ({ server, to, until, pictured, letters }) => {
    const pictures = await Promise.all(
      Array.from({ length: 60 }, (_, index) => photo(200, 120, `rgb(${index * 4},${255 - index * 4},99)`)),
    );
    server.deliver(writtenMail({ id: 'many', to, pictures }));
    await until(() => letters.length === 1);
    assert.is((await pictured()).length, 20);
    assert.match(letters[0]?.text ?? '', /^Your 20 pictures are accepted/);
    assert.match(letters[0]?.text ?? '', /Left out: … \(too many files at once\)/);
  }));

test('a program’s email, one to the mailbox itself and one to a replaced address come to nothing, and are not answered', () =>
  withMail(async ({ server, to, until, pictured, letters, makesAddress, shown }) => {
    const pictures = [await photo(800, 480, 'red')];
    const headers = [proofOf('example.org')];
    server.deliver(writtenMail({ id: 'loop', to, pictures, headers: [...headers, 'Auto-Submitted: auto-replied'] }));
    server.deliver(writtenMail({ id: 'own', to, pictures, from: 'frame@box.example', headers }));
    server.deliver(writtenMail({ id: 'list', to, pictures, headers: [...headers, 'List-Id: <list.example.org>'] }));
    await until(() => inFolder(server, 'Papergate/left out') === 3);
    assert.not.equal(await makesAddress(), to);
    server.deliver(writtenMail({ id: 'late', to, pictures }));
    await until(() => inFolder(server, 'Papergate/left out') === 4);
    assert.equal([await pictured(), letters, (await shown()).waiting], [[], [], []]);
  }));

test('ML-7: an end between storing and moving brings the picture once, and one answer', () =>
  withMail(async ({ server, to, until, pictured, letters, restarts }) => {
    server.faults.cutAt = { command: 'MOVE', isAfter: false };
    server.deliver(writtenMail({ id: 'one', to, pictures: [await photo(800, 480, 'red')] }));
    await until(() => server.commands.some((command) => command.startsWith('MOVE')));
    await restarts();
    server.faults.cutAt = undefined;
    await until(() => inFolder(server, 'Papergate') === 1 && letters.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.equal([(await pictured()).length, letters.length], [1, 1]);
  }));

test('the same picture in another email hangs once', () =>
  withMail(async ({ server, to, until, pictured, letters }) => {
    const pictures = [await photo(800, 480, 'red')];
    server.deliver(writtenMail({ id: 'one', to, pictures }));
    server.deliver(writtenMail({ id: 'two', to, pictures }));
    await until(() => letters.length === 2);
    assert.is((await pictured()).length, 1);
  }));

test('an album that moved to another organization takes neither address nor senders along', () =>
  withMail(async ({ server, to, until, db, album, stranger, call, letters }) => {
    await db('papers').where({ id: album }).update({ organization_id: stranger.organizationId });
    server.deliver(writtenMail({ id: 'one', to, pictures: [await photo(800, 480, 'red')] }));
    await until(() => inFolder(server, 'Papergate/left out') === 1);
    const { mailbox, senders } = (await call('GET', `/papers/${album}/post/`, { as: stranger })).json;
    assert.equal([mailbox.address, senders, letters], [null, [], []]);
    assert.equal(await db('sent_pictures').where({ paper_id: album }), []);
  }));

test.run();
