/** A deadline that comes with a picture: the form of an upload names until when it is to be proven. */
import { z } from 'zod';
import { readReasons, reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { wordsOf } from '../../reasons/words.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { transact } from '../../runtime/database/database.ts';
import { nameIn, type Principal } from '../access/principal.ts';
import { directoryStore } from '../directory/store.ts';
import { timeOfIso } from '../http/time-of-iso.ts';
import type { DeadlineRow, OccurrenceRow } from './deadline-rows.ts';
import { deadlineStates } from './deadline-state.ts';
import {
  type DeadlineChoice,
  type DeadlineSubject,
  defaultDeadline,
  makeDeadline,
  requireStillToCome,
} from './deadline-store.ts';
import type { DeadlineWatch } from './watch-deadlines.ts';

/** The field of a form. */
export const deadlineField = z
  .string()
  .describe('Until when the picture is to be proven on its frames, in ISO 8601 with its offset')
  .optional();

/** The answer to an upload about its deadline. */
export const uploadDeadline = z.object({
  id: z.string(),
  by: z.string(),
  frames: z.array(
    z.object({ device: z.string().nullable(), state: z.enum(deadlineStates), cause: z.string().nullable() }),
  ),
});

export interface UploadDeadlineDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  readonly deadlines: Pick<DeadlineWatch, 'look'>;
}

/**
 * Reads the time of a deadline.
 * @throws Refusal `invalid-request` for what is not one
 */
export function readDeadlineTime(field: string, text: string): number {
  const at = /(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? timeOfIso(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw refuse('invalid-request', {
    message: reasonOf('picture-time-unclear', { field }),
    hint: 'write it with its offset, as in 2026-05-11T07:00:00+02:00 or …Z',
  });
}

/**
 * Reads the field of a form before its picture is stored; undefined where none is named.
 * @throws Refusal `invalid-request` for a time that is over, or none
 */
export function readUploadDeadline(text: string | undefined, now: number): number | undefined {
  if (text === undefined || text === '') return undefined;
  const by = readDeadlineTime('deadline', text);
  requireStillToCome(by, now);
  return by;
}

/** The picture that was sent, and where it is shown. */
interface SentSubject extends Pick<DeadlineSubject, 'paperId' | 'timedId' | 'revision'> {
  readonly organizationId: string;
  /** Null for the frames that show the paper. */
  readonly devices: readonly string[] | null;
}

/** Makes the deadline of a picture that was stored, once for the same picture and time, and says how it stands. */
export async function deadlineOfUpload(
  { db, clock, random, deadlines }: UploadDeadlineDeps,
  principal: Principal,
  { organizationId, devices, ...subject }: SentSubject,
  by: number,
): Promise<z.input<typeof uploadDeadline>> {
  const author = nameIn(principal, organizationId);
  const { id } = await transact(db, async (trx) => {
    await directoryStore(trx).lockOrganization(organizationId);
    const same = { paper_id: subject.paperId, timed_id: subject.timedId, revision: subject.revision, by_at: by };
    const before = await trx<DeadlineRow>('deadlines')
      .where({ organization_id: organizationId, withdrawn_at: null, ...same })
      .first();
    if (before !== undefined) return before;
    const choice: DeadlineChoice = { ...defaultDeadline, ...subject, devices, by };
    return makeDeadline(trx, { organizationId, author, choice }, { now: clock.now(), random });
  });
  await deadlines.look(id);
  const frames = await db<OccurrenceRow>('deadline_occurrences').where({ deadline_id: id }).orderBy('device_id');
  return {
    id,
    by: isoTime(by),
    frames: frames.map(({ device_id: device, state, cause }) => ({
      device,
      state,
      cause: cause === null ? null : wordsOf(readReasons(cause)),
    })),
  };
}
