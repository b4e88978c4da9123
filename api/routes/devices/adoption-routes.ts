/** Routes for frames that ask by themselves: who waits, adopting one, and the time in which all that ask are adopted. */

import { z } from 'zod';
import { addressOfSerial } from '../../../firmware-protocol/trmnl/mac-address.ts';
import { requireAddress } from '../../../gateway/adoption/adopt-frame.ts';
import { requireKind } from '../../../gateway/frames/frame-kinds.ts';
import { isoTime } from '../../../runtime/clock.ts';
import { requireMembership } from '../../access/principal.ts';
import { adoptAsking, adoptAtOnce, type SeenAsking, waitingFor } from '../../devices/adopt-asking.ts';
import { type AdoptionWindow, closeWindow, openWindow, windowBounds, windowOf } from '../../devices/adoption-window.ts';
import { noteClaim, requireClaimRoom } from '../../devices/claims.ts';
import { requireNamed } from '../../devices/require-device.ts';
import { objectId } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { keepPaper } from '../../papers/lock-paper.ts';
import type { DeviceDeps } from './device-deps.ts';
import { deviceShown, showDevice } from './show-device.ts';

const waitingShown = z.object({
  address: z.string().describe('the MAC address by which it names itself'),
  serial: z.string().describe('the serial that it has once it is adopted'),
  model: z.string().nullable(),
  firmware: z.string().nullable(),
  kind: z.string().nullable().describe('the kind that its model or its size names; null where it has to be given'),
  width: z.number().nullable(),
  height: z.number().nullable(),
  firstAskedAt: z.string(),
  lastAskedAt: z.string(),
  asks: z.number(),
  asker: z.string().describe('a code for this very device, which it shows while it waits'),
  from: z
    .string()
    .nullable()
    .describe('the network address that it asks from; null where nobody says which proxies are believed'),
  hasKey: z.boolean().describe('true for a device that shows the key of another server'),
  others: z
    .number()
    .describe(
      'how many other devices use this address: above 0 it is adopted by its code alone, and may be somebody else’s',
    ),
  device: objectId
    .nullable()
    .describe('the device of the organization that it says it is: it was reset, or is not that device'),
});

type WaitingShown = z.input<typeof waitingShown>;

const maxMinutes = 24 * 60;
const ofOrganization = z.object({ organization: objectId });

export function adoptionRoutes(deps: DeviceDeps): AnyRoute[] {
  return [waitingRoute(deps), adoptRoute(deps), ...windowRoutes(deps)];
}

function waitingRoute({ db, clock }: DeviceDeps): AnyRoute {
  return route('GET /devices/waiting', {
    summary:
      'Devices that ask for pictures and belong to nobody, or for another key; for admins. Where there are several organizations, only those ' +
      'that ask from the address that the call comes from: others are adopted by the address that stands on them',
    query: ofOrganization,
    output: z.array(waitingShown),
    async handle({ query, principal, address }) {
      requireMembership(principal, query.organization, 'manage');
      const { organization } = query;
      return (await waitingFor(db, { organization, address, now: clock.now() })).map(showWaiting);
    },
  });
}

function showWaiting(row: SeenAsking): WaitingShown {
  const { serial, model, firmware, panel: kind, width, height, asks, asker, others, device } = row;
  const who = { asker, from: row.address, hasKey: row.token_hash !== null, others, device };
  const times = { firstAskedAt: isoTime(row.first_at), lastAskedAt: isoTime(row.last_at) };
  return {
    address: addressOfSerial(serial) ?? serial,
    serial,
    model,
    firmware,
    kind,
    width,
    height,
    ...times,
    asks,
    ...who,
  };
}

function adoptRoute(deps: DeviceDeps): AnyRoute {
  return route('POST /devices/adopt/:address', {
    summary:
      'Make a frame that asks by itself a device of the organization; for its admins. It comes for its key within a day, from ' +
      'where it was seen to ask, and gets one for each adoption. One that has not asked yet is adopted beforehand by its ' +
      'kind; one that was reset, and asks again, is given another key',
    audit: { action: 'device.adopted', on: 'device', values: ['kind', 'paper'] },
    status: 201,
    params: z.object({ address: z.string().min(12).max(40).describe('its MAC address, or the serial made of it') }),
    body: ofOrganization.extend({
      kind: z.string().min(1).max(100).optional().describe('needed where the frame has not said what it has'),
      paper: objectId.nullable().optional(),
      asker: z
        .string()
        .min(1)
        .max(12)
        .optional()
        .describe('the code of the device that is meant; needed while several use the address'),
    }),
    output: deviceShown,
    refuses: ['not-found', 'access-denied', 'frame-taken', 'conflict'],
    async handle({ params, body, principal }) {
      const membership = requireMembership(principal, body.organization, 'manage');
      const serial = requireAddress(params.address);
      const kind = body.kind === undefined ? undefined : requireKind(body.kind);
      const { organization, paper, asker } = body;
      const device = await adoptAtOnce(deps.db, async (trx) => {
        await requireClaimRoom(trx, membership, deps.claims);
        await keepPaper(trx, paper);
        await requireNamed(trx, organization, { paper });
        const adopted = await adoptAsking(trx, deps, { serial, kind, organization, paper, asker });
        await noteClaim(trx, adopted.id, deps.clock.now());
        return adopted;
      });
      deps.nudge();
      return showDevice(device, deps.frames, deps.clock.now());
    },
  });
}

const windowShown = z.object({
  until: z.string().nullable().describe('null while it is closed'),
  adopted: z.number().describe('how many frames it has adopted since it was opened'),
  most: z.number().describe('how many it adopts at most; open it again for more'),
  baseAddress: z.string().describe('the address that is entered into such frames'),
});

type WindowShown = z.input<typeof windowShown>;

function windowRoutes({ db, clock, frames }: DeviceDeps): AnyRoute[] {
  const shown = (open: Pick<AdoptionWindow, 'until' | 'adopted'> | undefined, asked: string): WindowShown => ({
    until: open === undefined ? null : isoTime(open.until),
    adopted: open?.adopted ?? 0,
    most: windowBounds.frames,
    baseAddress: frames.baseAddress(asked),
  });
  return [
    route('GET /devices/adoption-window', {
      summary: 'Until when the organization adopts every frame that asks; for its admins',
      query: ofOrganization,
      output: windowShown,
      async handle({ query, principal, caller }) {
        requireMembership(principal, query.organization, 'manage');
        return shown(await windowOf(db, query.organization, clock.now()), caller.origin().base);
      },
    }),
    route('PUT /devices/adoption-window', {
      summary:
        'Adopt every frame that asks from here within some minutes, thirty at most and ten a minute, or no more; for its admins',
      audit: { action: 'organization.adopts', on: 'organization', values: ['minutes'] },
      body: ofOrganization.extend({
        minutes: z.number().int().min(0).max(maxMinutes).describe('0 closes the window'),
      }),
      output: windowShown,
      async handle({ body, principal, address, caller }) {
        const { organization, minutes } = body;
        requireMembership(principal, organization, 'manage');
        const until = clock.now() + minutes * 60_000;
        if (minutes === 0) await closeWindow(db, organization);
        else await openWindow(db, { organization_id: organization, until, address });
        return shown(minutes === 0 ? undefined : { until, adopted: null }, caller.origin().base);
      },
    }),
  ];
}
