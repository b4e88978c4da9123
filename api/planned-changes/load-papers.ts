/** Reads what decides the future of papers: their rows, the papers in them, and what is due for each. */
import type { Database } from '../../runtime/database/database.ts';
import { playlistPapers } from '../calendar/choose-entry.ts';
import type { TimedRow } from '../delivery-state/timed-rows.ts';
import { storedObject } from '../http/field-shapes.ts';
import { boardParts } from '../papers/board-parts.ts';
import { selectedPapers } from '../papers/choose-slide.ts';
import { composedKinds, isAlbum, isPaperKind } from '../papers/kinds.ts';
import { paperTitle } from '../papers/paper-title.ts';
import type { PaperRow } from '../papers/store.ts';
import type { RecipeDataRow } from '../recipes/data/kept-data.ts';
import { everyMsOf, recipeOfMeta } from '../recipes/recipe-papers.ts';
import { eventTimesOf } from './event-times.ts';
import type { PlannedPaper } from './planned-paper.ts';

/** The most ids that one statement names. */
const named = 500;

type Row = Pick<PaperRow, 'id' | 'organization_id' | 'kind' | 'meta' | 'name'>;

/** Reads papers with the papers that they are made of, by their ids. Those that are gone are left out. */
export async function loadPapers(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, PlannedPaper>> {
  const rows = await rowsOf(db, ids);
  const inParts = [...new Set(rows.flatMap(partsOf))];
  const parts = (await rowsOf(db, inParts)).filter(({ kind }) => isPaperKind(kind) && !composedKinds.includes(kind));
  const facts = await factsOf(db, [...rows, ...parts]);
  const paperOf = (row: Row, shown: readonly Row[]): PlannedPaper => ({
    id: row.id,
    kind: row.kind,
    title: paperTitle(row),
    meta: storedObject(row.meta),
    parts: new Map(shown.map((part) => [part.id, paperOf(part, [])])),
    ...facts(row.id),
  });
  return new Map(
    rows.map((row) => {
      const names = new Set(partsOf(row));
      const own = parts.filter(({ id, organization_id }) => names.has(id) && organization_id === row.organization_id);
      return [row.id, paperOf(row, own)];
    }),
  );
}

/** The papers that a paper names as parts of itself. */
function partsOf({ kind, meta }: Pick<Row, 'kind' | 'meta'>): readonly string[] {
  if (!composedKinds.includes(kind)) return [];
  const read = storedObject(meta);
  if (kind === 'playlist') return playlistPapers(read);
  if (kind === 'slides') return selectedPapers(read);
  return boardParts(read).flatMap(({ paperId }) => (paperId === undefined ? [] : [paperId]));
}

async function inPortions<Item, Found>(
  items: readonly Item[],
  read: (some: Item[]) => Promise<readonly Found[]>,
): Promise<Found[]> {
  const found: Found[] = [];
  for (let at = 0; at < items.length; at += named) found.push(...(await read(items.slice(at, at + named))));
  return found;
}

const rowsOf = (db: Database, ids: readonly string[]): Promise<Row[]> =>
  inPortions(ids, (some) =>
    db<PaperRow>('papers').whereIn('id', some).select('id', 'organization_id', 'kind', 'meta', 'name'),
  );

/** Reads what is due for papers; returns it by the id of each. */
async function factsOf(
  db: Database,
  rows: readonly Row[],
): Promise<(id: string) => Omit<PlannedPaper, 'id' | 'kind' | 'title' | 'meta' | 'parts'>> {
  const idsOf = (isOne: (row: Row) => boolean): string[] => rows.filter(isOne).map(({ id }) => id);
  const timed = await timedOf(
    db,
    'paper_id',
    idsOf(() => true),
  );
  const events = await eventTimesOf(
    db,
    idsOf(({ kind }) => kind === 'plugin'),
  );
  const asked = await askedOf(
    db,
    rows.filter(({ kind }) => kind === 'recipe'),
  );
  const album = await albumsOf(
    db,
    idsOf(({ kind, meta }) => isAlbum(kind) && storedObject(meta).order !== 'newest'),
  );
  return (id) => ({
    timed: timed.get(id) ?? [],
    ...(events.has(id) && { events: events.get(id) ?? [] }),
    ...asked.get(id),
    ...album.get(id),
  });
}

/** Reads the open pictures that have a time on papers or devices, by the ids of those, in the order of their beginnings. */
export async function timedOf(
  db: Database,
  column: 'paper_id' | 'device_id',
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly TimedRow[]>> {
  const rows = await inPortions(ids, (some) =>
    db<TimedRow>('timed_pictures')
      .whereIn(column, some)
      .whereNotNull('due_at')
      .orderBy(['show_from', 'created_at', 'id']),
  );
  return Map.groupBy(rows, (row) => row[column] ?? '');
}

async function askedOf(db: Database, rows: readonly Row[]): Promise<ReadonlyMap<string, Pick<PlannedPaper, 'asked'>>> {
  const ids = rows.map(({ id }) => id);
  const due = await inPortions(ids, (some) =>
    db<RecipeDataRow>('recipe_data')
      .whereIn('paper_id', some)
      .whereNotNull('poll_due_at')
      .select('paper_id', 'poll_due_at'),
  );
  const asked = new Map<string, Pick<PlannedPaper, 'asked'>>();
  for (const { paper_id, poll_due_at } of due) {
    const row = rows.find(({ id }) => id === paper_id);
    if (row === undefined || poll_due_at === null) continue;
    const known = await recipeOfMeta(db, row.organization_id, storedObject(row.meta));
    if ('code' in known || known.recipe.settings.strategy !== 'polling') continue;
    asked.set(paper_id, { asked: { dueAt: poll_due_at, everyMs: everyMsOf(known.recipe) } });
  }
  return asked;
}

/** Of several frames, the one that took its picture first goes on first. */
async function albumsOf(
  db: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Pick<PlannedPaper, 'album'>>> {
  const album = new Map<string, Pick<PlannedPaper, 'album'>>();
  for (const paper_id of ids) {
    const counted = await db('sent_pictures')
      .where({ paper_id })
      .whereNotNull('picture_key')
      .count({ pictures: '*' })
      .first();
    const shown: { updated_at: number; render_for: number | null }[] = await db('shown_pictures')
      .where({ paper_id })
      .whereNot({ revision: '' })
      .select('updated_at', 'render_for');
    const since = Math.min(...shown.map(({ updated_at, render_for }) => Math.max(updated_at, render_for ?? 0)));
    if (shown.length > 0) album.set(paper_id, { album: { pictures: Number(counted?.pictures ?? 0), since } });
  }
  return album;
}
