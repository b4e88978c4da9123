/** Answers balancers and supervisors at `/live` and `/ready`, besides the routes: also while the service starts and ends. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Cluster } from '../../cluster/cluster.ts';
import type { FrameBroker } from '../../gateway/broker/broker.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { noBytes } from './probes.ts';

/** How far the life of this process is. */
export type ServingState = 'starting' | 'serving' | 'draining' | 'stopping';

export interface ReadinessDeps extends Pick<CommonDeps, 'db' | 'clock'> {
  readonly broker: () => Pick<FrameBroker, 'ports'> | undefined;
  readonly state: () => ServingState;
  /** Returns the free bytes of the disk that the data folder is on. */
  readonly freeBytes: () => Promise<number>;
  readonly cluster: Pick<Cluster, 'isDeaf'>;
}

/** The time in which the database has to answer. */
const databaseMs = 1_000;

const notServing = {
  starting: 'the service is starting',
  draining: 'the service is draining',
  stopping: 'the service is stopping',
} as const;

/** Returns the reason why new work should go elsewhere; undefined when this process takes it. */
export async function unreadyReason({
  db,
  clock,
  broker,
  state,
  freeBytes,
  cluster,
}: ReadinessDeps): Promise<string | undefined> {
  const now = state();
  if (now !== 'serving') return notServing[now];
  if (broker() === undefined) return 'no broker is running';
  if (cluster.isDeaf()) return 'this node does not hear the other nodes: look at DATABASE_DIRECT_URL';
  const answered = db.raw('select 1').then(
    () => true,
    () => false,
  );
  const late = new Promise<boolean>((resolve) => clock.after(databaseMs, () => resolve(false)));
  if (!(await Promise.race([answered, late]))) return 'the database does not answer';
  // Files leave more room than that: the room that is missing now is what rows need (T-83).
  return (await freeBytes()) < noBytes ? wordsOf(reasonOf('disk-full')) : undefined;
}

/**
 * Returns the handler of `/live` and `/ready`; it gives false for every other request. `/live` asks nobody, so that a
 * database that is away restarts no process.
 */
export function readinessHandler(deps: ReadinessDeps): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const asked = /^\/(live|ready)\/?(\?|$)/.exec(request.url ?? '')?.[1];
    if (asked === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
    const answer = (problem: string | undefined): void => {
      const body = problem === undefined ? { [asked]: true } : { [asked]: false, reason: problem };
      response.writeHead(problem === undefined ? 200 : 503, {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      response.end(`${JSON.stringify(body)}\n`);
    };
    if (asked === 'live') answer(undefined);
    else {
      unreadyReason(deps)
        .catch(() => 'the database does not answer')
        .then(answer)
        .catch(() => response.destroy());
    }
    return true;
  };
}
