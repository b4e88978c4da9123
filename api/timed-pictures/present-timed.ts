/** Presents a picture that has its time, as the HTTP contract does. */

import { z } from 'zod';
import { wordsOf } from '../../reasons/words.ts';
import { isoTime, isoTimeOrNull } from '../../runtime/clock.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { openTimedStates, type TimedRow, timedStates } from '../delivery-state/timed-rows.ts';
import type { SignedImages } from '../files/signed-images.ts';
import { framesOfTimed, type WakeFacts } from './describe-timed.ts';
import { outcomeOfTimed } from './schedule-picture.ts';

export const timedShown = z
  .object({
    id: z.string().describe('Also the `attemptId` in the upload log once it is shown'),
    paper: z.string().nullable().describe('The paper that it is for'),
    device: z.string().nullable().describe('The device that it is for, as an image of its own'),
    state: z
      .enum(timedStates)
      .describe(
        '`interrupted`: another one that began later is shown before it; `replaced`: somebody showed something else',
      ),
    message: z.string().describe('The state in a sentence'),
    showFrom: z.string(),
    showUntil: z.string().nullable().describe('null for a picture that stays'),
    author: z.string(),
    createdAt: z.string(),
    url: z.string().nullable().describe('A temporary address of the picture as it was sent'),
    frames: z.array(
      z.object({
        deviceId: z.string(),
        name: z.string(),
        expectedAt: z.string().nullable().describe('When it is expected to fetch the picture; null when unknown'),
        isMissed: z.boolean().describe('It is expected to sleep through the whole time of the picture'),
      }),
    ),
  })
  .meta({ id: 'TimedPicture' });

type TimedShown = z.input<typeof timedShown>;

export interface PresentDeps extends Pick<CommonDeps, 'db' | 'clock'> {
  readonly images: Pick<SignedImages, 'sign'>;
  readonly frames: WakeFacts;
}

/** Presents a picture that has its time. */
export async function showTimed(deps: PresentDeps, row: TimedRow): Promise<TimedShown> {
  const isOpen = openTimedStates.includes(row.state);
  const frames = isOpen ? await framesOfTimed(deps, row, deps.clock.now()) : [];
  const place = row.paper_id ?? row.device_id ?? '';
  return {
    id: row.id,
    paper: row.paper_id,
    device: row.device_id,
    state: row.state,
    message: wordsOf(outcomeOfTimed(row)),
    showFrom: isoTime(row.show_from),
    showUntil: isoTimeOrNull(row.show_until),
    author: row.author,
    createdAt: isoTime(row.created_at),
    url: row.picture_key === null ? null : deps.images.sign(row.picture_key, place, 'png').url,
    frames: frames.map(({ expectedAt, ...rest }) => ({
      ...rest,
      expectedAt: isoTimeOrNull(expectedAt),
    })),
  };
}
