/** Pictures of papers that are made of other papers: which of them it is, and why it can be none. */

import { type Because, type Reason, reasonOf } from '../../reasons/reason.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import { playlistBegin, playlistPaperAt, playlistPapers } from '../calendar/choose-entry.ts';
import { storedObject } from '../http/field-shapes.ts';
import { selectedPapers, slideOf } from '../papers/choose-slide.ts';
import { composedKinds, isPaperKind, notSetUp, unknownKind } from '../papers/kinds.ts';
import { isNothingYet, reasonOfChosen } from '../papers/not-set-up.ts';
import { paperTitle } from '../papers/paper-title.ts';
import type { PaperRow } from '../papers/store.ts';
import type { PaperSheet } from './paper-sheet.ts';
import type { RenderedPicture } from './wanted-picture.ts';

/** Draws a paper of a kind that is not composed. */
type DrawOther<Deps> = (deps: Deps, sheet: PaperSheet) => Promise<RenderedPicture>;

interface Db {
  readonly db: Database;
}

/** The papers that are named when none can be shown: a person mends them one after the other. */
const maxTold = 3;

/**
 * Draws the slide at the wanted position. A paper with nothing to show yet is passed over: the next one has its place, and
 * those after it follow that.
 */
export async function drawSlide<Deps extends Db>(
  deps: Deps,
  sheet: PaperSheet,
  draw: DrawOther<Deps>,
): Promise<RenderedPicture> {
  const named = selectedPapers(sheet.meta);
  if (named.length === 0) return { ok: false, reason: notSetUp.slides };
  const found = await showablePapers(deps.db, sheet.paper.organization_id, named);
  const ids = named.filter((id) => found.has(id));
  if (ids.length === 0) return noneOf('no-slide', deps, sheet, named);
  const position = sheet.wanted.position ?? 0;
  const empty: Reason[] = [];
  for (let passed = 0; passed < ids.length; passed++) {
    const chosen = slideOf(ids, sheet.meta, sheet.paper.id, position + passed);
    const drawn = await drawChosen(deps, sheet, chosen, draw);
    if (drawn.ok) return passed === 0 ? drawn : { ...drawn, passed };
    if (!isNothingYet([drawn.reason])) return drawn;
    if (typeof drawn.reason !== 'string' && empty.length < maxTold) empty.push(drawn.reason);
  }
  const [only, ...others] = empty;
  const reason = only !== undefined && others.length === 0 ? only : reasonOf('no-slide', { because: empty });
  return { ok: false, reason };
}

/** Draws the paper of the entry whose time it is. */
export async function drawEntry<Deps extends Db>(
  deps: Deps,
  sheet: PaperSheet,
  draw: DrawOther<Deps>,
): Promise<RenderedPicture> {
  const named = playlistPapers(sheet.meta);
  if (named.length === 0) return { ok: false, reason: notSetUp.playlist };
  const found = await showablePapers(deps.db, sheet.paper.organization_id, named);
  const isShowable = (id: string): boolean => found.has(id);
  const chosen = playlistPaperAt(sheet.meta, sheet.at, isShowable);
  if (chosen !== undefined) return drawChosen(deps, sheet, chosen, draw);
  const begin = playlistBegin(sheet.meta, sheet.at, isShowable);
  if (begin === undefined) return noneOf('no-entry', deps, sheet, named);
  return { ok: false, reason: reasonOf('playlist-begins', { time: isoTime(begin) }) };
}

/**
 * Reads the ids of papers of the same organization that are not made of others themselves (C-50). Thousands may be
 * named, so nothing else is read of them.
 */
export async function showablePapers(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db<PaperRow>('papers')
    .whereIn('id', [...ids])
    .where({ organization_id: organizationId })
    .whereNotIn('kind', composedKinds)
    .select('id', 'kind');
  return new Set(rows.filter(({ kind }) => isPaperKind(kind)).map(({ id }) => id));
}

/** Explains, by the first of the named papers, why none of them can be shown. */
async function noneOf(
  code: 'no-slide' | 'no-entry',
  { db }: Db,
  { paper: { organization_id } }: PaperSheet,
  named: readonly string[],
): Promise<RenderedPicture> {
  const told = [...new Set(named)].slice(0, maxTold);
  const rows = await db<PaperRow>('papers')
    .whereIn('id', told)
    .where({ organization_id })
    .select('id', 'kind', 'meta', 'name');
  const because = told.map((id) => {
    const row = rows.find((one) => one.id === id);
    return reasonOfChosen({ id, title: row === undefined ? '' : paperTitle(row) }, whyNotAmong(row?.kind));
  });
  return { ok: false, reason: reasonOf(code, { because }) };
}

function whyNotAmong(kind: string | undefined): Because {
  if (kind === undefined) return reasonOf('paper-deleted');
  return composedKinds.includes(kind) ? reasonOf('paper-is-composed') : unknownKind(kind);
}

async function drawChosen<Deps extends Db>(
  deps: Deps,
  sheet: PaperSheet,
  chosen: string,
  draw: DrawOther<Deps>,
): Promise<RenderedPicture> {
  const paper = await deps.db<PaperRow>('papers').where({ id: chosen }).first();
  if (paper === undefined)
    return { ok: false, reason: reasonOfChosen({ id: chosen, title: '' }, reasonOf('paper-deleted')) };
  const drawn = await draw(deps, { ...sheet, paper, meta: storedObject(paper.meta) });
  return drawn.ok
    ? drawn
    : { ok: false, reason: reasonOfChosen({ id: chosen, title: paperTitle(paper) }, drawn.reason) };
}
