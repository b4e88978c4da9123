/** How the service is, for monitors: no credential needed, and nothing secret in it. */
import { z } from 'zod';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { type AnyRoute, route } from '../http/route.ts';
import type { Health } from './health.ts';

/** What the status needs from outside, and when the service started (epoch ms). */
export interface StatusEdges {
  readonly health: Health;
  readonly clock: Clock;
  readonly startedAt: number;
}

const statusShown = z.object({
  kind: z.string(),
  status: z.enum(['ok', 'degraded', 'down']),
  /** Why it is not `ok`, in a sentence. */
  reason: z.string().optional(),
  /** How it works here, where there is more than one way. */
  note: z.string().optional(),
  uptimeSeconds: z.number(),
});

export type StatusShown = z.input<typeof statusShown>;

export function statusRoutes(edges: StatusEdges): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/iotdevice/status/:kind',
      summary: `Health of one part of the service: ${edges.health.kinds.join(', ')}`,
      access: 'anyone',
      status: 200,
      params: z.object({ kind: z.string().max(100) }),
      output: statusShown,
      refuses: ['not-found'],
      async handle({ params: { kind } }) {
        const found = await edges.health.look(kind);
        if (found === undefined) throw refuse('not-found');
        return { kind, ...found, uptimeSeconds: Math.floor((edges.clock.now() - edges.startedAt) / 1000) };
      },
    }),
  ];
}
