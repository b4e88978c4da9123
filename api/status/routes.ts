/** How the service is, for monitors: no credential needed, and nothing secret in it. */
import { z } from 'zod';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { type AnyRoute, route } from '../http/route.ts';

type Health = 'ok' | 'degraded' | 'down';

/** What the status needs from outside: one real probe for each kind, and when the service started (epoch ms). */
export interface StatusEdges {
  readonly probes: Readonly<Record<string, () => Promise<Health>>>;
  readonly clock: Clock;
  readonly startedAt: number;
}

const probeTimeoutMs = 5000;

export function statusRoutes(edges: StatusEdges): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/iotdevice/status/:kind',
      summary: 'Health of one part of the service',
      access: 'anyone',
      status: 200,
      params: z.object({ kind: z.string().max(100) }),
      output: z.object({
        kind: z.string(),
        status: z.enum(['ok', 'degraded', 'down']),
        uptimeSeconds: z.number(),
      }),
      async handle({ params }) {
        const probe = Object.hasOwn(edges.probes, params.kind) ? edges.probes[params.kind] : undefined;
        if (probe === undefined) throw refuse('not-found');
        return {
          kind: params.kind,
          status: await judge(probe, edges.clock),
          uptimeSeconds: Math.floor((edges.clock.now() - edges.startedAt) / 1000),
        };
      },
    }),
  ];
}

/** A probe that fails or hangs has found something that is down. */
function judge(probe: () => Promise<Health>, clock: Clock): Promise<Health> {
  return new Promise((resolve) => {
    const timeout = clock.after(probeTimeoutMs, () => resolve('down'));
    void probe()
      .catch((): Health => 'down')
      .then((health) => {
        timeout.cancel();
        resolve(health);
      });
  });
}
