/** A mailbox over IMAP, with a server that breaks (ML-2, ML-5, ML-7). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeImap, openFakeImap } from './fake-imap.ts';
import { followMailbox, mailMemory, someJpeg, writtenMail } from './mail-world.ts';

const test = suite('following a mailbox');

const namesOf = (server: FakeImap, folder: string): string[] =>
  (server.folders.get(folder)?.mails ?? []).map(({ raw }) => /^Message-ID: <(.*)>/m.exec(raw)?.[1] ?? '');

/** Opens a server and a memory, and closes what was opened. */
async function withServer(
  run: (server: FakeImap, store: ReturnType<typeof mailMemory>) => Promise<void>,
  options: Parameters<typeof openFakeImap>[0] = {},
): Promise<void> {
  const server = await openFakeImap(options);
  try {
    await run(server, mailMemory());
  } finally {
    await server.close();
  }
}

const isMoved =
  (server: FakeImap, folder: string, count = 1) =>
  () =>
    server.folders.get(folder)?.mails.length === count;

test('a new message is announced while idle; its pictures are stored, and it is read and moved', async () => {
  await withServer(async (server, store) => {
    const mailbox = followMailbox(server.port, store, { isHurried: false });
    await server.until(() => server.commands.at(-1) === 'IDLE');
    server.deliver(writtenMail({ id: 'one', pictures: [someJpeg(1), someJpeg(2), someJpeg(1), Buffer.from('MZ')] }));
    await server.until(isMoved(server, 'Papergate'));
    await mailbox.stop();
    assert.equal(namesOf(server, 'Papergate'), ['one']);
    assert.ok(server.folders.get('Papergate')?.mails[0]?.flags.has('\\Seen'));
    assert.equal(
      [...store.pictures.values()].map(({ caption, name, sender }) => `${caption} ${name} ${sender}`),
      ['At the lake 0.jpg grandma@example.org', 'At the lake 1.jpg grandma@example.org'],
    );
    assert.ok([...store.pictures.values()][1]?.content.equals(someJpeg(2)));
    const closed = store.closed.get('<one>');
    assert.equal(
      closed?.leftOut.map(({ name, reason }) => `${name} ${reason.code}`),
      ['3.jpg album-source-left-out-type'],
    );
    assert.is(closed?.answer?.messageId, '<one>');
  });
});

test('first words in any charset are the caption without a subject', async () => {
  await withServer(async (server, store) => {
    server.deliver(writtenMail({ id: 'one', subject: '' }));
    const mailbox = followMailbox(server.port, store);
    await server.until(isMoved(server, 'Papergate'));
    await mailbox.stop();
    assert.is([...store.pictures.values()][0]?.caption, 'Grüße');
  });
});

test('what lay in the mailbox before stays, unless it is for an album; later strays are moved aside', async () => {
  await withServer(async (server, store) => {
    server.deliver(writtenMail({ id: 'private', to: 'frame@box.example' }));
    server.deliver(writtenMail({ id: 'old' }));
    const mailbox = followMailbox(server.port, store);
    await server.until(isMoved(server, 'Papergate'));
    server.deliver(writtenMail({ id: 'stray', to: 'frame@box.example' }));
    server.deliver(writtenMail({ id: 'loop', headers: ['Auto-Submitted: auto-replied'] }));
    await server.until(isMoved(server, 'Papergate/left out', 2));
    await mailbox.stop();
    assert.equal(namesOf(server, 'INBOX'), ['private']);
    assert.equal(namesOf(server, 'Papergate/left out'), ['stray', 'loop']);
    assert.is(store.closed.get('<loop>')?.answer, undefined);
  });
});

test('a stranger’s message waits in a folder of its own; a yes brings its pictures, and teaches the server’s name', async () => {
  await withServer(async (server, store) => {
    store.trusted = undefined;
    server.deliver(writtenMail({ id: 'yes' }));
    server.deliver(writtenMail({ id: 'no', from: 'stranger@example.org' }));
    const mailbox = followMailbox(server.port, store);
    await server.until(isMoved(server, 'Papergate/waiting', 2));
    assert.is(store.pictures.size, 0);
    assert.equal(
      [...store.held.values()].map(({ reason }) => reason.code),
      ['album-source-mail-sender-unproven', 'album-source-mail-sender-unknown'],
    );
    store.decided.push(
      { key: '<yes>', targets: ['kitchen'], stays: false },
      { key: '<no>', targets: [], stays: false },
      { key: '<gone>', targets: [], stays: false },
    );
    mailbox.nudge();
    await server.until(() => isMoved(server, 'Papergate')() && isMoved(server, 'Papergate/left out')());
    await mailbox.stop();
    assert.is(store.pictures.size, 1);
    assert.is(store.trusted, 'mx.box.example');
    assert.is(store.closed.get('<yes>')?.answer, undefined);
    assert.is(store.closed.get('<no>')?.reason?.code, 'album-source-mail-refused');
  });
});

