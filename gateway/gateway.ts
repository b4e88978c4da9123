/** The frames' side of the service: broker, dialects, pictures and evidence behind one value. */

import { type Database, type Migration, worksAtOnce } from '../runtime/database/database.ts';
import { factMigrations } from '../runtime/database/service-facts.ts';
import { dialledHost, joinAddress } from '../runtime/join-address.ts';
import { adoptionMigrations } from './adoption/tables.ts';
import { type BrokerDeps, type FrameBroker, startBroker } from './broker/broker.ts';
import { keepServerCertificate } from './broker/server-certificate.ts';
import { keepTicketKeys } from './broker/ticket-keys.ts';
import { commandMigrations } from './commands/tables.ts';
import { offlineMigrations } from './dialects/offline/tables.ts';
import { pollAddressOf } from './dialects/plain/plain.ts';
import { polledMigrations } from './dialects/trmnl/tables.ts';
import { type RolloutOptions, startRollout } from './firmware/rollouts.ts';
import { firmwareMigrations } from './firmware/tables.ts';
import { type FrameFacts, factsOfFrame } from './frames/frame-facts.ts';
import { type FrameSettings, requestSettings } from './frames/settings.ts';
import { frameMigrations } from './frames/tables.ts';
import { type PresenceWatch, watchPresence } from './frames/watch-presence.ts';
import {
  type FrameAddresses,
  type GatewayDeps,
  type GatewayState,
  openAdmission,
  openConversations,
  openFolders,
  openFrameRequests,
} from './gateway-parts.ts';
import { authorityOfFrames } from './identity/authority-of-frames.ts';
import { checkFrameUrl } from './pictures/frame-url.ts';
import { openPictures } from './pictures/open-pictures.ts';
import { pictureMigrations } from './pictures/tables.ts';
import { polledPrefix } from './pictures/upload-row.ts';
import { activateFrame, releaseFrame } from './provisioning/own-frame.ts';
import { type IssuedCredentials, issueCredentials } from './provisioning/provision-frame.ts';

export type { FrameAddresses, GatewayDeps } from './gateway-parts.ts';

/** The gateway's tables. Each room lists its own. */
export const gatewayTables: readonly Migration[] = [
  ...factMigrations,
  ...frameMigrations,
  ...pictureMigrations,
  ...commandMigrations,
  ...firmwareMigrations,
  ...polledMigrations,
  ...adoptionMigrations,
  ...offlineMigrations,
];

type Conversations = ReturnType<typeof openConversations>;
type Admission = ReturnType<typeof openAdmission>;

/** The parts that run from `start` to `stop`. */
interface RunningParts extends Conversations, Admission {
  readonly state: GatewayState;
  readonly watch: PresenceWatch;
  readonly downloadsRecorded: (serial: string) => Promise<unknown> | undefined;
}

export type Gateway = Awaited<ReturnType<typeof createGateway>>;

/** Composes the gateway. Nothing listens until `start`. */
export async function createGateway(deps: GatewayDeps) {
  const { db, clock, random, logger, cluster } = deps;
  const state: GatewayState = {
    addresses: { frameUrl: '', publicUrl: '' },
    broker: undefined,
    certificate: undefined,
    tickets: undefined,
  };
  const { pictures, images } = await openFolders(deps);
  const conversations = openConversations(deps, state, images);
  const { reach, traitsOf } = conversations;
  const admission = openAdmission(deps, conversations.sessions);
  const stored = { ...deps, pictures, traitsOf, lost: deps.pictureLost ?? (() => {}) };
  const { serve, downloadsRecorded } = openFrameRequests(stored, conversations, admission.admitting);
  const watch = watchPresence({
    db,
    clock,
    random,
    logger,
    isConnected: reach.isConnected,
    single: cluster.single,
    traitsOf,
  });
  const parts: RunningParts = { ...conversations, ...admission, state, watch, downloadsRecorded };
  const told = (asked: string): string => (deps.askedAt && asked) || state.addresses.publicUrl;
  return {
    /** Answers downloads and polls of frames over HTTP; false when the request is for somebody else. */
    serve,

    /** Listens for frames. Refuses a download prefix that would break classic frames. */
    start: (addresses: FrameAddresses) => startGateway(deps, parts, addresses),

    /** The broker while frames can connect, with its load and its ports. */
    broker: (): Pick<FrameBroker, 'load' | 'ports'> | undefined => state.broker,

    /** Lets frames that are awake finish for so long, takes no new ones, and ends the rest slowly. */
    drain: (finishMs: number): Promise<void> => state.broker?.drain(finishMs) ?? Promise.resolve(),

    stop: () => stopGateway(parts),
    ...openPictures(stored),
    traitsOf,
    /** The address that a frame asks which polls one address. `asked` is the one under which its owner asks the service. */
    pollAddress: (serial: string, asked: string): string => pollAddressOf(told(asked), serial),
    polledBase: told,
    /** The address that owners enter into frames which are adopted. */
    baseAddress: (asked: string): string => `${told(asked)}${polledPrefix}`,
    brokerAddress: () => ({ host: deps.brokerName ?? '127.0.0.1', port: state.broker?.ports.tls ?? 0 }),
    ...frameFunctions(deps, conversations),

    /** Starts a rollout of firmware; frames are offered it within seconds, or at their next wake. */
    rollOut: (options: RolloutOptions) => startRollout({ db, random, images }, options, clock.now()),
  };
}

