/**
 * The route of the addresses that the service hands out: the one to enter in frames, and the one that links for people
 * begin with.
 */
import { z } from 'zod';
import { type AnyRoute, route } from '../../http/route.ts';
import type { DeviceDeps } from './device-deps.ts';

/** Returns the route. Whether others reach the addresses cannot be seen from here; loopback is reached by nobody else. */
export function addressesRoute({ frames }: Pick<DeviceDeps, 'frames'>): AnyRoute {
  return route('GET /devices/addresses', {
    summary: 'The addresses that are given to frames and to people: of pages, of frames that poll, and of the broker',
    noStore: true,
    output: z.object({
      pages: z.string().describe('what links of guests and invitations begin with'),
      polled: z.string().describe('what is entered in frames that poll, and what their own addresses begin with'),
      broker: z
        .object({ host: z.string(), port: z.number() })
        .describe('where all other frames connect by TLS, as it is compiled into them'),
    }),
    async handle({ caller }) {
      const { base } = caller.origin();
      return { pages: base, polled: frames.baseAddress(base), broker: frames.brokerAddress() };
    },
  });
}
