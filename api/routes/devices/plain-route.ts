/** The route that makes a frame which polls one address. */

import { z } from 'zod';
import { requireKind } from '../../../gateway/frames/frame-kinds.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isUniqueViolation, type Transaction, transact } from '../../../runtime/database/database.ts';
import { requireMembership } from '../../access/principal.ts';
import { noteClaim, requireClaimRoom } from '../../devices/claims.ts';
import { type MadePlainFrame, makePlainFrame, plainNamePattern, plainSerial } from '../../devices/plain-frame.ts';
import { requireNamed } from '../../devices/require-device.ts';
import { deviceStore } from '../../devices/store.ts';
import { objectId } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { keepPaper } from '../../papers/lock-paper.ts';
import type { DeviceDeps } from './device-deps.ts';
import { deviceShown, showDevice } from './show-device.ts';

const plainMade = z.object({
  device: deviceShown,
  serial: z.string(),
  address: z.string().describe('what the frame asks with GET; it reports below it, with POST …/report'),
  header: z.string().describe('the header that carries the key, in full; shown once'),
  key: z.string().describe('the key alone, for firmware with a field for it; shown once'),
});

export type PlainMade = z.input<typeof plainMade>;

export function plainRoute(deps: DeviceDeps): AnyRoute {
  return route('POST /devices/plain/:name', {
    summary:
      'Make a frame that polls one address, with a key that is shown once; for admins. One that the organization has ' +
      'already is given another key in place of the one before',
    audit: { action: 'device.provisioned', on: 'device', values: ['kind', 'paper'] },
    status: 201,
    noStore: true,
    params: z.object({ name: z.string().regex(plainNamePattern, 'expected 1 to 48 letters, digits, hyphens or _') }),
    body: z.object({
      organization: objectId,
      kind: z.string().min(1).max(100).describe('its panel, such as mono-800x480 or photoframe7'),
      paper: objectId.nullable().optional(),
    }),
    output: plainMade,
    refuses: ['not-found', 'access-denied', 'frame-taken', 'conflict'],
    async handle({ params, body, principal, caller }) {
      const { organization, paper } = body;
      const membership = requireMembership(principal, organization, 'manage');
      const wish = { name: params.name, kind: requireKind(body.kind), organization, paper };
      const make = async (trx: Transaction): Promise<MadePlainFrame> => {
        const known = await deviceStore(trx).findBySerial(plainSerial(wish.name));
        if (known === undefined) await requireClaimRoom(trx, membership, deps.claims);
        await keepPaper(trx, paper);
        await requireNamed(trx, organization, { paper });
        const made = await makePlainFrame(trx, { ...deps, activate: deps.frames.activate }, wish);
        if (made.isNew) await noteClaim(trx, made.device.id, deps.clock.now());
        return made;
      };
      const { device, serial, key } = await transact(deps.db, make).catch((error: unknown) => {
        // Two organizations made a frame of this name at once, and the other one has it.
        throw isUniqueViolation(error) ? refuse('frame-taken') : error;
      });
      deps.nudge();
      return {
        device: await showDevice(device, deps.frames, deps.clock.now()),
        serial,
        address: deps.frames.pollAddress(serial, caller.origin().base),
        header: `Authorization: Bearer ${key}`,
        key,
      };
    },
  });
}
