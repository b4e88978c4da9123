/** The route of the members who see a device because it is linked to them. */
import { z } from 'zod';
import { viewersOfDevices } from '../../access/links.ts';
import { requireMembership, roles } from '../../access/principal.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import type { DeviceDeps } from './device-deps.ts';

const viewersShown = z
  .array(
    z.object({
      userId: z.string(),
      name: z.string(),
      role: z.enum(roles),
      isPatient: z.boolean().describe('the device names them as its patient'),
    }),
  )
  .meta({ id: 'Viewers' });

/** Returns the route. */
export function viewersRoute({ db }: DeviceDeps): AnyRoute {
  return route('GET /devices/:deviceId/viewers', {
    noStore: true,
    summary: 'The users to whom a device is linked. Anyone who sees the whole organization sees it as well',
    output: viewersShown,
    refuses: ['not-found', 'access-denied'],
    async handle({ params, principal }) {
      const device = await requireDevice(db, principal, params.deviceId, 'read');
      requireMembership(principal, device.organization_id, 'write');
      const ids = (await viewersOfDevices(db, [device.id])).get(device.id) ?? [];
      const users: { id: string; name: string; role: (typeof roles)[number] }[] = await db('users')
        .where({ organization_id: device.organization_id })
        .whereIn('id', ids)
        .orderBy(['created_at', 'id'])
        .select('id', 'name', 'role');
      return users.map(({ id, name, role }) => ({ userId: id, name, role, isPatient: id === device.patient }));
    },
  });
}
