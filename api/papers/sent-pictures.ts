/** Pictures that people and guests sent: those of albums, and receipts of what guests sent to other papers. */

import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { slideOf } from './choose-slide.ts';
import type { papersTables } from './tables.ts';

/** A row of `sent_pictures`. */
export type SentPictureRow = RowIn<typeof papersTables, 'sent_pictures'>;

/** The most that an album holds. */
export const albumLimits = { pictures: 200, bytes: 2 * 1024 * 1024 * 1024 };

/** The time in which the same file, sent again by a guest, is the same sending. */
export const sameSendingMs = 10 * 60_000;

/** Who sends: an account, or a guest by their link. */
export const senderOf = (who: { readonly accountId: string } | { readonly linkId: string }): string =>
  'linkId' in who ? `guest:${who.linkId}` : `account:${who.accountId}`;

/** Whether a guest sent it. */
export const isOfGuest = ({ sender }: Pick<SentPictureRow, 'sender'>): boolean => sender.startsWith('guest:');

/** The ways by which pictures come. */
export const sendingWays = ['member', 'guest', 'source', 'mail', 'telegram'] as const;

/** Says by which way a picture came. */
export function wayOfSender({ sender }: Pick<SentPictureRow, 'sender'>): (typeof sendingWays)[number] {
  const [way] = sender.split(':', 1);
  return sendingWays.find((one) => one === way) ?? 'member';
}

const rowsOf = (db: Database) => db<SentPictureRow>('sent_pictures');

