/** The picture that each paper had before its present one: kept for a day, so that an upload can be taken back. */

import type { Database } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { papersTables } from './tables.ts';

/** A row of `replaced_pictures`. */
export type ReplacedPictureRow = RowIn<typeof papersTables, 'replaced_pictures'>;

/** For so long an upload can be taken back. */
export const takeBackMs = 86_400_000;

/** The queries over a database or a transaction. */
export function replacedPictures(db: Database) {
  const rows = () => db<ReplacedPictureRow>('replaced_pictures');
  return {
    find: (paperId: string): Promise<ReplacedPictureRow | undefined> => rows().where({ paper_id: paperId }).first(),
    async put(row: ReplacedPictureRow): Promise<void> {
      await rows().insert(row).onConflict('paper_id').merge(row);
    },
    forgetOf: (paperId: string): Promise<number> => rows().where({ paper_id: paperId }).delete(),

    /** Forgets what was replaced before a moment. */
    forget: (before: number): Promise<number> => rows().where('replaced_at', '<', before).delete(),
  };
}
