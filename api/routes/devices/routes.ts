/** Routes of devices. */
import { z } from 'zod';
import { refuse } from '../../../reasons/refusals.ts';
import { transact } from '../../../runtime/database/database.ts';
import { membershipIn, reachOf, requireMembership } from '../../access/principal.ts';
import { readDueOnDevice } from '../../deadlines/due-on-device.ts';
import { sortableColumns, visibleDevices } from '../../devices/list-devices.ts';
import { newDevice } from '../../devices/new-device.ts';
import { requireDevice, requireNamed } from '../../devices/require-device.ts';
import { type DeviceRow, deviceStore } from '../../devices/store.ts';
import { objectId } from '../../http/field-shapes.ts';
import { likePattern, listQuery, orderOf, pageOf } from '../../http/list-query.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { listInPortions } from '../../http/stream-list.ts';
import { keepPaper } from '../../papers/lock-paper.ts';
import { addressesRoute } from './addresses-route.ts';
import { adoptionRoutes } from './adoption-routes.ts';
import { changeDevice, deviceBody, deviceChange, removeDevice } from './change-device.ts';
import { changesRoute } from './changes-route.ts';
import { changesStreamRoute } from './changes-stream-route.ts';
import { commandRoutes } from './command-routes.ts';
import { credentialRoutes } from './credential-routes.ts';
import type { DeviceDeps } from './device-deps.ts';
import { eventRoutes } from './event-routes.ts';
import { forecastRoute } from './forecast-route.ts';
import { glassRoutes } from './glass-routes.ts';
import type { ImageDeps } from './image-deps.ts';
import { deviceImageRoutes } from './image-routes.ts';
import { overviewRoute } from './overview-route.ts';
import { plainRoutes } from './plain-route.ts';
import { frameSerial, provisionRoutes } from './provision-routes.ts';
import { readingsRoute } from './readings-route.ts';
import { registerFrame, releaseDevice } from './register-device.ts';
import { deviceListed, deviceShown, listDevice, showDevice } from './show-device.ts';
import { simulatedRoutes } from './simulated-routes.ts';
import { uploadLogRoute } from './upload-log-route.ts';
import { viewersRoute } from './viewers-route.ts';
import { whyRoute } from './why-route.ts';

const serialPath = z.object({ serial: frameSerial });

/** Returns every route of devices that this service has. */
export function deviceRoutes(deps: ImageDeps): AnyRoute[] {
  return [
    overviewRoute(deps),
    ...provisionRoutes(deps),
    addressesRoute(deps),
    ...adoptionRoutes(deps),
    ...plainRoutes(deps),
    ...simulatedRoutes(deps),
    ...listRoutes(deps),
    ...changeRoutes(deps),
    registerRoute(deps),
    ...commandRoutes(deps),
    ...eventRoutes(deps),
    ...deviceImageRoutes(deps),
    whyRoute(deps),
    viewersRoute(deps),
    uploadLogRoute(deps),
    readingsRoute(deps),
    forecastRoute(deps),
    ...credentialRoutes(deps),
    ...glassRoutes(deps),
    changesRoute(deps),
    changesStreamRoute(deps),
  ];
}

function listRoutes(deps: DeviceDeps): AnyRoute[] {
  return [
    route('GET /devices/', {
      summary: 'Devices that the caller may see',
      query: z.object({
        ...listQuery,
        organization: objectId.optional(),
        patient: objectId.optional(),
        status: deviceListed.shape.status.optional(),
      }),
      output: z.array(deviceListed),
      async handle({ query, principal }) {
        if (query.organization !== undefined && membershipIn(principal, query.organization) === undefined) {
          throw refuse('not-found');
        }
        const { limit, offset } = pageOf(query);
        const pattern = likePattern(query.search);
        const search = {
          organizationId: query.organization,
          patient: query.patient,
          status: query.status,
          name: likePattern(query.name),
          search: pattern === undefined ? undefined : { text: query.search ?? '', pattern },
          order: orderOf(query.sortBy, sortableColumns),
          limit,
          offset,
        };
        const presence = { connected: deps.frames.connected(), now: deps.clock.now() };
        const portions = visibleDevices(deps.db, principal, search, presence);
        return listInPortions(portions, (row) =>
          listDevice(row, { status: row.status, isSimulated: row.is_simulated === 1 }),
        );
      },
    }),
    route('GET /devices/:deviceId', {
      summary: 'One device, with what is known of its frame',
      output: deviceShown,
      async handle({ params, principal }) {
        const device = await requireDevice(deps.db, principal, params.deviceId, 'read');
        const now = deps.clock.now();
        const shown = await showDevice(device, deps.frames, now);
        const membership = membershipIn(principal, device.organization_id);
        if (membership === undefined || reachOf(membership) !== 'organization') return shown;
        return { ...shown, deadlines: await readDueOnDevice(deps.db, device.id, now) };
      },
    }),
  ];
}

