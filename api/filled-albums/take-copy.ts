/** Fetches a picture that was chosen, and keeps a copy of it in the album's window. */
import { createHash } from 'node:crypto';
import { type Because, reasonOf, storedReasons } from '../../reasons/reason.ts';
import { Refusal } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { newRow } from '../../runtime/database/table.ts';
import { type AcceptedPicture, acceptPicture, type NormalizeImage } from '../files/accept-picture.ts';
import { type NotesDeps, storeAccepted } from '../files/picture-notes.ts';
import { isBlurred } from '../images/blur.ts';
import { type CaptureFacts, captureFacts } from '../images/capture-facts.ts';
import { type SentPictureRow, sentPictures } from '../papers/sent-pictures.ts';
import { papersTables } from '../papers/tables.ts';
import { leftOut } from '../picture-sources/left-out.ts';
import { type FetchedPicture, type PictureSource, SourceFault } from '../picture-sources/source.ts';
import type { AlbumPlan } from './album-plan.ts';
import type { SourcePictureRow } from './choose-next.ts';
import { captureColumns, factsOfHead, sizeColumns } from './read-captures.ts';
import { type AlbumSourceRow, senderOfSource } from './sources.ts';

export interface KeepCopyDeps extends CommonDeps {
  readonly files: NotesDeps['files'];
  readonly normalizeImage: NormalizeImage;
}

/** A picture that is to be copied. */
export interface Wanted {
  readonly plan: AlbumPlan;
  readonly row: AlbumSourceRow;
  readonly source: PictureSource;
  readonly listed: SourcePictureRow;
  readonly signal: AbortSignal;
}

/** The copy, before its row is written. */
export interface Copy {
  readonly listed: SourcePictureRow;
  readonly accepted: AcceptedPicture;
  readonly pictureKey: string;
  readonly fetched: FetchedPicture;
  readonly facts: CaptureFacts;
  readonly digest: string;
}

/**
 * Fetches a picture and stores its file. A picture that cannot be shown is noted with why, and never stops the album (FI-14).
 * @throws SourceFault where the source itself does not answer; Refusal `storage-full`
 * @returns undefined for one that is not shown
 */
export async function fetchCopy(deps: KeepCopyDeps, wanted: Wanted): Promise<Copy | undefined> {
  const { db, clock } = deps;
  const { plan, listed, signal, row } = wanted;
  const { longSide } = plan.glass;
  const fetched = await fetchOne(deps, wanted);
  if (fetched === undefined) return undefined;
  const digest = createHash('sha256').update(fetched.content).digest('base64url');
  const facts = await factsOf(wanted, fetched.content);
  const reason = (await isThereAlready(db, plan, listed, digest)) ? 'duplicate' : whyNotShown(plan, listed, facts);
  if (reason !== undefined) return leaveOut(db, listed, facts, reason);
  try {
    const sharer = [row.organization_id, senderOfSource(row)];
    const place = { sharer, signal, maxSide: 2 * longSide };
    const accepted = await acceptPicture(deps.normalizeImage, { field: 'picture', content: fetched.content }, place);
    if (plan.choices.leavesOut.blurred && (await isBlurred(accepted.bytes))) {
      return leaveOut(db, listed, facts, 'blurred');
    }
    const pictureKey = await storeAccepted(deps, accepted, row.organization_id);
    return { listed, accepted, pictureKey, fetched, facts, digest };
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'storage-full') throw error;
    await noteFailed(db, listed, error.reason, clock.now());
    return undefined;
  }
}

/** Fetches a picture. One that its source no longer has, or cannot give, is noted and tried again a day later. */
async function fetchOne(
  { db, clock }: KeepCopyDeps,
  { source, listed, plan }: Wanted,
): Promise<FetchedPicture | undefined> {
  try {
    const fetched = await source.fetchPicture(listed.key, { longSide: plan.glass.longSide });
    // The next listing decides whether it is gone: a server that is upset has nothing for a while.
    if (fetched === undefined) await noteFailed(db, listed, reasonOf('album-source-picture-gone'), clock.now());
    return fetched;
  } catch (error) {
    if (!(error instanceof SourceFault) || error.kind !== 'unusable') throw error;
    await noteFailed(db, listed, error.reason, clock.now());
    return undefined;
  }
}

