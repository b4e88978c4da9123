/** Routes of devices. */
import { z } from 'zod';
import { transact } from '../../gateway/runtime/database.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { membershipIn, requireMembership } from '../directory/principal.ts';
import { noParams, objectId } from '../http/field-shapes.ts';
import { likePattern, listQuery, orderOf, pageOf } from '../http/list-query.ts';
import { type AnyRoute, route } from '../http/route.ts';
import { listInPortions } from '../http/stream-list.ts';
import { keepPaper } from '../papers/lock-paper.ts';
import { changeDevice, deviceBody, deviceChange, newDevice, removeDevice } from './change-device.ts';
import { changesRoute } from './changes-route.ts';
import { commandRoutes } from './command-routes.ts';
import type { DeviceEdges } from './device-edges.ts';
import { eventRoutes } from './event-routes.ts';
import type { ImageEdges } from './image-edges.ts';
import { imageRoutes } from './image-routes.ts';
import { registerFrame, releaseFrame } from './register-device.ts';
import { requireDevice, requireNamed } from './require-device.ts';
import { deviceListed, deviceShown, listDevice, showDevice } from './show-device.ts';
import { type DeviceRow, deviceStore, sortableColumns } from './store.ts';
import { uploadLogRoute } from './upload-log-route.ts';
import { whyRoute } from './why-route.ts';

const oneDevice = z.object({ deviceId: objectId });
const serialPath = z.object({ serial: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/) });

/** Every route of devices that this service has. */
export function deviceRoutes(edges: ImageEdges): AnyRoute[] {
  return [
    ...listRoutes(edges),
    ...changeRoutes(edges),
    registerRoute(edges),
    ...commandRoutes(edges),
    ...eventRoutes(edges),
    ...imageRoutes(edges),
    whyRoute(edges),
    uploadLogRoute(edges),
    changesRoute(edges),
  ];
}

function listRoutes(edges: DeviceEdges): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/devices/',
      summary: 'Devices that the caller may see',
      access: 'person',
      status: 200,
      params: noParams,
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
        const presence = { connected: edges.frames.connected(), now: edges.clock.now() };
        const portions = deviceStore(edges.database).visible(principal, search, presence);
        return listInPortions(portions, (row) => listDevice(row, row));
      },
    }),
    route({
      method: 'GET',
      path: '/devices/:deviceId',
      summary: 'One device, with what is known of its frame',
      access: 'person',
      status: 200,
      params: oneDevice,
      output: deviceShown,
      async handle({ params, principal }) {
        const device = await requireDevice(edges.database, principal, params.deviceId, 'read');
        return showDevice(device, edges.frames, edges.clock.now());
      },
    }),
  ];
}

function changeRoutes(edges: DeviceEdges): AnyRoute[] {
  const show = (row: DeviceRow) => showDevice(row, edges.frames, edges.clock.now());
  const common = { access: 'person', status: 200, output: deviceShown } as const;
  return [
    route({
      ...common,
      method: 'POST',
      path: '/devices/',
      summary: 'Create a device; a frame is bound to one by registration',
      params: noParams,
      body: deviceBody,
      async handle({ body, principal }) {
        requireMembership(principal, body.organization, 'write');
        const device = newDevice(edges, body);
        await transact(edges.database, async (trx) => {
          await keepPaper(trx, body.paper);
          await requireNamed(trx, body.organization, body);
          await deviceStore(trx).insert(device);
        });
        edges.nudge();
        return show(device);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/devices/:deviceId',
      summary: 'Change a device',
      params: oneDevice,
      body: deviceChange,
      refuses: ['not-found', 'access-denied', 'conflict'],
      async handle({ params, body, principal }) {
        const device = await changeDevice(edges, principal, params.deviceId, body);
        edges.nudge();
        return show(device);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/devices/:deviceId',
      summary: 'Remove a device and release its frame',
      params: oneDevice,
      async handle({ params, principal }) {
        const device = await removeDevice(edges, principal, params.deviceId);
        edges.nudge();
        return show(device);
      },
    }),
  ];
}

function registerRoute(edges: DeviceEdges): AnyRoute {
  return route({
    method: 'POST',
    path: '/devices/registerdevice/:serial',
    summary: 'Bind a provisioned frame to the organization (`enable`), or release it',
    access: 'person',
    status: 200,
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
    async handle({ params, body, principal }) {
      const serial = params.serial.toLowerCase();
      const { device, activated } = body.enable
        ? await registerFrame(edges, principal, serial, body)
        : { device: await releaseFrame(edges, principal, serial, body.organization), activated: false };
      edges.nudge();
      return {
        activation_status: body.enable ? ('success' as const) : ('reset' as const),
        activated,
        device: await showDevice(device, edges.frames, edges.clock.now()),
      };
    },
  });
}
