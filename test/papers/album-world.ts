/** An album on a frame's device, with the delivery line drawing, and an obedient frame. */
import { FormData } from 'undici';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import type { Answer, Person, WorldOptions } from '../http/world.ts';
import { framedPaper, photo } from './images-world.ts';
import { type DrawnLineWorld, withDrawnLine } from './line-world.ts';

/** A guest link as its maker got it. */
export interface MadeLink {
  readonly id: string;
  readonly token: string;
  readonly url: string;
}

export interface AlbumWorld extends DrawnLineWorld {
  readonly album: string;
  readonly deviceId: string;
  readonly serial: string;
  /** Sends a picture of one colour as a member. */
  send(colour: string, options?: { as?: Person; caption?: string; messageId?: string }): Promise<Answer>;
  link(wish?: object, paper?: string): Promise<MadeLink>;
  /** Calls as a guest; a body of bytes is sent as the picture of a form. */
  guest(
    link: Pick<MadeLink, 'token'>,
    method: string,
    path: string,
    picture?: Buffer,
    caption?: string,
  ): Promise<Answer>;
  /** The frame takes what it is offered, shows it and proves it. */
  shows(proven?: boolean): Promise<string>;
  /** The frame is about to wake: what changes by itself is made again. */
  wakesSoon(): Promise<void>;
}

/** The form of a picture that is sent. */
export function pictureFormOf(picture: Buffer, caption?: string): FormData {
  const body = new FormData();
  body.append('picture', new Blob([new Uint8Array(picture)]), 'picture.png');
  if (caption !== undefined) body.append('caption', caption);
  return body;
}

/** Opens the world, runs the test, and closes it. */
export function withAlbum(
  run: (world: AlbumWorld) => Promise<void>,
  kind = 'album',
  options: WorldOptions = {},
): Promise<void> {
  return withDrawnLine(async (world) => {
    const { id: album, deviceId, serial } = await framedPaper(world, { kind });
    await run({ ...world, ...actions(world, album, serial), album, deviceId, serial });
  }, options);
}

function actions(world: DrawnLineWorld, album: string, serial: string) {
  const { call, admin, user, db, clock } = world;
  return {
    async send(colour: string, { as = user, caption, messageId }: Parameters<AlbumWorld['send']>[1] = {}) {
      const query = messageId === undefined ? '' : `?messageId=${messageId}`;
      const body = pictureFormOf(await photo(800, 480, colour), caption);
      return call('POST', `/papers/${album}/pictures/${query}`, { as, body });
    },
    async link(wish: object = {}, paper = album): Promise<MadeLink> {
      const answer = await call('POST', `/papers/${paper}/guest-links/`, {
        as: admin,
        json: { name: 'Aunt Erna', ...wish },
      });
      if (answer.status !== 201) throw new Error(answer.text);
      const { id, url } = answer.json;
      return { id, url, token: url.slice(url.indexOf('#') + 1) };
    },
    guest: (link: Pick<MadeLink, 'token'>, method: string, path: string, picture?: Buffer, caption?: string) =>
      call(method, `/guest/${path}`, {
        headers: { 'x-guest-link': link.token },
        ...(picture && { body: pictureFormOf(picture, caption) }),
      }),
    async shows(proven = true): Promise<string> {
      const offer = await uploadLog(db).newest(serial);
      if (offer === undefined) throw new Error('nothing was offered');
      const now = clock.now();
      const stages = { announced_at: now, fetched_at: now, shown_at: now, confirmed_at: proven ? now : null };
      await db('uploads').where({ id: offer.id }).update(stages);
      const report = { reported_version: offer.file_version, picture_synced: 1, glass_sha256: offer.picture_sha256 };
      await db('frames')
        .where({ serial })
        .update({ ...report, last_contact_at: now });
      return offer.id;
    },
    async wakesSoon(): Promise<void> {
      const due = { render_due_at: clock.now(), attempts: 0 };
      await db('shown_pictures').where({ paper_id: album }).update(due);
      await world.settles();
    },
  };
}