/** The record of a change in the log of who did what. */
const changedValues = [
  ...(['kind', 'patient', 'paper', 'organization', 'meta.name', 'meta.orientation'] as const),
  ...(['meta.sleepTime', 'meta.maxWakesPerDay', 'meta.timezone', 'meta.updateSchedule'] as const),
  ...(['meta.place.building', 'meta.place.floor', 'meta.place.room'] as const),
];

function changeRoutes(deps: DeviceDeps): AnyRoute[] {
  const show = (row: DeviceRow) => showDevice(row, deps.frames, deps.clock.now());
  return [
    route('POST /devices/', {
      output: deviceShown,
      summary: 'Create a device; a frame is bound to one by registration',
      audit: { action: 'device.created', on: 'device', values: ['kind', 'patient', 'paper'] },
      body: deviceBody,
      async handle({ body, principal }) {
        requireMembership(principal, body.organization, 'write');
        const device = newDevice(deps, body);
        await transact(deps.db, async (trx) => {
          await keepPaper(trx, body.paper);
          await requireNamed(trx, body.organization, body);
          await deviceStore(trx).insert(device);
        });
        deps.nudge();
        return show(device);
      },
    }),
    route('POST /devices/:deviceId', {
      output: deviceShown,
      summary: 'Change a device',
      audit: { action: 'device.changed', on: 'device', values: changedValues },
      body: deviceChange,
      refuses: ['not-found', 'access-denied', 'conflict', 'other-panel'],
      async handle({ params, body, principal }) {
        const device = await changeDevice(deps, principal, params.deviceId, body);
        deps.nudge();
        return show(device);
      },
    }),
    route('DELETE /devices/:deviceId', {
      output: deviceShown,
      summary: 'Remove a device and release its frame',
      audit: { action: 'device.removed', on: 'device' },
      async handle({ params, principal }) {
        const device = await removeDevice(deps, principal, params.deviceId);
        deps.nudge();
        return show(device);
      },
    }),
  ];
}

function registerRoute(deps: DeviceDeps): AnyRoute {
  return route('POST /devices/registerdevice/:serial', {
    summary: 'Bind a provisioned frame to the organization (`enable`), or release it',
    audit: { action: 'device.registered', on: 'device', values: ['patient', 'paper'] },
    params: serialPath,
    body: z.object({
      enable: z.boolean(),
      organization: objectId,
      patient: objectId.nullable().optional(),
      paper: objectId.nullable().optional(),
    }),
    output: z.object({
      activation_status: z.enum(['pending', 'device_confirmed', 'success', 'reset', 'timeout', 'error']),
      activated: z.boolean().describe('this call made it a frame that works; false when it was one before'),
      device: deviceShown,
    }),
    refuses: ['not-found', 'unknown-frame', 'access-denied'],
    async handle({ params, body, principal, note }) {
      const serial = params.serial.toLowerCase();
      if (!body.enable) note({ action: 'device.released' });
      const { device, activated } = body.enable
        ? await registerFrame(deps, principal, serial, body)
        : { device: await releaseDevice(deps, principal, serial, body.organization), activated: false };
      deps.nudge();
      return {
        activation_status: body.enable ? ('success' as const) : ('reset' as const),
        activated,
        device: await showDevice(device, deps.frames, deps.clock.now()),
      };
    },
  });
}
