/**
 * Routes of firmware: the versions that an organization's frames run, the images for them, and the rollouts to them.
 */

import { z } from 'zod';
import { type ImageRow, imageOf } from '../../../gateway/firmware/images.ts';
import { pauseRollout, type Rollout, resumeRollout, rolloutLog } from '../../../gateway/firmware/rollouts.ts';
import { readReasons, reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { wordsOf } from '../../../reasons/words.ts';
import { isoTime, isoTimeOrNull } from '../../../runtime/clock.ts';
import { type Principal, requireMembership } from '../../access/principal.ts';
import { objectId } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { spelledAs, spelledReasons } from '../../http/spelled-reasons.ts';
import type { FirmwareRouteDeps } from './firmware-deps.ts';
import { isBehind, newestImage, type OwnedFrame, ownedFrames, pickFrames } from './owned-frames.ts';
import { ownOffers, rolloutShown, showRollouts } from './show-rollout.ts';

const base = '/organizations/:organizationId/firmware/';
/** Older ones are history. */
const maxRollouts = 20;
const maxNamed = 200;

const firmwareOverview = z.object({
  versions: z
    .array(
      z.object({
        kind: z.string(),
        dialect: z.enum(['native', 'classic']).nullable().describe('null for frames that have never connected'),
        version: z.string().nullable(),
        frames: z.number(),
        newest: z.string().nullable().describe('the newest image that the operator added for them'),
        behind: z.number().describe('those that run something older'),
        deviceIds: z.array(z.string()).describe('by name; at most 200 of them'),
      }),
    )
    .describe('what the frames of the organization run'),
  images: z.array(
    z.object({
      kind: z.string(),
      dialect: z.enum(['native', 'classic']),
      version: z.string(),
      bytes: z.number(),
      addedAt: z.string(),
    }),
  ),
  rollouts: z.array(rolloutShown).describe('the newest first'),
});

const rolloutFrames = z.object({
  rollout: rolloutShown,
  frames: z.array(
    z.object({
      deviceId: z.string(),
      name: z.string(),
      serial: z.string(),
      runs: z.string().nullable(),
      before: z.string().nullable(),
      phase: z.enum(['waiting', 'told', 'fetching', 'fetched', 'restarting', 'updated', 'failed', 'lost']),
      at: z.string().nullable(),
      reason: z.string().nullable(),
      reasons: spelledReasons.optional(),
    }),
  ),
});

/** Returns the routes. */
export function firmwareRoutes(deps: FirmwareRouteDeps): AnyRoute[] {
  return [overviewRoute(deps), framesRoute(deps), offerRoute(deps), ...steeringRoutes(deps)];
}

function overviewRoute({ db }: FirmwareRouteDeps): AnyRoute {
  return route(`GET ${base}`, {
    noStore: true,
    summary: 'The firmware of the organization’s frames: what they run, what there is, and how far rollouts are',
    output: firmwareOverview,
    async handle({ params: { organizationId }, principal }) {
      requireWhole(principal, organizationId);
      const images: ImageRow[] = await db<ImageRow>('firmware_images').orderBy('added_at', 'desc');
      const frames = await ownedFrames(db, organizationId);
      const rollouts = (await rolloutLog(db).list()).filter((one) => concerns(one, organizationId, frames)).reverse();
      return {
        versions: versionsOf(frames, images),
        images: images.map(({ kind, dialect, version, bytes, added_at: at }) => ({
          kind,
          dialect,
          version,
          bytes,
          addedAt: isoTime(at),
        })),
        rollouts: await showRollouts(db, organizationId, rollouts.slice(0, maxRollouts)),
      };
    },
  });
}

/** Members whose role reaches the whole organization see what all its frames run. */
function requireWhole(principal: Principal, organizationId: string): void {
  requireMembership(principal, organizationId, 'write');
}

/** The operator's rollouts are shown where they may reach a frame of the organization. */
function concerns({ owner, serial, kind, dialect }: Rollout, organizationId: string, frames: OwnedFrame[]): boolean {
  if (owner !== null) return owner === organizationId;
  if (serial !== null) return frames.some((frame) => frame.serial === serial);
  return frames.some((frame) => frame.kind === kind && frame.dialect === dialect);
}

function versionsOf(frames: readonly OwnedFrame[], images: readonly ImageRow[]) {
  const found = new Map<string, z.input<typeof firmwareOverview>['versions'][number]>();
  for (const frame of frames) {
    const { kind, dialect, firmware: version } = frame;
    const image = newestImage(images, kind, dialect);
    const key = `${kind} ${dialect} ${version}`;
    const known = found.get(key);
    const behind = (known?.behind ?? 0) + (isBehind(frame, image) ? 1 : 0);
    const shown = { kind, dialect: dialect as 'native' | 'classic' | null, version, newest: image?.version ?? null };
    const deviceIds = [...(known?.deviceIds ?? []), frame.device_id].slice(0, maxNamed);
    found.set(key, { ...shown, frames: (known?.frames ?? 0) + 1, behind, deviceIds });
  }
  return [...found.values()];
}

function framesRoute({ db }: FirmwareRouteDeps): AnyRoute {
  return route(`GET ${base}rollouts/:rolloutId`, {
    noStore: true,
    summary: 'How far a rollout is with each frame of the organization',
    output: rolloutFrames,
    async handle({ params: { organizationId, rolloutId }, principal }) {
      requireWhole(principal, organizationId);
      const rollout = await rolloutLog(db).find(rolloutId);
      const frames = await ownedFrames(db, organizationId);
      if (rollout === undefined || !concerns(rollout, organizationId, frames)) throw refuse('not-found');
      const listed: string[] = await db('firmware_rollout_frames').where({ rollout_id: rolloutId }).pluck('serial');
      const offers = await ownOffers(db, organizationId, [rolloutId]).select('o.*');
      const [shown] = await showRollouts(db, organizationId, [rollout]);
      const offerOf = new Map(offers.map((offer) => [offer.serial, offer]));
      const told = frames.filter(({ serial }) => listed.includes(serial) || offerOf.has(serial));
      return {
        rollout: shown as z.input<typeof rolloutShown>,
        frames: told.map(({ device_id: deviceId, name, serial, firmware: runs }) => {
          const offer = offerOf.get(serial);
          const at = offer?.outcome_at ?? offer?.taken_at ?? offer?.started_at ?? offer?.told_at ?? null;
          const phase = offer === undefined ? 'waiting' : (offer.outcome ?? offer.phase ?? 'told');
          const [before, reasons] = [offer?.version_before ?? null, readReasons(offer?.reason)];
          const reason = reasons.length === 0 ? null : wordsOf(reasons);
          const ended = { at: isoTimeOrNull(at), reason, ...spelledAs('reasons', reasons) };
          return { deviceId, name, serial, runs, before, phase, ...ended };
        }),
      };
    },
  });
}

function offerRoute(deps: FirmwareRouteDeps): AnyRoute {
  const { db } = deps;
  return route(`POST ${base}rollouts/`, {
    noStore: true,
    summary: 'Offer an image to native frames of the organization, in place of its rollout before; admins only',
    status: 201,
    audit: { action: 'firmware.offered', on: 'rollout', values: ['kind', 'version', 'percent'] },
    body: z.object({
      kind: z.string().max(100),
      version: z.string().max(100),
      percent: z.number().int().min(1).max(100).optional().describe('of the frames of the kind; 100 unless said'),
      devices: z.array(objectId).min(1).max(1_000).optional().describe('these alone, in place of a percentage'),
    }),
    output: rolloutShown,
    refuses: ['not-found', 'access-denied', 'conflict'],
    async handle({ params: { organizationId }, body, principal }) {
      requireMembership(principal, organizationId, 'manage');
      const { kind, version, percent = 100, devices } = body;
      if (devices !== undefined && body.percent !== undefined) {
        throw refuse('invalid-request', { hint: reasonOf('percent-or-devices') });
      }
      const image = await imageOf(db, kind, 'native', version);
      if (image === undefined) {
        const message = reasonOf('no-firmware-image', { version, kind });
        throw refuse('not-found', { message, hint: 'the operator adds it: papergate firmware add' });
      }
      const fitting = (await ownedFrames(db, organizationId)).filter(
        (frame) => frame.kind === kind && frame.dialect !== 'classic',
      );
      const frames =
        devices === undefined ? pickFrames(fitting, percent, image.sha256) : chosenFrames(fitting, devices);
      if (frames.length === 0) {
        throw refuse('conflict', { message: reasonOf('no-frame-of-kind', { kind }) });
      }
      const owned = { owner: organizationId, frames };
      const rollout = await deps.rollOut({ kind, dialect: 'native', version, percent: 100, owned });
      const [shown] = await showRollouts(db, organizationId, [rollout]);
      return shown as z.input<typeof rolloutShown>;
    },
  });
}

/** Finds the frames of these devices. A device elsewhere and one that does not fit are refused alike. */
function chosenFrames(fitting: readonly OwnedFrame[], devices: readonly string[]): OwnedFrame[] {
  const chosen = fitting.filter(({ device_id: id }) => devices.includes(id));
  if (chosen.length === new Set(devices).size) return chosen;
  const message = reasonOf('device-does-not-fit');
  throw refuse('not-found', { message });
}

function steeringRoutes({ db, clock }: FirmwareRouteDeps): AnyRoute[] {
  const ways = [
    { way: 'pause', action: 'firmware.paused', move: pauseRollout, summary: 'Stop a rollout: it is offered no more' },
    {
      way: 'resume',
      action: 'firmware.resumed',
      move: resumeRollout,
      summary: 'Go on with a rollout that was stopped',
    },
  ] as const;
  return ways.map(({ way, action, move, summary }) =>
    route(`POST ${base}rollouts/:rolloutId/${way}`, {
      noStore: true,
      summary: `${summary}; admins only`,
      audit: { action, on: 'rollout' },
      output: rolloutShown,
      refuses: ['not-found', 'access-denied', 'conflict'],
      async handle({ params: { organizationId, rolloutId }, principal }) {
        requireMembership(principal, organizationId, 'manage');
        const rollout = await rolloutLog(db).find(rolloutId);
        // The operator's are the operator's to steer, also where they reach a frame of the organization.
        if (rollout?.owner !== organizationId) throw refuse('not-found');
        const [shown] = await showRollouts(db, organizationId, [await move(db, rolloutId, clock.now())]);
        return shown as z.input<typeof rolloutShown>;
      },
    }),
  );
}
