/**
 * The service as a client of the home's broker: frames of one organization appear as devices in Home Assistant by its
 * discovery over MQTT (docs/decisions/0041).
 */
import { z } from 'zod';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Timer } from '../../runtime/clock.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { inBackground } from '../../runtime/in-background.ts';
import type { Meter } from '../../runtime/meter.ts';
import type { Principal } from '../access/principal.ts';
import { unclosedOutages } from '../alerts/outages.ts';
import type { ChangesHub } from '../changes/changes-hub.ts';
import { rateLimit } from '../http/limit-rate.ts';
import type { AnyRoute } from '../http/route.ts';
import { routeCaller } from './call-routes.ts';
import { carryOut, commandsOfAll, commandsPerFrame } from './carry-out.ts';
import { followChanges } from './follow-changes.ts';
import { FrameMirror } from './frame-mirror.ts';
import { HomeLink, type ReceivedMessage, readBroker } from './home-link.ts';
import type { homeMeasures } from './home-measures.ts';
import { OutageMirror } from './outage-mirror.ts';
import { homeReader } from './read-home.ts';
import { commandFilters, serialOfDiscovery } from './topics.ts';

const lookAgainMs = 10_000;
const leaseName = 'home assistant';
const loggedPerMinute = 10;

export interface HomeAssistantDeps extends CommonDeps {
  readonly meter?: Meter<typeof homeMeasures> | undefined;
  /** The address of the home's broker. */
  readonly url: string;
  /** The prefix of Home Assistant's discovery. */
  readonly prefix: string;
  /** Whose frames are published; the organization that was made first, unless one is named. */
  readonly organizationId: string | undefined;
  /** One process is the client. */
  readonly cluster: Pick<Cluster, 'underLease'>;
  /** The routes of the service, as they are called over HTTP. */
  readonly routes: readonly AnyRoute[];
  readonly changes: Pick<ChangesHub, 'subscribe'>;
  readonly knowCommands: (serials: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly picture: (principal: Principal, deviceId: string, uploadId: string) => Promise<Buffer | undefined>;
  readonly publicUrl: () => string;
  readonly version: string;
}

/** The client. `start` returns at once: nothing waits for the home's broker. */
export interface HomeAssistant {
  start(): void;
  stop(): Promise<void>;
}

/** Makes the client, which begins with `start`. */
export function homeAssistant(deps: HomeAssistantDeps): HomeAssistant {
  let end: (() => Promise<void>) | undefined;
  return {
    start() {
      end = deps.cluster.underLease(leaseName, () => beginWhenFounded(deps));
    },
    async stop() {
      await end?.();
      end = undefined;
    },
  };
}

/** Begins as soon as there is an organization. */
function beginWhenFounded(deps: HomeAssistantDeps): () => Promise<void> {
  const { clock, logger, organizationId } = deps;
  let timer: Timer | undefined;
  let end: (() => Promise<void>) | undefined;
  let isStopped = false;
  let isTold = false;
  const look = async (): Promise<void> => {
    const found = await findOrganization(deps).catch(() => undefined);
    if (isStopped) return;
    if (found !== undefined) {
      end = begin(deps, found);
      return;
    }
    if (!isTold && organizationId !== undefined) {
      const hint = 'correct PAPERGATE_HASS_ORGANIZATION; GET /organizations/ shows the ids';
      logger.warn({ hint }, 'no frames are published to Home Assistant: there is no such organization');
    }
    isTold = true;
    timer = clock.after(lookAgainMs, () => inBackground(logger, 'find the organization', look));
  };
  inBackground(logger, 'find the organization', look);
  return async () => {
    isStopped = true;
    timer?.cancel();
    await end?.();
  };
}

interface Organization {
  readonly id: string;
  readonly name: string;
}

function findOrganization({ db, organizationId: id }: HomeAssistantDeps): Promise<Organization | undefined> {
  const all = db('organizations').orderBy(['created_at', 'id']);
  return (id === undefined ? all : all.where({ id })).first('id', 'name');
}

function begin(deps: HomeAssistantDeps, organization: Organization): () => Promise<void> {
  const { clock, random, logger, prefix, url } = deps;
  const principal = homePrincipal(organization.id);
  const { host } = readBroker(url);
  logger.info(
    { broker: host, organization: organization.id },
    'the frames of an organization are published to Home Assistant',
  );
  const call = routeCaller(deps.routes, principal, host);
  const reader = homeReader({
    ...deps,
    call,
    organizationId: organization.id,
    picture: (deviceId, uploadId) => deps.picture(principal, deviceId, uploadId),
  });
  const birthTopic = `${prefix}/status`;
  const link = new HomeLink({
    url,
    filters: [`${prefix}/device/+/config`, birthTopic, ...commandFilters],
    clock,
    random,
    logger,
    count: (state) => deps.meter?.count('papergate_home_broker_total', { state }),
    connected: tellAll,
    hear: (message) => inBackground(logger, "hear the home's broker", () => hear(message)),
  });
  const mirror = new FrameMirror({ clock, logger, prefix, link, reader });
  const outages = new OutageMirror({ ...deps, link, readOutages: () => unclosedOutages(deps.db, organization.id) });
  const limits = {
    frame: rateLimit(commandsPerFrame),
    all: rateLimit(commandsOfAll),
    log: rateLimit(loggedPerMinute),
  };

  function tellAll(): void {
    mirror.tellAll();
    outages.tellAll();
  }

  async function hear(message: ReceivedMessage): Promise<void> {
    const { topic, payload, retained } = message;
    if (topic === birthTopic) {
      if (!retained && payload.toString() === 'online') tellAll();
      return;
    }
    if (!topic.startsWith(`${prefix}/device/`)) return carryOut({ call, mirror, logger, limits }, message);
    const serial = serialOfDiscovery(prefix, topic);
    if (retained && serial !== undefined && payload.length > 0) mirror.hearRetained(serial, componentsIn(payload));
  }

  link.dial();
  const following = followChanges({ ...deps, principal, changed: (ids) => mirror.refresh(ids) });
  return async () => {
    following.stop();
    await Promise.all([mirror.stop(), outages.stop()]);
    await link.stop();
  };
}

const retainedMessage = z.object({
  components: z.record(z.string().max(60), z.object({ platform: z.string().max(60) })),
});

/** The components that a retained message has. One that cannot be read has none: it is overwritten, or taken back. */
function componentsIn(payload: Buffer): Readonly<Record<string, { readonly platform: string }>> {
  try {
    return retainedMessage.parse(JSON.parse(payload.toString('utf8'))).components;
  } catch {
    return {};
  }
}

/** Home Assistant as a caller: it may what a member may who writes, in this organization alone. */
function homePrincipal(organizationId: string): Principal {
  const name = 'Home Assistant';
  return { accountId: '', system: name, memberships: [{ userId: '', organizationId, role: 'user', name }] };
}
