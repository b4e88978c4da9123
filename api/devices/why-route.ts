/** The route behind `papergate devices why`: an extension of the contract, one screen about one device. */
import { z } from 'zod';
import { panelTrouble } from '../../gateway/frames/named-panel.ts';
import { isoTime } from '../../gateway/runtime/clock.ts';
import { type Explanation, explainDevice } from '../delivery/explain-device.ts';
import { objectId } from '../http/field-shapes.ts';
import { type AnyRoute, route } from '../http/route.ts';
import type { DeviceEdges } from './device-edges.ts';
import { requireDevice } from './require-device.ts';
import { factsOf, listDevice } from './show-device.ts';

const time = z.string().nullable();

const explained = z.object({
  id: z.string(),
  name: z.string(),
  deviceId: z.string().nullable(),
  paper: z.string().nullable(),
  status: z.enum(['online', 'offline', 'error']),
  connected: z.boolean(),
  accepted: time,
  rendered: time,
  offered: time,
  announced: time,
  fetched: time,
  shown: time,
  confirmed: time,
  level: z.string().nullable(),
  fileVersion: z.number().nullable(),
  missing: z.array(z.string()),
  lastFailure: z.object({ at: z.string(), reason: z.string() }).nullable(),
  panelTrouble: z.string().nullable().describe('the frame names another panel than its kind has'),
  sleepSeconds: z.number().nullable(),
  keptSleepSeconds: z.number().nullable(),
  lastContactAt: time,
  expectedAt: time,
});

export type WhyShown = z.input<typeof explained>;

const steps = ['accepted', 'rendered', 'offered', 'announced', 'fetched', 'shown', 'confirmed'] as const;

/** The route. */
export function whyRoute(edges: DeviceEdges): AnyRoute {
  return route({
    method: 'GET',
    path: '/devices/why/:deviceId',
    summary: 'How far the newest picture came, what is missing, and when the frame is expected',
    access: 'person',
    status: 200,
    params: z.object({ deviceId: objectId }),
    output: explained,
    async handle({ params, principal }) {
      const device = await requireDevice(edges.database, principal, params.deviceId, 'read');
      const facts = await factsOf(device, edges.frames);
      const explanation = await explainDevice(edges.database, edges.frames.newestEvidence, device, edges.clock.now());
      const { name, deviceId, paper, status, kind } = listDevice(device, facts);
      const { level, fileVersion, missing, lastFailure } = explanation;
      return {
        ...{ id: device.id, name, deviceId, paper, status, connected: facts?.connected ?? false },
        ...timesOf(explanation),
        ...{ level, fileVersion, missing: [...missing] },
        lastFailure: lastFailure && { at: isoTime(lastFailure.at), reason: lastFailure.reason },
        panelTrouble: panelTrouble(kind, facts?.panel) ?? null,
        sleepSeconds: facts?.sleepSeconds ?? null,
        keptSleepSeconds: facts?.keptSleepSeconds ?? null,
        lastContactAt: shownTime(facts?.lastContactAt),
        expectedAt: shownTime(facts?.expectedWakeAt),
      };
    },
  });
}

function timesOf(explanation: Explanation): Record<(typeof steps)[number], string | null> {
  const times = Object.fromEntries(steps.map((step) => [step, shownTime(explanation[step])]));
  return times as Record<(typeof steps)[number], string | null>;
}

function shownTime(at: number | null | undefined): string | null {
  return typeof at === 'number' ? isoTime(at) : null;
}