async function startGateway(
  deps: GatewayDeps,
  parts: RunningParts,
  addresses: FrameAddresses,
): Promise<{ mqtt: string; mqtts: string }> {
  const { state, dialects, sessions, events } = parts;
  checkFrameUrl(addresses.frameUrl);
  state.addresses = addresses;
  await parts.firmware.start();
  const open = deps.openBroker ?? ((brokerDeps: BrokerDeps) => openEmbeddedBroker(deps, state, brokerDeps));
  const broker = await open({
    logger: deps.logger,
    clock: deps.clock,
    meter: deps.meter,
    admission: parts.admitting,
    messagesAtOnce: worksAtOnce(deps.db),
    awaited: ({ serial }, use) =>
      use.name === dialects[use.dialect].opensWake ? parts.downloadsRecorded(serial) : undefined,
    receive: (conversation, use, payload) => dialects[use.dialect].receive(conversation, use.name, payload),
    connected: parts.connected,
    left: ({ serial, session }) => sessions.left(serial, session),
    disconnected: ({ serial }) => events.record(serial, 'disconnect', {}),
    protocolViolated: parts.protocolViolated,
  });
  state.broker = broker;
  parts.watch.start();
  const { tls, plain } = broker.ports;
  return {
    mqtt: plain === undefined ? '' : joinAddress('mqtt', '127.0.0.1', plain),
    mqtts: joinAddress('mqtts', dialledHost(deps.listen.host), tls),
  };
}

async function openEmbeddedBroker(
  deps: GatewayDeps,
  state: GatewayState,
  brokerDeps: BrokerDeps,
): Promise<FrameBroker> {
  const authority = await authorityOfFrames(deps, deps.clock.now());
  state.certificate = await keepServerCertificate(authority, deps.serverNames, deps);
  state.tickets = await keepTicketKeys(authority, deps);
  const { certificate, tickets } = state;
  const { first: server, renewed } = certificate;
  return startBroker(brokerDeps, { ...deps.listen, server, renewed, tickets, root: authority.root });
}

async function stopGateway({ state, watch, firmware, sessions, events }: RunningParts): Promise<void> {
  state.certificate?.stop();
  await state.tickets?.stop();
  await watch.stop();
  await firmware.stop();
  const stopping = state.broker;
  state.broker = undefined;
  await stopping?.stop();
  sessions.leave();
  await events.settled();
}

/** The functions of the gateway that are about one frame. */
function frameFunctions(deps: GatewayDeps, { reach, commands, firmware }: Conversations) {
  const { db, clock, random, logger } = deps;
  return {
    /** Makes credentials for a serial; they count once the caller has stored them. */
    issueCredentials: (serial: string, withPassword: boolean): Promise<IssuedCredentials> =>
      issueCredentials(deps, serial, withPassword),

    /** Announces the newest picture to a frame that is awake now; a frame that sleeps gets it at its next wake. */
    announce: reach.announce,

    /** Sends a frame its settings, after the commit of `configure`. When that fails, the frame gets them at its next wake. */
    announceSettings: (serial: string): Promise<void> =>
      reach
        .announceSettings(serial)
        .catch((error: unknown) => logger.error({ frame: serial, error }, 'settings were not sent')),

    /** Sends a frame a command, now or at its next wake. */
    command: commands.command,
    /** Finds out whether a frame can be reached now. */
    ping: commands.ping,

    /** The present facts about a frame; undefined when it was never provisioned. */
    facts: (serial: string): Promise<FrameFacts | undefined> =>
      factsOfFrame(db, serial, {
        connected: reach.isConnected(serial),
        now: clock.now(),
        firmwareFor: firmware.offers.versionFor,
      }),

    /** The registry keys of the frames that are connected now. */
    connected: reach.connected,
    /** The connection of a frame, by its registry key. */
    connection: reach.connection,

    /** Activates a provisioned frame for its owner, in the caller's transaction. An active frame stays as it is. */
    activate: (trx: Database, serial: string) => activateFrame(trx, serial, { now: clock.now(), random }),

    /** Stores settings in the caller's transaction; true when the sleep of the frame has changed (C-59). */
    configure: (trx: Database, serial: string, settings: FrameSettings): Promise<boolean> =>
      requestSettings(trx, serial, settings, { now: clock.now(), random }),

    /** Releases a frame from its owner, in the caller's transaction. */
    release: (trx: Database, serial: string): Promise<void> => releaseFrame(trx, serial, { now: clock.now(), random }),
  };
}
