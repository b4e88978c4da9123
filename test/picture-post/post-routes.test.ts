/** Routes of mail and Telegram: senders, addresses, decisions, and the rows behind the mailbox. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { normalizeImage } from '../../api/images/normalize-image.ts';
import type { MailStore } from '../../api/picture-mail/mail-store.ts';
import { forgetPost } from '../../api/picture-post/forget-post.ts';
import { mailRows, waitingLimits } from '../../api/picture-post/mail-rows.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { sha256Of } from '../../runtime/digest.ts';
import { type AlbumWorld, withAlbum } from '../papers/album-world.ts';
import { framedPaper, photo } from '../papers/images-world.ts';

const test = suite('routes of mail and Telegram');
const sender = 'grandma@example.org';

interface RowsWorld extends AlbumWorld {
  readonly store: MailStore;
  /** Calls a route of the album's post. */
  post(method: string, path: string, json?: object, as?: AlbumWorld['admin']): ReturnType<AlbumWorld['call']>;
  /** Stores a picture of one email. */
  stores(content: Buffer, more?: object): ReturnType<MailStore['storePicture']>;
}

function withRows(run: (world: RowsWorld) => Promise<void>): Promise<void> {
  const post = { mailbox: 'frame@box.example', hasBot: true, nudge() {} };
  return withAlbum(
    async (world) => {
      const { db, clock, random, pictures, rendering, frames, album, call, admin } = world;
      const logger = { debug() {}, info() {}, warn() {}, error() {} };
      const common = { db, clock, random, logger, signal: new AbortController().signal, nudgeLine() {} };
      const sealing = { ...common, files: pictures, rendering, frames, normalizeImage, sealKey: Buffer.alloc(32, 3) };
      const at = { host: 'h', port: 993, privacy: 'tls', user: 'u', password: 'p', folder: 'INBOX' } as const;
      const store = mailRows({ ...common, sealing }, at, undefined);
      await run({
        ...world,
        store,
        post: (method, path, json, as = admin) =>
          call(method, `/papers/${album}/post/${path}`, { as, ...(json && { json }) }),
        async stores(content, more = {}) {
          const named = { mailKey: '<one>', name: 'a.png', caption: '', sender, isInline: false, arrivedAt: 1 };
          const digest = await sha256Of(content);
          return store.storePicture({ ...named, digest, content, targets: [album], ...more });
        },
      });
    },
    'album',
    { post },
  );
}

test('an address is made, replaced at once, and ended; its letters are the same in either case', () =>
  withRows(async ({ post, store, album }) => {
    const secretOf = (address: string): string =>
      /^frame\+([0-9a-hjkmnp-tv-z]{12})@box\.example$/.exec(address)?.[1] ?? '';
    const first = secretOf((await post('POST', 'address')).json.address);
    const second = secretOf((await post('POST', 'address')).json.address);
    const found = async (secret: string) => (await store.findTargets([secret])).map(({ id }) => id);
    assert.equal([await found(first), await found(second)], [[], [album]]);
    assert.equal(await found(second.toUpperCase().replaceAll('0', 'O').replaceAll('1', 'L')), [album]);
    assert.is((await post('GET', '')).json.mailbox.address, `frame+${second}@box.example`);
    assert.is((await post('DELETE', 'address')).status, 204);
    assert.equal([await found(second), (await post('GET', '')).json.mailbox.address], [[], null]);
  }));

test('senders are invited once, named, bounded and removed', () =>
  withRows(async ({ post, db }) => {
    const { json: made } = await post('POST', 'senders/', { address: 'Grandma@Example.org' });
    assert.equal([made.address, made.name, made.pictures, made.lastAt], [sender, '', 0, null]);
    const { json: named } = await post('POST', 'senders/', { address: sender, name: ' Grandma ' });
    assert.equal([named.id, named.name], [made.id, 'Grandma']);
    assert.is((await post('POST', 'senders/', { address: 'grandma' })).status, 400);
    const row = await db('invited_senders').first();
    for (let more = 1; more < 100; more++) {
      await db('invited_senders').insert({ ...row, id: `${more}`, address: `a${more}@example.org` });
    }
    const full = await post('POST', 'senders/', { address: 'one-more@example.org' });
    assert.equal([full.status, full.json.message], [409, 'an album has at most 100 invited senders']);
    assert.is((await post('DELETE', `senders/${made.id}`)).status, 204);
    assert.is((await post('DELETE', `senders/${made.id}`)).status, 404);
  }));

test('a sender who was removed meanwhile stores nothing more, and what they sent stays', () =>
  withRows(async ({ post, stores, db }) => {
    const { json } = await post('POST', 'senders/', { address: sender });
    assert.is(await stores(await photo(800, 480, 'red')), 'stored');
    assert.is(await stores(await photo(800, 480, 'red')), 'stored', 'the same call again');
    assert.is((await post('DELETE', `senders/${json.id}`)).status, 204);
    assert.equal(await stores(await photo(800, 480, 'blue')), reasonOf('album-source-post-ended'));
    const rows = await db('sent_pictures').select('sender', 'sender_name');
    assert.equal(rows, [{ sender: `mail:${sender}`, sender_name: sender }]);
  }));

