/** The words about a picture that somebody sent: how far it is, and when it will be on the wall. */
import type { AnswerOf } from '../ground/call-api.ts';
import { clockTime } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { wallLine } from './frame-words.ts';

type Sent = Pick<AnswerOf<'GET /guest/pictures/'>[number], 'state' | 'since' | 'nextWakeAt'>;

/** One line: since when it is on the wall, when it is expected there, or what it waits for. */
export function sentLine({ state, since, nextWakeAt }: Sent): string {
  if (state === 'on-its-way' && nextWakeAt !== null) return wallLine('expected', { nextWakeAt, lastSeenAt: null });
  return t(`sent.${state}`, { time: since === null ? '' : clockTime(since) });
}
