/**
 * Reports refused logins: all of them are counted, and some of each minute are logged, so that a scanner cannot fill
 * the log. A wrong credential of a frame of this service is the operator's to mend, and a warning; strangers are not.
 */

import type { Client } from 'aedes';
import { wordsOf } from '../../reasons/words.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { FrameMeter } from '../frames/frame-measures.ts';
import { type Admission, addressOf } from '../identity/admit-frame.ts';
import { countPerMinute, minuteMs } from '../identity/count-per-minute.ts';

/** The most lines in a minute about one address, and about all. */
export const maxLines = { ofAddress: 10, inAll: 100 };

/**
 * Creates the function that reports a refused login. The number of lines left out is logged a minute after the first of
 * them.
 */
export function refusedLogins({
  logger,
  meter,
  clock,
}: {
  readonly logger: Logger;
  readonly meter?: FrameMeter | undefined;
  readonly clock: Clock;
}): (client: Pick<Client, 'id' | 'conn'>, login: Extract<Admission, { ok: false }>) => void {
  const ofAddress = countPerMinute(clock);
  const inAll = countPerMinute(clock);
  let leftOut = 0;

  function logLeftOut(): void {
    logger.info({ leftOut }, 'more logins refused');
    leftOut = 0;
  }

  return ({ id, conn }, { problem, returnCode, isOfFrame = false }) => {
    meter?.count('papergate_frame_logins_refused_total', { reason: returnCode === 3 ? 'busy' : 'credentials' });
    // Strangers do not use up the lines about frames.
    const [whose, level] = isOfFrame ? (['frames', 'warn'] as const) : (['strangers', 'info'] as const);
    if (ofAddress(`${whose} ${addressOf(conn)}`) <= maxLines.ofAddress && inAll(whose) <= maxLines.inAll) {
      logger[level]({ frame: id.slice(0, 64), problem: wordsOf(problem) }, 'login refused');
    } else if (leftOut++ === 0) clock.after(minuteMs, logLeftOut);
  };
}
