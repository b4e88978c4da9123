/** A log of a database that is away is short; everything else is written as it comes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { calmLogger } from '../../runtime/calm-log.ts';
import { noteTrouble } from '../../runtime/database-trouble.ts';
import type { Logger } from '../../runtime/logger.ts';

const test = suite('calm log');

test('a trouble of the database is written once in ten seconds, without its stack, with the number of those left out', () => {
  const lines: [level: string, fields: Record<string, unknown>, message: string][] = [];
  const level = (name: string) => (fields: Record<string, unknown>, message: string) => {
    lines.push([name, fields, message]);
  };
  const all: Logger = { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
  let now = 0;
  const logger = calmLogger(all, { now: () => now });
  const away = () => noteTrouble(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 'database-away');
  for (let times = 0; times < 500; times++) logger.error({ requestId: times, error: away() }, 'a request failed');
  logger.warn({ error: away() }, 'the heartbeat was not recorded');
  now = 10_000;
  logger.error({ requestId: 500, error: away() }, 'a request failed');
  const error = 'The database cannot be reached (ECONNREFUSED)';
  assert.equal(lines, [
    ['error', { requestId: 0, error }, 'a request failed'],
    ['warn', { error }, 'the heartbeat was not recorded'],
    ['error', { requestId: 500, error, leftOut: 499 }, 'a request failed'],
  ]);
  const bug = new Error('a bug');
  for (let times = 0; times < 3; times++) logger.error({ error: bug }, 'a request failed');
  assert.equal(lines.slice(3), Array(3).fill(['error', { error: bug }, 'a request failed']));
});

test.run();
