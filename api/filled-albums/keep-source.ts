/** Adds, changes and removes sources of albums. */
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import { newRow } from '../../runtime/database/table.ts';
import { storedObject } from '../http/field-shapes.ts';
import { type PaperRow, paperStore } from '../papers/store.ts';
import { type EnteredSource, enteredSource, placeOfSource, secretFields } from './source-kinds.ts';
import { type AlbumSourceRow, emptySource, faultColumns, maxSources, sealEntered, sourcesOfAlbum } from './sources.ts';
import { filledAlbumTables } from './tables.ts';

export interface KeepDeps extends Pick<CommonDeps, 'clock' | 'random'> {
  readonly sealKey: Uint8Array;
}

/** A source as it is kept. */
export interface KeptSource {
  readonly entered: EnteredSource;
  readonly title: string;
}

/**
 * Adds a source to an album that is locked. An album without an order of its own is shuffled from its first source on.
 * @throws Refusal `conflict` for an album that has as many as it may
 */
export async function addSource(
  trx: Transaction,
  { clock, random, sealKey }: KeepDeps,
  paper: PaperRow,
  { entered, title, addedBy }: KeptSource & { readonly addedBy: string },
): Promise<AlbumSourceRow> {
  const others = await sourcesOfAlbum(trx, paper.id);
  if (others.length >= maxSources) throw refuse('conflict', { hint: reasonOf('many-sources', { most: maxSources }) });
  const now = clock.now();
  const named = { id: random.id(), organization_id: paper.organization_id };
  const row = newRow(filledAlbumTables, 'album_sources', {
    ...named,
    number: Math.floor(random.jitter() * 2 ** 31),
    paper_id: paper.id,
    kind: entered.kind,
    sealed: sealEntered(named, entered, { sealKey, random }),
    place: placeOfSource(entered).slice(0, 200),
    title: title.slice(0, 200),
    added_by: addedBy,
    created_at: now,
    next_at: now,
  });
  await trx('album_sources').insert(row);
  const meta = storedObject(paper.meta);
  const isFirst = others.length === 0 && meta.order === undefined;
  if (isFirst) {
    await paperStore(trx).change(paper, { meta: JSON.stringify({ ...meta, order: 'random' }), updated_at: now });
  }
  return row;
}

/**
 * Changes a source. With another address or choice its pictures go and others come; a login alone leaves them.
 * @returns whether frames may show a picture that is gone now
 */
export async function changeSource(
  trx: Transaction,
  { clock, random, sealKey }: KeepDeps,
  row: AlbumSourceRow,
  { before, entered, title }: KeptSource & { readonly before: EnteredSource },
): Promise<boolean> {
  const isSame = JSON.stringify(withoutLogin(before)) === JSON.stringify(withoutLogin(entered));
  const isShown = !isSame && (await emptySource(trx, row, false));
  await trx('album_sources')
    .where({ id: row.id })
    .update({
      sealed: sealEntered(row, entered, { sealKey, random }),
      place: placeOfSource(entered).slice(0, 200),
      title: title.slice(0, 200),
      next_at: clock.now(),
      mark: null,
      ...faultColumns(undefined),
      ...(!isSame && { pictures: 0, listed_at: null, doubt_since: null, doubt_found: null }),
    });
  return isShown;
}

const withoutLogin = (entered: EnteredSource) =>
  Object.fromEntries(Object.entries(entered).filter(([field]) => !secretFields.some((secret) => secret === field)));

/**
 * Returns what is entered of a source after a change of some fields. A login goes to the place that it was entered for: it
 * is left out where the change leads to another one.
 * @throws Refusal `invalid-request` for a change that does not fit its kind
 */
export function changedSource(before: EnteredSource, change: Readonly<Record<string, unknown>>): EnteredSource {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const whole = enteredSource.safeParse({ ...before, ...given, kind: before.kind });
  if (!whole.success)
    throw refuse('invalid-request', { message: reasonOf('album-source-change', { kind: before.kind }) });
  if (placeOfSource(whole.data) === placeOfSource(before)) return whole.data;
  return enteredSource.parse({ ...withoutLogin(before), ...given, kind: before.kind });
}
