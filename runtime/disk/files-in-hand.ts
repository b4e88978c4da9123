/**
 * Files that are being sent: each is in memory once, however many clients fetch it at the same time, within a limit of
 * bytes.
 */

import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { SharedBudget } from '../shared-budget.ts';

/** A file that stays in memory for as long as it is needed. */
export interface FileInHand {
  readonly bytes: Buffer;
  /** Releases the file; to be called once, when the file was sent or never will be. */
  letGo(): void;
}

/** The register of files in memory. */
export interface FilesInHand {
  /**
   * Takes a file into memory, or shares it when it is there already.
   * @param key identifies the file
   * @param sharer the user whose share of the memory it takes, if it is not there already
   * @returns undefined for a file that cannot be read
   * @throws Refusal `unavailable` when there is no room for it
   */
  take(key: string, sharer: string, read: () => Promise<Buffer | undefined>): Promise<FileInHand | undefined>;
}

interface Entry {
  readonly bytes: Promise<Buffer | undefined>;
  takers: number;
  giveBack: (() => void) | undefined;
}

const retryAfterSeconds = 10;

/** Opens the register of one process. */
export function filesInHand(budget: SharedBudget): FilesInHand {
  const inHand = new Map<string, Entry>();

  function open(key: string, sharer: string, read: () => Promise<Buffer | undefined>): Entry {
    const reading = async (): Promise<Buffer | undefined> => {
      const bytes = await read();
      entry.giveBack = budget.take(sharer, bytes?.length ?? 0);
      if (entry.giveBack !== undefined) return bytes;
      throw refuse('unavailable', { message: reasonOf('much-sent'), retryAfterSeconds });
    };
    const entry: Entry = { bytes: Promise.resolve().then(reading), takers: 0, giveBack: undefined };
    inHand.set(key, entry);
    return entry;
  }

  return {
    async take(key, sharer, read) {
      const entry = inHand.get(key) ?? open(key, sharer, read);
      entry.takers++;
      const letGo = (): void => {
        entry.takers--;
        if (entry.takers > 0) return;
        inHand.delete(key);
        entry.giveBack?.();
      };
      const bytes = await entry.bytes.catch((error: unknown) => {
        letGo();
        throw error;
      });
      if (bytes !== undefined) return { bytes, letGo };
      letGo();
      return undefined;
    },
  };
}
