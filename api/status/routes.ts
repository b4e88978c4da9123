/**
 * Routes that report the service's health to monitors: no credential is needed, and the answers hold nothing secret.
 */

import { z } from 'zod';
import type { Clock } from '../../runtime/clock.ts';
import { refuse } from '../../runtime/refusals.ts';
import { type AnyRoute, route } from '../http/route.ts';
import { saidSentences, sentencesOf } from '../http/said-sentences.ts';
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
  reasons: saidSentences.optional(),
  /** The way the part works here, where there is more than one. */
  note: z.string().optional(),
  notes: saidSentences.optional(),
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
        return {
          kind,
          ...found,
          ...sentencesOf('reasons', found.reason),
          ...sentencesOf('notes', found.note),
          uptimeSeconds: Math.floor((deps.clock.now() - deps.startedAt) / 1000),
        };
      },
    }),
  ];
}
