/** The API over papers whose sources are servers on loopback: every name leads there. Pages that are drawn are kept. */
import type { ServerResponse } from 'node:http';
import type { FollowDeps } from '../../api/outgoing/follow-redirects.ts';
import { noHomeNetworks } from '../../api/outgoing/home-networks.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import type { RenderOptions } from '../../api/rendering/render-page.ts';
import { systemClock } from '../../runtime/clock.ts';
import { fakeNetwork, type Received, withReceiver } from '../callbacks/receiver.ts';
import { type Answer, type HttpWorld, type Person, type WorldOptions, withHttp } from '../http/world.ts';
import { gradient } from '../papers/line-world.ts';

export interface LiveWorld extends HttpWorld {
  readonly received: readonly Received[];
  /** The pages that were handed to the browser. */
  readonly pages: RenderOptions[];
  /** The way to the server. */
  readonly follow: FollowDeps;
  addDevice(person?: Person): Promise<string>;
  /** Makes a paper on a device of its own. */
  addPaper(kind: string, meta: object, person?: Person): Promise<Answer>;
  change(id: string, kind: string, meta: object): Promise<Answer>;
  /** Writes a recipe. */
  write(settings: string, full?: string, person?: Person): Promise<Answer>;
}

/** Opens the world, and closes it after the test. */
export function withLivePapers(
  answer: (request: Received, response: ServerResponse) => void,
  run: (world: LiveWorld) => Promise<void>,
  options: Partial<WorldOptions> = {},
): Promise<void> {
  const pages: RenderOptions[] = [];
  return withReceiver(answer, async ({ port, received }) => {
    const png = await gradient();
    const network = fakeNetwork(port, () => ['93.184.215.14']);
    const wayOut = openWayOut({ network, clock: systemClock });
    const follow = { wayOut, home: noHomeNetworks };
    await withHttp((world) => run({ ...world, received, pages, follow, ...helpers(world) }), {
      ...options,
      wayOut,
      async renderPage(page) {
        pages.push(page);
        return { ok: true, png, warnings: [] };
      },
    });
  });
}

function helpers({
  call,
  admin,
  db,
  random,
}: HttpWorld): Pick<LiveWorld, 'addDevice' | 'addPaper' | 'change' | 'write'> {
  async function addDevice({ organizationId }: Person = admin): Promise<string> {
    const id = random.id();
    const device = { id, organization_id: organizationId, kind: 'epd7', meta: '{}', details: '{}', assignment: 0 };
    await db('devices').insert({ ...device, created_at: 0, updated_at: 0 });
    return id;
  }
  return {
    addDevice,
    async addPaper(kind, meta, person = admin) {
      const deviceId = await addDevice(person);
      return call('POST', '/papers/', {
        as: person,
        json: { deviceId, kind, organization: person.organizationId, meta },
      });
    },
    async change(id, kind, meta) {
      const { device_id: deviceId } = await db('papers').where({ id }).first();
      const json = { deviceId, kind, organization: admin.organizationId, meta };
      return call('POST', `/papers/${id}`, { as: admin, json });
    },
    write: (settings, full = '{{ a }}', person = admin) =>
      call('POST', '/recipes/', {
        as: person,
        json: { organization: person.organizationId, settings, views: { full } },
      }),
  };
}
