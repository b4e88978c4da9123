/** The routes that make a frame which polls an address of its own. */

import { z } from 'zod';
import { requireKind } from '../../../gateway/frames/frame-kinds.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isUniqueViolation, type Transaction, transact } from '../../../runtime/database/database.ts';
import { type Principal, requireMembership } from '../../access/principal.ts';
import { noteClaim, requireClaimRoom } from '../../devices/claims.ts';
import { makeOfflineFrame, offlineKinds } from '../../devices/offline-frame.ts';
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

const offlineMade = z.object({
  device: deviceShown,
  serial: z.string(),
  address: z.string().describe('the address of its picture'),
  user: z.string().describe('the user of HTTP Basic, which is its serial'),
  password: z.string().describe('the password of HTTP Basic; shown once'),
  settingsAddress: z.string().describe('the address of its settings, whose path is secret; shown once'),
});

const params = z.object({ name: z.string().regex(plainNamePattern, 'expected 1 to 48 letters, digits, hyphens or _') });
const owned = { organization: objectId, paper: objectId.nullable().optional() };
const common = {
  audit: { action: 'device.provisioned', on: 'device', values: ['kind', 'paper'] },
  status: 201,
  noStore: true,
  params,
} as const;

/** The routes. */
export function plainRoutes(deps: DeviceDeps): AnyRoute[] {
  const activated = { ...deps, activate: deps.frames.activate };
  return [
    route('POST /devices/plain/:name', {
      summary:
        'Make a frame that polls one address, with a key that is shown once; for admins. One that the organization has ' +
        'already is given another key in place of the one before',
      ...common,
      body: z.object({
        ...owned,
        kind: z.string().min(1).max(100).describe('its panel, such as mono-800x480 or photoframe7'),
      }),
      output: plainMade,
      refuses: ['not-found', 'access-denied', 'frame-taken', 'conflict'],
      async handle({ params: { name }, body, principal, caller }) {
        const wish = { ...body, name, kind: requireKind(body.kind) };
        const owner = { principal, ...body, serial: plainSerial(name) };
        const made = await makeOwned(deps, owner, (trx) => makePlainFrame(trx, activated, wish));
        const { serial, key } = made;
        return {
          device: await showDevice(made.device, deps.frames, deps.clock.now()),
          serial,
          address: deps.frames.pollAddress(serial, caller.origin().base),
          header: `Authorization: Bearer ${key}`,
          key,
        };
      },
    }),
    route('POST /devices/offline/:name', {
      summary:
        'Make a frame for an OpenPaper with the vendor’s offline firmware, with what is entered into it, shown once; for ' +
        'admins. One that the organization has already is given another password and another address of its settings',
      ...common,
      body: z.object({ ...owned, kind: z.enum(offlineKinds) }),
      output: offlineMade,
      refuses: ['not-found', 'access-denied', 'frame-taken', 'conflict', 'bad-configuration'],
      async handle({ params: { name }, body, principal, caller }) {
        const base = deps.frames.polledBase(caller.origin().base);
        const owner = { principal, ...body, serial: plainSerial(name, 'offline') };
        const made = await makeOwned(deps, owner, (trx) => makeOfflineFrame(trx, activated, { ...body, name }, base));
        const { serial, address, user, password, settingsAddress } = made;
        const device = await showDevice(made.device, deps.frames, deps.clock.now());
        return { device, serial, address, user, password, settingsAddress };
      },
    }),
  ];
}

/** Makes a frame for an organization in one transaction, within the number of frames that it may claim. */
async function makeOwned<Made extends MadePlainFrame>(
  deps: DeviceDeps,
  owner: {
    readonly principal: Principal;
    readonly organization: string;
    readonly paper?: string | null | undefined;
    readonly serial: string;
  },
  make: (trx: Transaction) => Promise<Made>,
): Promise<Made> {
  const { organization, paper, serial } = owner;
  const membership = requireMembership(owner.principal, organization, 'manage');
  const inOne = async (trx: Transaction): Promise<Made> => {
    const known = await deviceStore(trx).findBySerial(serial);
    if (known === undefined) await requireClaimRoom(trx, membership, deps.claims);
    await keepPaper(trx, paper);
    await requireNamed(trx, organization, { paper });
    const made = await make(trx);
    if (made.isNew) await noteClaim(trx, made.device.id, deps.clock.now());
    return made;
  };
  const made = await transact(deps.db, inOne).catch((error: unknown) => {
    // Two organizations made a frame of this name at once, and the other one has it.
    throw isUniqueViolation(error) ? refuse('frame-taken') : error;
  });
  deps.nudge();
  return made;
}