/** Reads the facts in the bytes. Where they have no date, as in a small picture that a cloud made, the beginning of the file is read. */
async function factsOf({ source, listed }: Wanted, content: Buffer): Promise<CaptureFacts> {
  const facts = captureFacts(content);
  if (facts.taken !== undefined || listed.is_guessed === 0 || listed.is_read === 1) return facts;
  const { taken, camera = facts.camera } = (await factsOfHead(source, listed.key)) ?? {};
  return { ...facts, taken, camera };
}

/** Whether the same bytes are in the album under another name, also in another source (FI-6). */
async function isThereAlready(
  db: Database,
  { sources }: AlbumPlan,
  { id }: SourcePictureRow,
  digest: string,
): Promise<boolean> {
  const numbers = sources.map(({ number }) => number);
  const other = await db('source_pictures')
    .where({ digest: digest.slice(0, digestLength) })
    .whereIn('source', numbers)
    .whereNot({ id })
    .whereNull('left_out')
    .first('id');
  return other !== undefined;
}

const digestLength = 16;

function whyNotShown(
  { choices, glass }: AlbumPlan,
  { key, name, width, height }: SourcePictureRow,
  facts: CaptureFacts,
): string | undefined {
  const [wide, high] = [facts.width ?? width ?? undefined, facts.height ?? height ?? undefined];
  const size = { ...(wide !== undefined && { width: wide }), ...(high !== undefined && { height: high }) };
  const camera = facts.camera === undefined ? {} : { camera: facts.camera };
  const reason = leftOut({ name: name === '' ? key : name, ...size, ...camera }, choices.leavesOut);
  if (reason !== undefined) return reason;
  const isWide = wide !== undefined && high !== undefined && wide >= high;
  const shape = isWide ? 'landscape' : 'portrait';
  return choices.fitting && glass.shape !== undefined && shape !== glass.shape ? 'orientation' : undefined;
}

async function leaveOut(
  db: Database,
  { id }: SourcePictureRow,
  facts: CaptureFacts,
  reason: string,
): Promise<undefined> {
  await db('source_pictures')
    .where({ id })
    .update({ left_out: reason, ...sizeColumns(facts) });
}

/** Notes that a picture could not be had, and why. */
export const noteFailed = (db: Database, { id }: SourcePictureRow, why: Because, now: number) =>
  db('source_pictures')
    .where({ id })
    .update({ failed_at: now, problem: storedReasons(why) });

/** Writes what the file says of its capture where the listing said less (FI-12), and its digest. */
const factColumns = ({ listed, facts, digest }: Copy) => ({
  digest: digest.slice(0, digestLength),
  failed_at: null,
  problem: null,
  is_read: 1,
  ...sizeColumns(facts),
  ...(listed.is_guessed === 1 && captureColumns(facts)),
});

/**
 * Writes the row of a copy.
 * @param trx which has locked the album
 * @returns its id; undefined when the picture was removed at its source meanwhile
 */
export async function insertCopy(
  trx: Transaction,
  { clock, random }: Pick<KeepCopyDeps, 'clock' | 'random'>,
  row: AlbumSourceRow,
  copy: Copy,
): Promise<string | undefined> {
  const { listed, fetched, accepted, pictureKey, digest } = copy;
  const still = await trx<SourcePictureRow>('source_pictures').where({ id: listed.id, mark: listed.mark }).first('id');
  if (still === undefined) return undefined;
  const facts = factColumns(copy);
  await trx('source_pictures').where({ id: listed.id }).update(facts);
  const taken = 'taken' in facts ? (facts.taken ?? null) : listed.is_guessed === 1 ? null : listed.taken;
  const id = random.id();
  const inserted: SentPictureRow = newRow(papersTables, 'sent_pictures', {
    id,
    paper_id: row.paper_id,
    sender: senderOfSource(row),
    sender_name: row.title,
    digest,
    caption: plainLine(fetched.caption),
    picture_key: pictureKey,
    bytes: accepted.bytes.length,
    place: 0,
    created_at: clock.now(),
    source_picture: listed.id,
    taken: taken === null ? null : new Date(taken).toISOString().slice(0, 19),
    location: plainLine(fetched.place) || null,
    credit: plainLine(fetched.credit) || null,
  });
  await sentPictures(trx).insert(inserted);
  return id;
}

/** Words of a source in one line, at most as long as a caption may be. */
const plainLine = (text = ''): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, 200);
