/** Routes of a frame's credentials: what there is, new ones, and their end. Secrets are shown once, as they are made. */

import { z } from 'zod';
import { credentialsOf } from '../../../gateway/frames/owned-credentials.ts';
import { frameRegistry } from '../../../gateway/frames/registry.ts';
import {
  type IssuedCredentials,
  storeProvisioned,
  storeRenewed,
} from '../../../gateway/provisioning/provision-frame.ts';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime, isoTimeOrNull } from '../../../runtime/clock.ts';
import { type Transaction, transact } from '../../../runtime/database/database.ts';
import type { Principal } from '../../access/principal.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import type { DeviceDeps } from './device-deps.ts';

const dayMs = 86_400_000;
const defaultOverlapDays = 30;

/** Credentials that were just made. Nobody can read them again. */
export const credentialsMade = z
  .object({
    serial: z.string(),
    key: z.string().describe('the private key, PEM'),
    certificate: z.string().describe('the certificate of the frame, PEM'),
    ca: z
      .string()
      .describe("the certificate of the service's authority, against which the frame checks the broker; PEM"),
    password: z.string().nullable().describe('for boards without client certificates, where one was asked for'),
    expiresAt: z.string().describe('when the certificate ends'),
  })
  .meta({ id: 'FrameCredentials' });

type CredentialsMade = z.input<typeof credentialsMade>;

const certificateShown = z.object({
  fingerprint: z.string().describe('SHA-256 of the certificate'),
  createdAt: z.string(),
  endsAt: z.string().describe('when it ended or will end, by itself or because it was revoked'),
  state: z.enum(['valid', 'ended', 'revoked']),
  madeBy: z.enum(['operator', 'owner']).describe('those that the owner had made end when the frame is released'),
});

const credentialsShown = z.object({
  serial: z.string(),
  certificates: z.array(certificateShown).describe('the newest first'),
  hasPassword: z.boolean(),
});

const password = z.boolean().default(false).describe('a new password as well, in place of the one before');

/** Presents credentials that were made. */
export function showCredentials(issued: IssuedCredentials): CredentialsMade {
  const { serial, key, certificate, root: ca, password: secret = null, expiresAt } = issued;
  return { serial, key, certificate, ca, password: secret, expiresAt: isoTime(expiresAt) };
}

export function credentialRoutes(deps: DeviceDeps): AnyRoute[] {
  return [listRoute(deps), newRoute(deps), renewRoute(deps), revokeRoute(deps)];
}

/** Finds the frame of a device that the caller may change, under the spelling that it was provisioned with. */
async function requireFrame(
  db: Transaction | DeviceDeps['db'],
  principal: Principal,
  deviceId: string,
): Promise<{ readonly spelling: string; readonly ownership: number }> {
  const { serial } = await requireDevice(db, principal, deviceId, 'write');
  if (serial === null) {
    throw refuse('conflict', {
      message: reasonOf('device-no-frame'),
      hint: 'register a frame: POST /devices/registerdevice/SERIAL, or provision one: POST /devices/provision/SERIAL',
    });
  }
  return frameRegistry(db).known(serial);
}

function listRoute({ db, clock }: DeviceDeps): AnyRoute {
  return route('GET /devices/:deviceId/credentials', {
    noStore: true,
    summary: 'Which credentials the frame has, without the secrets; for those who may change the device',
    output: credentialsShown,
    refuses: ['not-found', 'access-denied', 'conflict'],
    async handle({ params, principal }) {
      const { spelling } = await transact(db, (trx) => requireFrame(trx, principal, params.deviceId));
      const { certificates, hasPassword } = await credentialsOf(db, spelling);
      const now = clock.now();
      return {
        serial: spelling,
        hasPassword,
        certificates: certificates.map(({ fingerprint, created_at, expires_at, revoked_at, ownership }) => ({
          fingerprint,
          createdAt: isoTime(created_at),
          endsAt: isoTime(revoked_at ?? expires_at),
          state:
            revoked_at !== null ? ('revoked' as const) : expires_at <= now ? ('ended' as const) : ('valid' as const),
          madeBy: ownership === null ? ('operator' as const) : ('owner' as const),
        })),
      };
    },
  });
}

function newRoute(deps: DeviceDeps): AnyRoute {
  return route('POST /devices/:deviceId/credentials', {
    noStore: true,
    summary: 'New credentials for a board that is set up as this frame; earlier ones stay valid until they are revoked',
    status: 201,
    audit: { action: 'credential.made', on: 'device', values: ['password'] },
    body: z.object({ password }),
    output: credentialsMade,
    refuses: ['not-found', 'access-denied', 'conflict'],
    async handle({ params, body, principal }) {
      const { spelling } = await transact(deps.db, (trx) => requireFrame(trx, principal, params.deviceId));
      const issued = await deps.frames.issueCredentials(spelling, body.password);
      await transact(deps.db, async (trx) => {
        const { ownership } = await stillItsFrame(trx, principal, params.deviceId, spelling);
        await storeProvisioned(trx, deps, issued, ownership);
      });
      return showCredentials(issued);
    },
  });
}

function renewRoute(deps: DeviceDeps): AnyRoute {
  return route('POST /devices/:deviceId/credentials/renew', {
    noStore: true,
    summary: 'A new certificate for the frame; those that it has stay good for an overlap and then end by themselves',
    status: 201,
    audit: { action: 'credential.renewed', on: 'device', values: ['overlapDays', 'password'] },
    body: z.object({
      overlapDays: z
        .number()
        .int()
        .min(0)
        .max(3650)
        .default(defaultOverlapDays)
        .describe('how long earlier certificates stay valid'),
      password,
    }),
    output: credentialsMade.extend({
      earlierEndAt: z.string().nullable().describe('when the last of the earlier certificates ends'),
    }),
    refuses: ['not-found', 'access-denied', 'conflict'],
    async handle({ params, body, principal }) {
      const { spelling } = await transact(deps.db, (trx) => requireFrame(trx, principal, params.deviceId));
      const issued = await deps.frames.issueCredentials(spelling, body.password);
      const earlierEndAt = await transact(deps.db, async (trx) => {
        const { ownership } = await stillItsFrame(trx, principal, params.deviceId, spelling);
        return storeRenewed(trx, deps, issued, { overlapMs: body.overlapDays * dayMs, ownership });
      });
      return { ...showCredentials(issued), earlierEndAt: isoTimeOrNull(earlierEndAt) };
    },
  });
}

/** Keys take their time: a device may have been removed meanwhile, or have got another frame. */
async function stillItsFrame(
  trx: Transaction,
  principal: Principal,
  deviceId: string,
  spelling: string,
): Promise<{ readonly ownership: number }> {
  const frame = await requireFrame(trx, principal, deviceId);
  if (frame.spelling !== spelling) throw refuse('conflict', { message: reasonOf('device-other-frame') });
  return frame;
}

function revokeRoute({ db, clock }: DeviceDeps): AnyRoute {
  return route('DELETE /devices/:deviceId/credentials', {
    noStore: true,
    summary: 'Revoke every credential of the frame: it cannot connect until it is given new ones',
    audit: { action: 'credential.revoked', on: 'device' },
    output: z.object({ revoked: z.number().describe('certificates and passwords') }),
    refuses: ['not-found', 'access-denied', 'conflict'],
    handle: ({ params, principal }) =>
      transact(db, async (trx) => {
        const { spelling } = await requireFrame(trx, principal, params.deviceId);
        return { revoked: await frameRegistry(trx).revoke(spelling, clock.now()) };
      }),
  });
}
