/** What the papers need from outside. */
import type { Clock } from '../../gateway/runtime/clock.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import type { DurableFolder } from '../../gateway/runtime/durable-folder.ts';
import type { Random } from '../../gateway/runtime/random.ts';

export interface PaperEdges {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  /** Where pictures are kept, under their digests. */
  readonly pictures: DurableFolder;
  /**
   * Turns an uploaded picture into an upright PNG without metadata.
   * @throws Refusal `unsupported-image` for bytes that are no supported picture (C-06)
   */
  normalizeImage(bytes: Buffer): Promise<Uint8Array>;
  /** Says that delivery may have something to do; called after the transaction. */
  nudge(): void;
}
