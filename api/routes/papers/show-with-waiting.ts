/** Presents papers as they are read, with what calls for a person: mails that wait, sources that are away. */
import type { Database } from '../../../runtime/database/database.ts';
import { mayDo, membershipIn, type Principal } from '../../access/principal.ts';
import type { PaperRow } from '../../papers/store.ts';
import { countWaiting } from '../../picture-post/count-waiting.ts';
import { type PaperShown, showPaper } from './show-paper.ts';
import { sourcesAwaySince } from './show-source.ts';

/** Presents papers in the order given. Those who may not write a paper learn nothing of its mail. */
export async function showWithWaiting(
  db: Database,
  rows: readonly PaperRow[],
  viewer: Principal,
): Promise<PaperShown[]> {
  const writable = rows.filter((row) => mayDo(membershipIn(viewer, row.organization_id), 'write'));
  const waiting = await countWaiting(db, writable);
  const away = await sourcesAwaySince(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const waitingMails = waiting.get(row.id);
    return { ...showPaper(row, viewer), ...away.get(row.id), ...(waitingMails !== undefined && { waitingMails }) };
  });
}