/** The queries over a database or a transaction. */
export function sentPictures(db: Database) {
  return {
    /** The pictures of an album, in the order in which they are shown. */
    ofAlbum: (paperId: string): Promise<SentPictureRow[]> =>
      rowsOf(db)
        .where({ paper_id: paperId })
        .whereNotNull('picture_key')
        .orderBy([
          { column: 'place', order: 'desc' },
          { column: 'id', order: 'desc' },
        ]),

    /** Reads the pictures that one sender sent to a paper, the newest first. */
    ofSender: (paperId: string, sender: string): Promise<SentPictureRow[]> =>
      rowsOf(db)
        .where({ paper_id: paperId, sender })
        .orderBy([
          { column: 'created_at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ])
        .limit(albumLimits.pictures),

    find: (paperId: string, id: string): Promise<SentPictureRow | undefined> =>
      rowsOf(db).where({ paper_id: paperId, id }).first(),

    /** Reads the picture that was sent under a message's id before; undefined without such an id. */
    ofMessage: async (
      paperId: string,
      sender: string,
      messageId: string | undefined,
    ): Promise<SentPictureRow | undefined> =>
      messageId === undefined
        ? undefined
        : rowsOf(db).where({ paper_id: paperId, sender, message_id: messageId }).first(),

    insert: (row: SentPictureRow): Promise<unknown> => rowsOf(db).insert(row),

    async remove({ id }: SentPictureRow): Promise<void> {
      await db('picture_showings').where({ picture_id: id }).delete();
      await rowsOf(db).where({ id }).delete();
    },

    keepThumbnail: (id: string, key: string): Promise<number> =>
      rowsOf(db).where({ id }).update({ thumbnail_key: key }),

    /** Notes that an offer shows a picture. */
    noteShowing: (uploadId: string, pictureId: string): Promise<unknown> =>
      db('picture_showings').insert({ upload_id: uploadId, picture_id: pictureId }).onConflict().ignore(),

    /** Notes that an offer that was made again shows this picture alone. */
    async noteOnlyShowing(uploadId: string, pictureId: string): Promise<void> {
      await db('picture_showings').where({ upload_id: uploadId }).whereNot({ picture_id: pictureId }).delete();
      await sentPictures(db).noteShowing(uploadId, pictureId);
    },
  };
}

/** The newest of what a sender sent to a paper since a time, of one content where a digest is given. */
export const newestSent = (
  db: Database,
  { paper_id, sender }: Pick<SentPictureRow, 'paper_id' | 'sender'>,
  since: number,
  digest?: string,
): Promise<SentPictureRow | undefined> =>
  rowsOf(db)
    .where({ paper_id, sender, ...(digest !== undefined && { digest }) })
    .where('created_at', '>', since)
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .first();

/** Writes another caption next to a picture. */
export const recaption = (db: Database, id: string, caption: string): Promise<number> =>
  rowsOf(db).where({ id }).update({ caption });

/**
 * Refuses a picture for which an album has no room. Those that sources bring have a window of their own.
 * @throws Refusal `album-full`
 * @returns the place in front of all others
 */
export async function requireRoom(db: Database, paperId: string, bytes: number): Promise<number> {
  const counted = await rowsOf(db)
    .where({ paper_id: paperId, source_picture: null })
    .whereNotNull('picture_key')
    .count({ pictures: '*' })
    .sum({ bytes: 'bytes' })
    .max({ place: 'place' })
    .first();
  if (Number(counted?.pictures ?? 0) >= albumLimits.pictures) {
    throw refuse('album-full', { message: reasonOf('album-no-room', { most: albumLimits.pictures }) });
  }
  if (Number(counted?.bytes ?? 0) + bytes > albumLimits.bytes) {
    throw refuse('album-full', { message: reasonOf('album-too-large') });
  }
  return Number(counted?.place ?? 0) + 1;
}

/** Forgets the oldest receipts of what guests sent to a paper that keeps one picture, beyond as many as an album holds. */
export async function forgetReceipts(db: Database, paperId: string): Promise<void> {
  const surplus: string[] = await rowsOf(db)
    .where({ paper_id: paperId })
    .whereNull('picture_key')
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .offset(albumLimits.pictures)
    .limit(albumLimits.pictures)
    .pluck('id');
  await rowsOf(db).whereIn('id', surplus).delete();
}

/** Puts the pictures of an album in an order. Others than these, which came meanwhile, stay in front. */
export async function orderAlbum(db: Database, paperId: string, ids: readonly string[]): Promise<void> {
  const all = (await sentPictures(db).ofAlbum(paperId)).map(({ id }) => id);
  const named = ids.filter((id) => all.includes(id));
  const others = all.filter((id) => !named.includes(id));
  for (const [at, id] of [...others, ...named].reverse().entries()) {
    await rowsOf(db)
      .where({ paper_id: paperId, id })
      .update({ place: at + 1 });
  }
}

/** Removes everything that was sent to a paper. */
export async function removeSentPictures(db: Database, paperId: string): Promise<void> {
  const theirs = rowsOf(db).where({ paper_id: paperId }).select('id');
  await db('picture_showings').whereIn('picture_id', theirs).delete();
  await rowsOf(db).where({ paper_id: paperId }).delete();
}

/** Forgets which pictures offers showed that are forgotten themselves. */
export const forgetShowings = (db: Database): Promise<number> =>
  db('picture_showings')
    .whereNotExists(db('uploads').whereRaw('uploads.id = picture_showings.upload_id').select(db.raw('1')))
    .delete();

/** A new picture is the next one to be shown, on every device that shows the album. */
export async function beginAlbumAnew(db: Database, paperId: string): Promise<void> {
  await db('shown_pictures').where({ paper_id: paperId }).update({ turn: 0 });
}

/**
 * Chooses the picture of an album: all in turn, from the first one; `order: "random"` deals them again each round, after
 * the first; `order: "newest"` stays with the one that came last.
 * @param pictures in their order; not empty
 */
export function albumPictureAt(
  pictures: readonly SentPictureRow[],
  meta: Readonly<Record<string, unknown>>,
  seed: string,
  position: number,
): SentPictureRow {
  const [first] = pictures as [SentPictureRow];
  if (meta.order === 'newest') {
    return pictures.reduce((newest, one) => (one.created_at > newest.created_at ? one : newest), first);
  }
  if (position === 0) return first;
  const ids = pictures.map(({ id }) => id);
  const chosen = slideOf(ids, { order: meta.order }, seed, position);
  return pictures.find(({ id }) => id === chosen) ?? first;
}
