/** A log that records once what thousands of callers meet at the same time: that the database is away. */
import { wordsOf } from '../reasons/words.ts';
import { BoundedMap } from './bounded-map.ts';
import type { Clock } from './clock.ts';
import { reasonOfTrouble } from './database-trouble.ts';
import { errorCode } from './error-code.ts';
import type { Logger } from './logger.ts';

/** The same message is logged again after this time, with how often it happened meanwhile. */
const quietMs = 10_000;
/** Messages are constants of the code, so this bound on remembered ones is never reached. */
const maxMessages = 500;

/**
 * Returns a log in which a trouble of the database is a sentence without a stack, and each message about one is written
 * once in ten seconds, with the number of those that were left out since. Everything else is written as it comes.
 */
export function calmLogger(logger: Logger, clock: Pick<Clock, 'now'>): Logger {
  const told = new BoundedMap<string, { at: number; leftOut: number }>(maxMessages);
  const calmed =
    (level: 'info' | 'warn' | 'error') =>
    (fields: Record<string, unknown>, message: string): void => {
      const reason = reasonOfTrouble(fields.error);
      if (reason === undefined) {
        logger[level](fields, message);
        return;
      }
      const last = told.get(message);
      const now = clock.now();
      if (last !== undefined && now >= last.at && now - last.at < quietMs) {
        last.leftOut++;
        return;
      }
      told.set(message, { at: now, leftOut: 0 });
      const [trouble, code] = [wordsOf(reason), errorCode(fields.error)];
      const error = code === '' ? trouble : `${trouble} (${code})`;
      logger[level]({ ...fields, error, ...(last?.leftOut && { leftOut: last.leftOut }) }, message);
    };
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: calmed('info'),
    warn: calmed('warn'),
    error: calmed('error'),
  };
}
