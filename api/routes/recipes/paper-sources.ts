/** The sources of a paper as they are now: those of a recipe, of a picture at an address, or of the parts of a board. */
import { z } from 'zod';
import { type Reason, readReasons } from '../../../reasons/reason.ts';
import { spellOut } from '../../../reasons/words.ts';
import { isoTimeOrNull } from '../../../runtime/clock.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { storedObject } from '../../http/field-shapes.ts';
import { spelledReasons } from '../../http/spelled-reasons.ts';
import { boardParts } from '../../papers/board-parts.ts';
import { paperTitle } from '../../papers/paper-title.ts';
import type { PaperRow } from '../../papers/store.ts';
import { keptData } from '../../recipes/data/kept-data.ts';
import type { RemotePictureRow } from '../../remote-pictures/fetch-picture.ts';

/** A source in an answer. */
export const sourceShown = z.object({
  host: z.string(),
  paper: z
    .object({ id: z.string(), title: z.string() })
    .nullable()
    .describe('Whose it is, of the papers in the parts of a board'),
  answeredAt: z.string().nullable().describe('When it last answered'),
  failingSince: z.string().nullable(),
  problems: spelledReasons.describe('Why it gave no data the last time; empty where it did'),
});

type SourceShown = z.input<typeof sourceShown>;

/** The kinds of paper that have sources to show. */
export const kindsWithSources: readonly string[] = ['recipe', 'remote', 'board'];

/** Returns the sources of a paper. */
export async function sourcesNow(db: Database, paper: PaperRow): Promise<readonly SourceShown[]> {
  if (paper.kind === 'recipe') return sourcesOfRecipe(db, paper.id);
  if (paper.kind === 'remote') return sourcesOfPicture(db, paper.id);
  if (paper.kind !== 'board') return [];
  const ids = [...new Set(boardParts(storedObject(paper.meta)).flatMap(({ paperId }) => paperId ?? []))];
  const found = await db<PaperRow>('papers')
    .whereIn('id', ids)
    .where({ organization_id: paper.organization_id })
    .whereNot({ kind: 'board' });
  const each = await Promise.all(
    ids.map(async (id) => {
      const part = found.find((row) => row.id === id);
      if (part === undefined) return [];
      const whose = { id: part.id, title: paperTitle(part) };
      return (await sourcesNow(db, part)).map((source) => ({ ...source, paper: whose }));
    }),
  );
  return each.flat();
}

async function sourcesOfRecipe(db: Database, paperId: string): Promise<readonly SourceShown[]> {
  const kept = await keptData(db, paperId);
  return (kept?.answers ?? []).map(({ host, answeredAt, failingSince, problem }) => ({
    host,
    paper: null,
    answeredAt: isoTimeOrNull(answeredAt ?? null),
    failingSince: isoTimeOrNull(failingSince ?? null),
    problems: spelledOf(problem),
  }));
}

async function sourcesOfPicture(db: Database, paperId: string): Promise<readonly SourceShown[]> {
  const rows = await db<RemotePictureRow>('remote_pictures').where({ paper_id: paperId }).orderBy('asked_at');
  return rows.map(({ host, answered_at, failing_since, problem }) => {
    const [reason] = readReasons(problem);
    return {
      host,
      paper: null,
      answeredAt: isoTimeOrNull(answered_at),
      failingSince: isoTimeOrNull(failing_since),
      problems: spelledOf(typeof reason === 'object' ? reason : undefined),
    };
  });
}

/** Spells out why a source gave nothing; empty where it did. */
export const spelledOf = (problem: Reason | undefined) => (problem === undefined ? [] : [...spellOut(problem)]);
