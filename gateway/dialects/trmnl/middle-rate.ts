/** The middle of the seconds that a frame is sent for its sleep. */
import { rateFrom, rateUpTo } from '../../../firmware-protocol/trmnl/refresh-rate.ts';
import type { ToldSleep } from '../../frames/tell-sleep.ts';

/** Returns the middle of the seconds that may be sent: none of them ends before a change, nor after a deadline (WK-13). */
export function middleRate({ end, seconds }: ToldSleep): number {
  if (end === 'change' || end === 'window') return rateFrom(seconds);
  return end === 'deadline' ? rateUpTo(seconds) : seconds;
}