test('ML-7: an end between storing and moving makes no picture twice', async () => {
  for (const isAfter of [false, true]) {
    await withServer(async (server, store) => {
      server.deliver(writtenMail({ id: 'one' }));
      server.faults.cutAt = { command: 'MOVE', isAfter };
      const mailbox = followMailbox(server.port, store);
      await server.until(() => server.commands.some((command) => command.startsWith('MOVE')));
      server.faults.cutAt = undefined;
      await server.until(() => isMoved(server, 'Papergate')() && server.commands.at(-1) === 'IDLE');
      await mailbox.stop();
      assert.is(store.pictures.size, 1);
      assert.is(server.folders.get('INBOX')?.mails.length, 0);
    });
  }
});

test('a database that is away costs the message nothing', async () => {
  await withServer(async (server, store) => {
    store.breaks = true;
    server.deliver(writtenMail({ id: 'one' }));
    const mailbox = followMailbox(server.port, store);
    await server.until(isMoved(server, 'Papergate'));
    await mailbox.stop();
    assert.is(store.pictures.size, 1);
    assert.ok(mailbox.states.some(({ state }) => state === 'away'));
  });
});

test('a message at which the connection breaks again and again is left out, and the next one is taken', async () => {
  await withServer(async (server, store) => {
    server.faults.cutAfter = 10_000;
    server.deliver(writtenMail({ id: 'poison', pictures: [someJpeg(1, 50_000)] }));
    server.deliver(writtenMail({ id: 'small' }));
    const mailbox = followMailbox(server.port, store);
    await server.until(() => isMoved(server, 'Papergate')() && isMoved(server, 'Papergate/left out')());
    await mailbox.stop();
    assert.equal(namesOf(server, 'Papergate'), ['small']);
    assert.is(store.closed.get('<poison>')?.reason?.code, 'album-source-mail-broken');
    assert.is(store.pictures.size, 1);
  });
});

test('a server that sends a byte now and then is cut off after the time of a message', async () => {
  await withServer(async (server, store) => {
    server.faults.byteMs = 5;
    server.deliver(writtenMail({ id: 'slow', pictures: [someJpeg(1, 20_000)] }));
    const mailbox = followMailbox(server.port, store);
    await server.until(isMoved(server, 'Papergate/left out'));
    await mailbox.stop();
    assert.is(store.closed.get('<slow>')?.reason?.code, 'album-source-mail-broken');
  });
});

test('ML-2: after a change of UIDVALIDITY nothing is taken twice, and nothing is missed', async () => {
  await withServer(async (server, store) => {
    server.faults.refuseMove = true;
    server.deliver(writtenMail({ id: 'one' }));
    const mailbox = followMailbox(server.port, store);
    await server.until(() => store.place?.lastUid === 1 && server.commands.at(-1) === 'IDLE');
    const inbox = server.folders.get('INBOX');
    if (inbox !== undefined) Object.assign(inbox, { validity: 8, next: 2 });
    server.faults.refuseMove = false;
    server.cutAll();
    server.deliver(writtenMail({ id: 'two', pictures: [someJpeg(2)] }));
    await server.until(isMoved(server, 'Papergate', 2));
    await mailbox.stop();
    assert.is(store.pictures.size, 2);
    assert.is(store.place?.uidValidity, '8');
  });
});

test('without MOVE messages are copied and marked, below the namespace, and not taken again', async () => {
  const run = async (server: FakeImap, store: ReturnType<typeof mailMemory>): Promise<void> => {
    server.deliver(writtenMail({ id: 'one' }));
    const mailbox = followMailbox(server.port, store);
    await server.until(isMoved(server, 'INBOX.Papergate'));
    server.deliver(writtenMail({ id: 'two', to: 'frame@box.example' }));
    const isMarked = (): boolean =>
      server.folders.get('INBOX')?.mails.every(({ flags }) => flags.has('\\Deleted') && flags.has('\\Seen')) === true;
    await server.until(() => isMoved(server, 'INBOX.Papergate.left out')() && isMarked());
    await mailbox.stop();
    assert.not.ok(server.commands.some((command) => /EXPUNGE/.test(command)));
    assert.is(store.pictures.size, 1);
  };
  await withServer(run, { capabilities: 'NAMESPACE UIDPLUS', prefix: 'INBOX.', delimiter: '.' });
});

test('a refused login is tried rarely, and no password is in any reason', async () => {
  await withServer(async (server, store) => {
    const mailbox = followMailbox(server.port, store, { isHurried: false, login: 'frame:wr0ng' });
    await server.until(() => server.commands.some((command) => command.startsWith('LOGIN')));
    while (mailbox.states.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await mailbox.stop();
    assert.equal(mailbox.states, [{ state: 'denied', reason: { code: 'album-source-mailbox-denied' } }]);
    assert.is(server.commands.filter((command) => command.startsWith('LOGIN')).length, 1);
  });
});

test.run();
