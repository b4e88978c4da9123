/** Routes of simulated frames: what may be tried, making one, and pressing its button. */

import { z } from 'zod';
import { panelOfKind, viewSize } from '../../../firmware-protocol/panels.ts';
import { simulatedFrames } from '../../../gateway/frames/simulated-frames.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { transact } from '../../../runtime/database/database.ts';
import { requireMembership } from '../../access/principal.ts';
import { requireDevice, requireNamed } from '../../devices/require-device.ts';
import { objectId } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { keepPaper } from '../../papers/lock-paper.ts';
import { makeSimulated, simulatedKinds, simulatedLeft } from '../../simulated/make-simulated.ts';
import type { DeviceDeps } from './device-deps.ts';
import { deviceShown, showDevice } from './show-device.ts';

const kindNames = Object.keys(simulatedKinds) as [keyof typeof simulatedKinds];
const kindName = z.enum(kindNames).describe('its panel');

const offered = z.object({
  isOffered: z.boolean().describe('false where the operator switched them off'),
  left: z.number().describe('how many more the organization may have now'),
  kinds: z.array(
    z.object({
      kind: kindName,
      title: z.string(),
      width: z.number().describe('pixels as a person sees them'),
      height: z.number(),
      polls: z.boolean().describe('it asks by itself, as a TRMNL does'),
    }),
  ),
});

export function simulatedRoutes(deps: DeviceDeps): AnyRoute[] {
  return [offeredRoute(deps), makeRoute(deps), pressRoute(deps)];
}

function offeredRoute({ db, simulated: { most } }: DeviceDeps): AnyRoute {
  return route('GET /devices/simulated', {
    summary: 'The simulated frames that can be tried: the service plays them itself, as if there was hardware',
    query: z.object({ organization: objectId }),
    output: offered,
    async handle({ query, principal }) {
      requireMembership(principal, query.organization, 'write');
      const left = await simulatedLeft(db, query.organization, most);
      return { isOffered: most > 0, left, kinds: kindNames.flatMap(showKind) };
    },
  });
}

function showKind(kind: keyof typeof simulatedKinds): z.input<typeof offered>['kinds'] {
  const { dialect, orientation } = simulatedKinds[kind];
  const panel = panelOfKind(kind);
  if (panel === undefined) return [];
  return [{ kind, title: panel.title, ...viewSize(panel, orientation), polls: dialect === 'trmnl' }];
}

function makeRoute(deps: DeviceDeps): AnyRoute {
  return route('POST /devices/simulated', {
    summary:
      'Make a simulated frame, which the service plays itself: it wakes every minute, fetches, draws and reports as ' +
      'hardware does. It is removed like any other device, with all that is known of it',
    audit: { action: 'device.simulated', on: 'device', values: ['kind', 'paper'] },
    status: 201,
    body: z.object({
      organization: objectId,
      kind: kindName,
      name: z.string().trim().min(1).max(80).describe('what people call it, such as the room that it hangs in'),
      paper: objectId.nullable().optional(),
    }),
    output: deviceShown,
    refuses: ['not-found', 'access-denied', 'conflict'],
    async handle({ body, principal }) {
      const { organization, paper } = body;
      requireMembership(principal, organization, 'write');
      const { activate, configure } = deps.frames;
      const device = await transact(deps.db, async (trx) => {
        await keepPaper(trx, paper);
        await requireNamed(trx, organization, { paper });
        return makeSimulated(trx, { ...deps, ...deps.simulated, activate, configure }, body);
      });
      deps.nudge();
      return showDevice(device, deps.frames, deps.clock.now());
    },
  });
}

function pressRoute({ db, clock, nudge }: DeviceDeps): AnyRoute {
  return route('POST /devices/simulated/:deviceId/button', {
    summary: 'Press the button of a simulated frame, which wakes it within seconds',
    audit: { action: 'device.pressed', on: 'device' },
    output: z.object({ success: z.boolean() }),
    refuses: ['not-found', 'access-denied'],
    async handle({ params, principal }) {
      const isPressed = await transact(db, async (trx) => {
        const { serial } = await requireDevice(trx, principal, params.deviceId, 'write');
        return serial !== null && (await simulatedFrames(trx).press(serial, clock.now()));
      });
      if (!isPressed) throw refuse('not-found');
      nudge();
      return { success: true };
    },
  });
}
