/** An album on a frame's device to which pictures come by mail and message: mailbox and bot as the service runs them, over servers on loopback. */
import type { Letter } from '../../api/alerts/mail.ts';
import { normalizeImage } from '../../api/images/normalize-image.ts';
import type { FollowDeps } from '../../api/outgoing/follow-redirects.ts';
import { readMailboxAddress } from '../../api/picture-mail/mailbox-address.ts';
import { type PicturePost, picturePost } from '../../api/picture-post/run-post.ts';
import { alone } from '../../cluster/alone.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type AlbumWorld, withAlbum } from '../papers/album-world.ts';
import { fakeToken } from '../picture-bot/fake-telegram.ts';

export interface PostWorld extends AlbumWorld {
  readonly letters: Letter[];
  /** Ends the post and begins it again, as a process does. */
  restarts(): Promise<void>;
  /** Ends the post. */
  ends(): Promise<void>;
  /** Makes the address of the album, and returns it. */
  makesAddress(): Promise<string>;
  invites(address: string, name?: string): Promise<void>;
  /** The post of the album as members see it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  shown(): Promise<any>;
  /** The pictures of the album as members see them. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into them
  pictured(): Promise<any[]>;
  /** Waits until something is true. */
  until(when: () => boolean | Promise<boolean>): Promise<void>;
  /** The subjects of the texts that were mailed, as their first lines. */
  mailed(): string[];
}

export interface PostServers {
  /** The port of a mailbox on this machine. */
  readonly imapPort?: number;
  readonly bot?: { readonly follow: FollowDeps; readonly server: URL };
}

/** Opens the world, begins the post, runs the test, and closes everything. */
export function withPost(
  { imapPort, bot }: PostServers,
  run: (world: PostWorld) => Promise<void>,
  trusted: string | null = 'mx.box.example',
): Promise<void> {
  const at = readMailboxAddress(`imap://frame:s3cret@127.0.0.1:${imapPort ?? 143}/INBOX`);
  if ('code' in at) throw new Error(at.code);
  let post: PicturePost | undefined;
  const offered = { mailbox: imapPort === undefined ? undefined : 'frame@box.example', hasBot: bot !== undefined };
  return withAlbum(
    async (world) => {
      const { db, random, album, call, admin, pictures, rendering, frames } = world;
      const letters: Letter[] = [];
      const clock: Clock = { now: world.clock.now, after: (ms, wake) => world.clock.after(hurriedMs(ms), wake) };
      const logger = { debug() {}, info() {}, warn() {}, error: (...all: unknown[]) => console.log(all) };
      const common = { db, clock, random, logger };
      const sealing = { ...common, files: pictures, rendering, frames, normalizeImage, sealKey: Buffer.alloc(32, 3) };
      const setUp = {
        mailbox:
          imapPort === undefined ? undefined : { at, address: 'frame@box.example', trusted: trusted ?? undefined },
        bot: bot && { ...bot, token: fakeToken },
        mail: {
          async send(letter: Letter) {
            letters.push(letter);
            return { ok: true, answer: { code: 'mail-taken', params: { answer: '250 ok' } } } as const;
          },
        },
      };
      const begin = (): void => {
        post = picturePost({ ...common, sealing, setUp, cluster: alone, frames, nudgeLine() {} });
        post.start();
      };
      begin();
      const read = async (path: string) => (await call('GET', `/papers/${album}/${path}`, { as: admin })).json;
      try {
        await run({
          ...world,
          letters,
          async restarts() {
            await post?.stop();
            begin();
          },
          ends: async () => post?.stop(),
          async makesAddress() {
            return (await call('POST', `/papers/${album}/post/address`, { as: admin })).json.address;
          },
          async invites(address, name) {
            const json = name === undefined ? { address } : { address, name };
            const answer = await call('POST', `/papers/${album}/post/senders/`, { as: admin, json });
            if (answer.status !== 201) throw new Error(answer.text);
          },
          shown: () => read('post/'),
          pictured: () => read('pictures/'),
          async until(when) {
            for (let tries = 0; !(await when()); tries++) {
              if (tries > 1_500) throw new Error(`it did not come true: ${when}`);
              await new Promise((resolve) => setTimeout(resolve, 10));
            }
          },
          mailed: () => letters.map(({ text }) => text.split('\n\n')[0] ?? ''),
        });
      } finally {
        await post?.stop();
      }
    },
    'album',
    { post: { ...offered, nudge: () => post?.nudge() } },
  );
}

/** Pauses and rounds take 20 milliseconds, the two minutes of a message twenty seconds. */
const hurriedMs = (ms: number): number => (ms >= 120_000 && ms < 300_000 ? 20_000 : Math.min(ms, 20));
