/** Files that leave some of a disk free, and what a full disk is answered with. */

import { reasonOf } from '../../reasons/reason.ts';
import { type Refusal, refuse } from '../../reasons/refusals.ts';
import { errorCode } from '../error-code.ts';
import type { DurableFolder } from './durable-folder.ts';

const retryAfterSeconds = 10;

/** The codes with which the system and SQLite report that there is no room. */
const fullCodes: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL'];

/** The refusal of a call that met a full disk; undefined for every other error (T-83). */
export function refusedFullDisk(error: unknown): Refusal | undefined {
  const code = errorCode(error);
  return fullCodes.includes(code) ? noRoomLeft() : undefined;
}

/** Returns the refusal of a write for which the disk has no room. */
function noRoomLeft(): Refusal {
  return refuse('unavailable', { message: reasonOf('no-room-left'), hint: reasonOf('make-room'), retryAfterSeconds });
}

/** The room that files leave. */
export interface SpareRoom {
  /** Returns the free bytes of the disk that the folder is on. */
  readonly freeBytes: () => Promise<number>;
  readonly spareBytes: number;
}

/** Refuses files, also the smallest, that would take room which is left for something else (T-83). */
export function leavingRoom(folder: DurableFolder, { freeBytes, spareBytes }: SpareRoom): DurableFolder {
  return {
    ...folder,
    async put(bytes, whose) {
      if ((await freeBytes()) - bytes.length < spareBytes) throw noRoomLeft();
      return folder.put(bytes, whose);
    },
  };
}
