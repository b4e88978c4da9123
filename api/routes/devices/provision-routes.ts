/** Routes that make a new board a frame of an organization. */

import { z } from 'zod';
import { frameIdPattern } from '../../../firmware-protocol/limits.ts';
import { kindOfSerial, panels } from '../../../firmware-protocol/panels.ts';
import { requireKind } from '../../../gateway/frames/frame-kinds.ts';
import { frameRegistry, serialKey } from '../../../gateway/frames/registry.ts';
import {
  type IssuedCredentials,
  registerSerial,
  storeProvisioned,
} from '../../../gateway/provisioning/provision-frame.ts';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isUniqueViolation, type Transaction, transact } from '../../../runtime/database/database.ts';
import { type Membership, requireMembership } from '../../access/principal.ts';
import { noteClaim, requireClaimRoom } from '../../devices/claims.ts';
import { deviceOfFrame, followFrame } from '../../devices/device-of-frame.ts';
import { requireNamed } from '../../devices/require-device.ts';
import { type DeviceRow, deviceStore } from '../../devices/store.ts';
import { objectId } from '../../http/field-shapes.ts';
import { wrongField } from '../../http/fit-schema.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { keepPaper } from '../../papers/lock-paper.ts';
import { credentialsMade, showCredentials } from './credential-routes.ts';
import type { DeviceDeps } from './device-deps.ts';
import { deviceShown, showDevice } from './show-device.ts';

/** The name of a frame in an address. */
export const frameSerial = z.string().regex(frameIdPattern, wrongField('field-not-short-name'));

const kindShown = z.object({
  kind: z.string(),
  title: z.string().describe('what the panel is sold as'),
  width: z.number(),
  height: z.number(),
});

const provisionBody = z.object({
  organization: objectId,
  kind: z.string().min(1).max(100).optional().describe('needed where the serial does not begin with it'),
  password: z.boolean().default(false).describe('a password as well, for boards without client certificates'),
  paper: objectId.nullable().optional(),
});

export function provisionRoutes(deps: DeviceDeps): AnyRoute[] {
  return [kindsRoute(), provisionRoute(deps)];
}

function kindsRoute(): AnyRoute {
  return route('GET /devices/kinds', {
    summary: 'The kinds of frames that there are, by their panels',
    output: z.array(kindShown),
    handle: async () =>
      Object.entries(panels).map(([kind, { title, width, height }]) => ({ kind, title, width, height })),
  });
}

function provisionRoute(deps: DeviceDeps): AnyRoute {
  return route('POST /devices/provision/:serial', {
    summary: 'Make a new board a frame of the organization, with credentials that are shown once; for its admins',
    audit: { action: 'device.provisioned', on: 'device', values: ['kind', 'paper'] },
    status: 201,
    noStore: true,
    params: z.object({ serial: frameSerial }),
    body: provisionBody,
    output: z.object({ device: deviceShown, credentials: credentialsMade }),
    refuses: ['not-found', 'access-denied', 'frame-taken', 'conflict'],
    async handle({ params, body, principal }) {
      const membership = requireMembership(principal, body.organization, 'manage');
      const { serial } = params;
      requireAnyKind(serial, body.kind);
      // Anyone who may not have the serial costs no key.
      const known = await requireFree(deps, serial, body.organization);
      const issued = await deps.frames.issueCredentials(known ?? serial, body.password);
      const device = await provisionFor(deps, issued, body, membership);
      deps.nudge();
      return { device: await showDevice(device, deps.frames, deps.clock.now()), credentials: showCredentials(issued) };
    },
  });
}

function requireAnyKind(serial: string, kind: string | undefined): void {
  if (kind !== undefined) requireKind(kind);
  else if (kindOfSerial(serial) === undefined) {
    throw refuse('invalid-request', {
      message: reasonOf('frame-kind-unknown', { serial }),
      hint: reasonOf('field-one-of', { field: 'kind', options: Object.keys(panels).join(', ') }),
    });
  }
}

/**
 * Checks that a serial is nobody's, and that no credentials open it: those of a frame that the operator provisioned are
 * on its board, and anyone who holds it registers it (T-19).
 * @returns the spelling that it was provisioned with before, if it was
 * @throws Refusal `frame-taken` for a frame of another organization, `conflict` for one's own and for one with
 * credentials
 */
async function requireFree(
  { db, clock }: Pick<DeviceDeps, 'db' | 'clock'>,
  serial: string,
  organization: string,
): Promise<string | undefined> {
  const device = await deviceStore(db).findBySerial(serialKey(serial));
  if (device !== undefined && device.organization_id !== organization) throw refuse('frame-taken');
  if (device !== undefined) {
    throw refuse('conflict', {
      message: reasonOf('frame-is-yours'),
      hint: `for new credentials: POST /devices/${device.id}/credentials`,
    });
  }
  const frame = await frameRegistry(db).find(serial);
  if (frame === undefined) return undefined;
  const valid = (await frameRegistry(db).validCertificates(clock.now())).has(frame.serial);
  if (valid || frame.password_hash !== null) {
    throw refuse('conflict', {
      message: reasonOf('frame-has-credentials'),
      hint: `register it: POST /devices/registerdevice/${serial}`,
    });
  }
  return frame.spelling;
}

/** Makes the frame the organization's and stores its credentials, or does neither. */
async function provisionFor(
  deps: DeviceDeps,
  issued: IssuedCredentials,
  { organization, kind, paper }: z.output<typeof provisionBody>,
  membership: Membership,
): Promise<DeviceRow> {
  const { serial } = issued;
  const key = serialKey(serial);
  const registration = { organization, paper };
  const provisionIn = async (trx: Transaction): Promise<DeviceRow> => {
    await requireClaimRoom(trx, membership, deps.claims);
    await keepPaper(trx, paper);
    await requireNamed(trx, organization, registration);
    await registerSerial(trx, { clock: deps.clock, kindNamed: followFrame }, { serial, kind });
    // The row is locked from here on, so that two who provision it at once do so one after the other.
    await frameRegistry(trx).known(key);
    await requireFree({ db: trx, clock: deps.clock }, serial, organization);
    const device = await deviceOfFrame(trx, deps, key, registration);
    await noteClaim(trx, device.id, deps.clock.now());
    await deps.frames.activate(trx, key);
    const { ownership } = await frameRegistry(trx).known(key);
    await storeProvisioned(trx, deps, issued, ownership);
    return device;
  };
  try {
    return await transact(deps.db, provisionIn);
  } catch (error) {
    // Two organizations provisioned the frame at once, and the other one has it.
    if (isUniqueViolation(error)) throw refuse('frame-taken');
    throw error;
  }
}
