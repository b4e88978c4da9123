/** An organization over HTTP whose frame has a paper of pictures. */
import { furnish } from '../http/matrix.ts';
import type { HttpWorld } from '../http/world.ts';

/** A furnished organization without the deadline of its furniture, and with a paper of pictures on its frame. */
export async function home(world: HttpWorld) {
  const { call, admin, db } = world;
  const { ids } = await furnish(world, admin);
  await db('deadlines').delete();
  const paper = { organization: ids.organization, deviceId: ids.device, kind: 'image', meta: {} };
  const { id } = (await call('POST', '/papers', { as: admin, json: paper })).json;
  await call('POST', `/devices/${ids.device}`, { as: admin, json: { paper: id } });
  return { ids, paper: id as string };
}
