/** What is said of logins that were refused: all are counted, and some of each minute are lines of the log, so that a scanner fills none. */
import type { Client } from 'aedes';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Meter } from '../runtime/meter.ts';
import { type Admission, addressOf } from './admit-frame.ts';
import { countPerMinute, minuteMs } from './count-per-minute.ts';

/** Lines in a minute about one address, and about all. */
export const mostLines = { ofAddress: 10, inAll: 100 };

/** Makes what is told of each refused login. What was left out is told as a number, a minute after it began. */
export function refusedLogins({
  logger,
  meter,
  clock,
}: {
  readonly logger: Logger;
  readonly meter?: Meter | undefined;
  readonly clock: Clock;
}): (client: Pick<Client, 'id' | 'conn'>, login: Extract<Admission, { ok: false }>) => void {
  const ofAddress = countPerMinute(clock);
  const inAll = countPerMinute(clock);
  let leftOut = 0;

  function tellLeftOut(): void {
    logger.warn({ leftOut }, 'more logins refused');
    leftOut = 0;
  }

  return ({ id, conn }, { problem, returnCode }) => {
    meter?.count('papergate_frame_logins_refused_total', { reason: returnCode === 3 ? 'busy' : 'credentials' });
    if (ofAddress(addressOf(conn) ?? 'gone') <= mostLines.ofAddress && inAll('') <= mostLines.inAll) {
      logger.warn({ frame: id.slice(0, 64), problem }, 'login refused');
    } else if (leftOut++ === 0) clock.after(minuteMs, tellLeftOut);
  };
}
