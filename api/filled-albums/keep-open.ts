/** Keeps sources open for a while: a picture is fetched right after its list, and some servers name the way to it there. */

import { reasonOf } from '../../reasons/reason.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import { paperStore } from '../papers/store.ts';
import { type PictureSource, SourceFault } from '../picture-sources/source.ts';
import type { SourceOpener } from './source-kinds.ts';
import { type AlbumSourceRow, openEntered } from './sources.ts';

/** Opens a source of an album for one use; it throws `SourceFault` as the source does. */
export type OpenKept = (row: AlbumSourceRow, signal: AbortSignal) => Promise<PictureSource>;

const kept = { sources: 50, forMs: 5 * 60_000 } as const;

interface Opened {
  readonly source: PictureSource;
  readonly at: number;
  readonly signal: AbortSignal;
}

/** Makes the function that opens sources. */
export function keepOpen({
  db,
  clock,
  sealKey,
  sources,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly sealKey: Uint8Array;
  readonly sources: SourceOpener;
}): OpenKept {
  const opened = new BoundedMap<string, Opened>(kept.sources);
  return async (row, signal) => {
    const paper = await paperStore(db).find(row.paper_id);
    // A login is for the organization that it was given in: after a move the source is gone, with what came from it.
    if (paper?.organization_id !== row.organization_id) throw new SourceFault('gone', reasonOf('paper-deleted'));
    const name = `${row.id} ${row.sealed} ${paper.meta}`;
    const known = opened.get(name);
    if (known !== undefined && known.signal === signal && clock.now() - known.at < kept.forMs) return known.source;
    const source = sources.open({ paper, signal }, openEntered(row, sealKey));
    opened.set(name, { source, at: clock.now(), signal });
    return source;
  };
}
