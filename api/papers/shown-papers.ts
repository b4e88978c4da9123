/** The papers that frames show, each by itself or among others. */
import type { Database } from '../../runtime/database/database.ts';
import { composedKinds } from './kinds.ts';
import type { PaperRow } from './store.ts';

/** Finds the devices that show a paper, by itself or among others. */
export async function devicesThatShow(
  db: Database,
  { id, organization_id }: Pick<PaperRow, 'id' | 'organization_id'>,
): Promise<readonly string[]> {
  const rows: { id: string }[] = await db('devices')
    .join('papers', 'papers.id', 'devices.paper_id')
    .where('devices.organization_id', organization_id)
    .where(
      (shows) =>
        void shows
          .where('papers.id', id)
          .orWhere((among) => among.whereIn('papers.kind', [...composedKinds]).where('papers.meta', 'like', `%${id}%`)),
    )
    .select('devices.id');
  return rows.map((row) => row.id);
}

/** Finds which of some papers a device shows. */
export async function shownPapers(
  db: Database,
  papers: readonly Pick<PaperRow, 'id' | 'organization_id'>[],
): Promise<ReadonlySet<string>> {
  const shown = new Set<string>();
  for (const paper of papers) if ((await devicesThatShow(db, paper)).length > 0) shown.add(paper.id);
  return shown;
}