test('ML-4: a picture in the text below 600 pixels is a logo; an attachment of that size is not', () =>
  withRows(async ({ post, stores }) => {
    await post('POST', 'senders/', { address: sender });
    const small = await photo(599, 400, 'red');
    assert.equal(await stores(small, { isInline: true }), reasonOf('album-source-left-out-small', { least: 600 }));
    assert.is(await stores(small), 'stored');
    assert.is(await stores(await photo(600, 400, 'blue'), { isInline: true }), 'stored');
  }));

test('a full album, a file of another sort and a HEIC that cannot be read have each their reason', () =>
  withRows(async ({ post, stores, db, album, send }) => {
    await post('POST', 'senders/', { address: sender });
    const cut = (
      await sharp(await photo(800, 480, 'red'))
        .jpeg()
        .toBuffer()
    ).subarray(0, 300);
    const broken = await stores(cut);
    assert.ok(typeof broken === 'object' && broken.code.startsWith('image'), JSON.stringify(broken));
    await send('green');
    await db('sent_pictures')
      .where({ paper_id: album })
      .update({ bytes: 2 * 1024 ** 3 });
    assert.equal(await stores(await photo(800, 480, 'blue')), reasonOf('album-source-left-out-full'));
  }));

test('waiting messages are bounded by sender and album, decided for each album, and end after a month', () =>
  withRows(async ({ store, post, album, admin, call, passes, ...world }) => {
    const { id: other } = await framedPaper({ ...world, call, admin, passes }, { kind: 'album' });
    const hold = (key: string, from = sender, targets = [album]) =>
      store.holdMail({
        key,
        sender: from,
        subject: 'At the lake',
        reason: reasonOf('album-source-mail-sender-unknown'),
        targets,
        files: 1,
        arrivedAt: 1,
      });
    for (let count = 0; count < waitingLimits.ofSender; count++) assert.ok(await hold(`<m${count}>`));
    assert.not.ok(await hold('<too many>'));
    assert.ok(await hold('<both>', 'aunt@example.org', [album, other]));
    const idOf = async (paper: string): Promise<string> =>
      (await call('GET', `/papers/${paper}/post/`, { as: admin })).json.waiting.find(
        (one: { sender: string }) => one.sender === 'aunt@example.org',
      )?.id;
    assert.is((await post('POST', `waiting/${await idOf(album)}`, { accept: true })).status, 204);
    assert.equal(await store.decisions(), [{ key: '<both>', targets: [album], stays: true }]);
    const none = { reason: undefined, sender: undefined, pictures: [], leftOut: [], answer: undefined };
    await store.closeMail({ key: '<both>', outcome: 'accepted', targets: [album], ...none });
    assert.equal([await store.decisions(), await store.isDone('<both>')], [[], true]);
    const json = { accept: false };
    assert.is(
      (await call('POST', `/papers/${other}/post/waiting/${await idOf(other)}`, { as: admin, json })).status,
      204,
    );
    assert.equal(await store.decisions(), [{ key: '<both>', targets: [], stays: false }]);
    await store.closeMail({ key: '<both>', outcome: 'left out', targets: [], ...none });
    passes(waitingLimits.ms + 1);
    assert.is((await store.decisions()).length, waitingLimits.ofSender);
  }));

test('what is no longer needed is forgotten, and everything of an album that moved to another organization', () =>
  withRows(async ({ post, db, album, clock, stranger }) => {
    await post('POST', 'senders/', { address: sender });
    await post('POST', 'address');
    await post('POST', 'codes/');
    const day = 86_400_000;
    for (const [key, days] of [
      ['<old>', 401],
      ['<new>', 1],
    ] as const) {
      await db('done_mails').insert({ key, at: clock.now() - days * day });
    }
    await forgetPost(db, clock.now());
    assert.equal(await db('done_mails').pluck('key'), ['<new>']);
    assert.is((await db('chat_codes')).length, 1);
    await forgetPost(db, clock.now() + day);
    assert.is((await db('chat_codes')).length, 0);
    assert.is((await db('invited_senders')).length, 1);
    await db('papers').where({ id: album }).update({ organization_id: stranger.organizationId });
    await forgetPost(db, clock.now());
    assert.equal([await db('invited_senders'), await db('post_addresses')], [[], []]);
  }));

test('the post of an album is for those of its organization who may write it', () =>
  withRows(async ({ post, patient, stranger, db }) => {
    const { json } = await post('POST', 'senders/', { address: sender });
    for (const as of [patient, stranger]) {
      assert.is((await post('GET', '', undefined, as)).status, 404);
      assert.is((await post('DELETE', `senders/${json.id}`, undefined, as)).status, 404);
    }
    assert.is((await post('POST', 'codes/')).json.link, null, 'no bot said its name');
    assert.not.match(JSON.stringify(await db('chat_codes')), (await post('POST', 'codes/')).json.code);
  }));

test.run();
