/**
 * Routes that report the service's health to monitors: no credential is needed, and the answers hold nothing secret.
 */

import { z } from 'zod';
import { refuse } from '../../reasons/refusals.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type AnyRoute, route } from '../http/route.ts';
import { spelledAs, spelledReasons } from '../http/spelled-reasons.ts';
import type { Health } from './health.ts';

/** The dependencies of the routes, and the time when the service started (epoch ms). */
export interface StatusDeps {
  readonly health: Health;
  readonly clock: Clock;
  readonly startedAt: number;
}

const statusShown = z.object({
  kind: z.string(),
  status: z.enum(['ok', 'degraded', 'down']),
  /** A sentence with the reason why the part is not `ok`. */
  reason: z.string().optional(),
  reasons: spelledReasons.optional(),
  /** The way the part works here, where there is more than one. */
  note: z.string().optional(),
  notes: spelledReasons.optional(),
  uptimeSeconds: z.number(),
});

export function statusRoutes(deps: StatusDeps): AnyRoute[] {
  return [
    route('GET /iotdevice/status/:kind', {
      summary: `Health of one part of the service: ${deps.health.kinds.join(', ')}`,
      access: 'anyone',
      params: z.object({ kind: z.string().max(100) }),
      output: statusShown,
      refuses: ['not-found'],
      async handle({ params: { kind } }) {
        const found = await deps.health.look(kind);
        if (found === undefined) throw refuse('not-found');
        const { status, reasons, note } = found;
        return {
          kind,
          status,
          ...(reasons !== undefined && { reason: wordsOf(reasons), ...spelledAs('reasons', reasons) }),
          ...(note !== undefined && { note: wordsOf(note), ...spelledAs('notes', [note]) }),
          uptimeSeconds: Math.floor((deps.clock.now() - deps.startedAt) / 1000),
        };
      },
    }),
  ];
}
