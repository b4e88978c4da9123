/** Fetches the picture at an address of a paper, only when it has changed. One that cannot be had leaves the last one. */

import { hash } from 'node:crypto';
import { type Because, type Reason, readReasons, reasonOf, storedReasons } from '../../reasons/reason.ts';
import { Refusal } from '../../reasons/refusals.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { acceptPicture, type NormalizeImage } from '../files/accept-picture.ts';
import { storeAccepted } from '../files/picture-notes.ts';
import type { AddressLogin } from '../outgoing/address-login.ts';
import { type FollowDeps, type FollowedAnswer, followRedirects } from '../outgoing/follow-redirects.ts';
import type { remotePictureTables } from './tables.ts';

export type RemotePictureRow = RowIn<typeof remotePictureTables, 'remote_pictures'>;

export interface RemoteDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly files: DurableFolder;
  readonly follow: FollowDeps;
  readonly normalizeImage: NormalizeImage;
  /** Whether papers are drafts, of which nothing is noted. */
  readonly isDraft?: boolean;
}

/** The picture that is wanted. */
export interface RemoteWish {
  readonly sharer: Sharer;
  readonly paper: { readonly id: string; readonly organization_id: string };
  /** The address as it was typed. */
  readonly typed: string;
  /** The address that is asked. */
  readonly url: URL;
  readonly logins: readonly AddressLogin[];
  readonly signal: AbortSignal;
}

/** The last picture of an address, and the reason that it was not replaced. */
export interface RemotePicture {
  /** The name of its file; null where the address never gave a picture. */
  readonly pictureKey: string | null;
  readonly answeredAt: number | null;
  readonly problem: Reason | undefined;
}

const maxBytes = 20 * 2 ** 20;
const bodyTimeoutMs = 30_000;
/** Frames that wake together ask once. */
const freshMs = 20_000;

/** Fetches a picture, and keeps it for its paper. */
export async function fetchRemotePicture(deps: RemoteDeps, wish: RemoteWish): Promise<RemotePicture> {
  const { db, clock } = deps;
  const { paper, url, typed } = wish;
  const address = hash('sha256', typed);
  const asked = `${address} ${hash('sha256', url.href)}`;
  const before = await db<RemotePictureRow>('remote_pictures').where({ paper_id: paper.id, asked }).first();
  if (before !== undefined && before.problem === null && clock.now() - before.asked_at < freshMs)
    return shownOf(before);
  const change = await changeOf(deps, wish, before);
  const row: RemotePictureRow = {
    paper_id: paper.id,
    asked,
    host: url.host,
    picture_key: before?.picture_key ?? null,
    etag: before?.etag ?? null,
    last_modified: before?.last_modified ?? null,
    answered_at: before?.answered_at ?? null,
    asked_at: clock.now(),
    failing_since: null,
    problem: null,
    ...change,
  };
  if (deps.isDraft !== true) {
    await db('remote_pictures').insert(row).onConflict(['paper_id', 'asked']).merge();
    // Rows of a former address would be a source that nobody asks any longer.
    await db('remote_pictures').where({ paper_id: paper.id }).whereNot('asked', 'like', `${address} %`).delete();
  }
  return shownOf(row);
}

function shownOf({ picture_key, answered_at, problem }: RemotePictureRow): RemotePicture {
  const [reason] = readReasons(problem);
  return {
    pictureKey: picture_key,
    answeredAt: answered_at,
    problem: typeof reason === 'object' ? reason : undefined,
  };
}

/** Returns the columns that an answer changes. */
async function changeOf(
  deps: RemoteDeps,
  { sharer, paper, url, logins, signal }: RemoteWish,
  before: RemotePictureRow | undefined,
): Promise<Partial<RemotePictureRow>> {
  const now = deps.clock.now();
  const failed = (problem: Because): Partial<RemotePictureRow> => ({
    problem: storedReasons(problem),
    failing_since: before?.failing_since ?? now,
  });
  const answer = await followRedirects(deps.follow, {
    sharer,
    url,
    logins,
    signal,
    headers: { accept: 'image/png, image/jpeg, image/webp, image/*;q=0.8, */*;q=0.3' },
    ownHeaders: conditionsOf(before),
    readLimitBytes: maxBytes,
    bodyTimeoutMs,
  });
  if (answer.kind === 'problem') return failed(answer.problem);
  if (answer.status === 304 && before?.picture_key != null) return { answered_at: now };
  const refused = whyRefused(answer);
  if (refused !== undefined) return failed(refused);
  try {
    const picture = await acceptPicture(
      deps.normalizeImage,
      { field: 'picture', content: answer.body },
      { sharer, signal },
    );
    const { etag = null, lastModified = null } = answer.validators ?? {};
    const pictureKey = await storeAccepted(deps, picture, paper.organization_id);
    return { picture_key: pictureKey, etag, last_modified: lastModified, answered_at: now };
  } catch (error) {
    if (error instanceof Refusal) return failed(error.reason);
    throw error;
  }
}

/** Conditions are only for a picture that is still there. */
function conditionsOf(before: RemotePictureRow | undefined): Readonly<Record<string, string>> {
  if (before?.picture_key == null) return {};
  return {
    ...(before.etag !== null && { 'if-none-match': before.etag }),
    ...(before.last_modified !== null && { 'if-modified-since': before.last_modified }),
  };
}

function whyRefused({ status, contentType = '' }: FollowedAnswer): Reason | undefined {
  if (status === 401 || status === 403) return reasonOf('feed-wants-login', { status });
  if (status !== 200) return reasonOf('answer-status', { status });
  return /^\s*text\/html\b/i.test(contentType) ? reasonOf('address-gives-page') : undefined;
}
