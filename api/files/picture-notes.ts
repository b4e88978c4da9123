/**
 * Notes about stored pictures that were accepted although something about their files was doubtful. A note is kept by the
 * picture's name, so that a paper, an album or a device that shows the picture finds it.
 */

import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import { type ImageNote, imageNotes } from '../images/bare-image/image-notes.ts';
import { firstLetters, remarkOfLetters } from '../pages/missing-letters-remark.ts';
import type { AcceptedPicture } from './accept-picture.ts';
import type { pictureFilesTables } from './tables.ts';

/** The notes on what a website was still doing when its picture was taken. */
export const pageNotes = ['page-still-loading', 'page-still-moving'] as const;

/** A doubt about a picture's file, or about the website that it is of: the characters that no font had, among others. */
export type PictureNote = ImageNote | (typeof pageNotes)[number] | `letters-missing:${string}`;

/** Returns the note of characters that no font had. */
export const noteOfLetters = (letters: string): PictureNote => `letters-missing:${firstLetters(letters)}`;

/** A row of `picture_notes`. */
type PictureNotesRow = RowIn<typeof pictureFilesTables, 'picture_notes'>;

export interface NotesDeps extends Pick<CommonDeps, 'db' | 'clock'> {
  readonly files: Pick<DurableFolder, 'put'>;
}

/** A picture to store, with the remarks on it. */
export interface NotedPicture extends Pick<AcceptedPicture, 'bytes'> {
  readonly notes: readonly PictureNote[];
}

/**
 * Stores a picture that an organization was accepted from, with its notes: the same pixels may have come in a doubtful file
 * before, or come in one later.
 * @returns the name of its file
 */
export async function storeAccepted(
  { db, files, clock }: NotesDeps,
  { bytes, notes }: NotedPicture,
  organizationId: string,
): Promise<string> {
  const file = await files.put(bytes, organizationId);
  const row: PictureNotesRow = { file, notes: notes.join(' '), at: clock.now() };
  if (notes.length > 0) await db('picture_notes').insert(row).onConflict('file').merge();
  else if ((await remarksOf(db, file)).length > 0) await db('picture_notes').where({ file }).delete();
  return file;
}

/** Returns the remarks on a stored picture; most have none. */
export async function remarksOf(db: Database, fileKey: string | null): Promise<readonly Reason[]> {
  if (fileKey === null) return [];
  const row: PictureNotesRow | undefined = await db('picture_notes').where({ file: fileKey }).first();
  const notes = row?.notes.split(' ') ?? [];
  const known = [...imageNotes, ...pageNotes, ...notes.filter(isOfLetters)];
  return remarksOfNotes(known.filter((note) => notes.includes(note)));
}

// Former notes have the number of the characters alone.
const isOfLetters = (note: string): note is PictureNote & `letters-missing:${string}` =>
  /^letters-missing:\D+$/.test(note);

/** Returns notes as reasons. */
export const remarksOfNotes = (notes: readonly PictureNote[]): readonly Reason[] => notes.map(remarkOfNote);

function remarkOfNote(note: PictureNote): Reason {
  if (isOfLetters(note)) return remarkOfLetters(note.slice(note.indexOf(':') + 1));
  return remarkOfImage[note];
}

const remarkOfImage: Readonly<Record<ImageNote | (typeof pageNotes)[number], Reason>> = {
  'page-still-loading': reasonOf('page-still-loading'),
  'page-still-moving': reasonOf('page-still-moving'),
  'end-missing': reasonOf('image-end-missing'),
  'profile-left-out': reasonOf('image-profile-left-out'),
  'gamma-left-out': reasonOf('image-gamma-left-out'),
  'inks-guessed': reasonOf('image-inks-guessed'),
  'gain-map-left-out': reasonOf('image-gain-map-left-out'),
  'brightness-reduced': reasonOf('image-brightness-reduced'),
  'parts-overlooked': reasonOf('image-parts-overlooked'),
};

/** Notes of files that nobody refers to are kept for a day: an upload may be under way. */
const keptMs = 24 * 3_600_000;
const atOnce = 500;

/**
 * Forgets the notes of files that nobody refers to any longer.
 * @param findUsed returns those of some names that something refers to
 */
export async function forgetNotes(
  { db, clock }: Pick<NotesDeps, 'db' | 'clock'>,
  findUsed: (names: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<void> {
  for (let after = ''; ; ) {
    const keys: string[] = await db('picture_notes')
      .where('file', '>', after)
      .where('at', '<', clock.now() - keptMs)
      .orderBy('file')
      .limit(atOnce)
      .pluck('file');
    const used = await findUsed(keys);
    const unused = keys.filter((key) => !used.has(key));
    await db('picture_notes').whereIn('file', unused).delete();
    const last = keys.at(-1);
    if (last === undefined) return;
    after = last;
  }
}
