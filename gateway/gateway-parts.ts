/** The parts of the gateway and how they are wired: conversations with frames, admission, and HTTP requests of frames. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Cluster } from '../cluster/cluster.ts';
import type { NodeMessage, SessionRegistry } from '../cluster/session-registry.ts';
import type { TopicUse } from '../firmware-protocol/topics.ts';
import type { Reason } from '../reasons/reason.ts';
import type { CommonDeps } from '../runtime/database/common-deps.ts';
import { type DurableFolder, openDurableFolder } from '../runtime/disk/durable-folder.ts';
import { inBackground } from '../runtime/in-background.ts';
import { createSignal } from '../runtime/signal.ts';
import type { BrokerDeps, FrameBroker } from './broker/broker.ts';
import type { Listening } from './broker/listeners.ts';
import type { ServerCertificate } from './broker/server-certificate.ts';
import type { TicketKeys } from './broker/ticket-keys.ts';
import { openCommands } from './commands/open-commands.ts';
import { handleNodeMessages, reachFrames } from './commands/reach-frames.ts';
import { classicDialect, classicTraits } from './dialects/classic.ts';
import type { AsksForKey, Conversation, Dialect, DialectDeps, PolledDialect } from './dialects/dialect.ts';
import { nativeDialect, nativeTraits } from './dialects/native.ts';
import { offlineDialect } from './dialects/offline/offline.ts';
import { plainDialect } from './dialects/plain/plain.ts';
import { trmnlDialect } from './dialects/trmnl/trmnl.ts';
import { firmwareFolder } from './firmware/images.ts';
import { openFirmware } from './firmware/open-firmware.ts';
import { type BackgroundEvents, backgroundEvents } from './frames/background-events.ts';
import { traitsAmong } from './frames/dialect-traits.ts';
import type { KindNamed } from './frames/frame-kinds.ts';
import type { FrameMeter } from './frames/frame-measures.ts';
import { recordConflict } from './frames/identity-conflict.ts';
import { frameRegistry } from './frames/registry.ts';
import { type AdmittingFrames, admission } from './identity/admit-frame.ts';
import { downloadsBeingJudged } from './pictures/being-judged.ts';
import { picturesFolder } from './pictures/collect-pictures.ts';
import { type DownloadDeps, pictureDownloads } from './pictures/download.ts';

/** Dependencies of the gateway. Ports of 0 take a free one. */
export interface GatewayDeps extends CommonDeps {
  readonly meter?: FrameMeter | undefined;
  readonly dataFolder: string;
  readonly listen: Omit<Listening, 'server' | 'renewed' | 'root' | 'tickets'>;
  /** Names and addresses in the broker's certificate. */
  readonly serverNames: readonly string[];
  /** The name or address by which frames dial the broker; left out, they are on this machine. */
  readonly brokerName?: string;
  /** Called when something was recorded that may be evidence: the delivery line should look. */
  readonly reported: (serial: string) => void;
  /** Returns whether a picture for a frame is being made just now: one that wakes meanwhile comes back soon. */
  readonly isBeingMade?: (serial: string) => boolean;
  /** Called when a frame said how long it sleeps, without having reported anything else. */
  readonly slept?: (serial: string) => void;
  /** Called when a picture is missing or damaged on the disk: the delivery line should make it again. */
  readonly pictureLost?: () => void;
  /** Called when a frame of no known kind named its panel, which is its kind from now on, in the same transaction. */
  readonly kindNamed?: KindNamed;
  /** Further dialects of frames that do not use the broker. */
  readonly polledDialects?: readonly PolledDialect[];
  /** Gives a frame that asks for its key an owner, where one waits for any that asks. */
  readonly asksForKey?: AsksForKey;
  /** The address of the caller of an HTTP request; left out where no setting names the trusted proxies. */
  readonly addressOf?: (request: IncomingMessage) => string | undefined;
  /**
   * The address under which the caller of an HTTP request reached the service; empty where it named none. Left out where
   * the operator named the address that frames are given.
   */
  readonly askedAt?: ((request: IncomingMessage) => string) | undefined;
  /** The other gateways over the same database. */
  readonly cluster: Pick<Cluster, 'single' | 'counters' | 'sessions'>;
  /** Opens the folders of pictures and firmware images: below the data folder unless handed in. */
  readonly openFolder?: (name: 'pictures' | 'firmware') => Promise<DurableFolder>;
  /** Opens the way of frames to the gateway: the embedded broker unless handed in. */
  readonly openBroker?: (deps: BrokerDeps) => Promise<FrameBroker>;
}

/** The addresses under which frames find the service, which are known once HTTP listens. */
export interface FrameAddresses {
  readonly frameUrl: string;
  readonly publicUrl: string;
}

/** The state that `start` sets and `stop` ends. */
export interface GatewayState {
  addresses: FrameAddresses;
  broker: FrameBroker | undefined;
  certificate: ServerCertificate | undefined;
  tickets: TicketKeys | undefined;
}

/** Opens the folders of pictures and of firmware images. */
export async function openFolders({ dataFolder, logger, openFolder }: GatewayDeps) {
  const paths = { pictures: picturesFolder(dataFolder), firmware: firmwareFolder(dataFolder) };
  const damaged = (file: string): void => logger.error({ file }, 'a stored file is damaged on the disk');
  const open = openFolder ?? ((name) => openDurableFolder(paths[name], undefined, undefined, damaged));
  return { pictures: await open('pictures'), images: await open('firmware') };
}

/** Composes the conversations with frames: dialects, commands and firmware, over the connections of all nodes. */
export function openConversations(deps: GatewayDeps, state: GatewayState, images: DurableFolder) {
  const { db, clock, random, logger, meter, reported, isBeingMade, slept, kindNamed } = deps;
  const broker = (): FrameBroker | undefined => state.broker;
  const fromNodes = createSignal<NodeMessage>();
  const sessions: SessionRegistry = deps.cluster.sessions.join(fromNodes.emit);
  // Dialects need the commands, and commands need the dialects to word them: this list is filled when they are made.
  const connected: Dialect[] = [];
  const reach = reachFrames({ sessionRegistry: sessions, broker, dialects: connected });
  const polled = [trmnlDialect, plainDialect, offlineDialect, ...(deps.polledDialects ?? [])];
  const traitsOf = traitsAmong({
    ...Object.fromEntries(polled.map((dialect) => [dialect.name, dialect])),
    native: { traits: nativeTraits },
    classic: { traits: classicTraits },
  });
  const commands = openCommands(deps, reach, sessions, traitsOf);
  fromNodes.listen(handleNodeMessages({ broker, reach, commands, logger }));
  const urls = { frameUrl: () => state.addresses.frameUrl, publicUrl: () => state.addresses.publicUrl };
  const firmware = openFirmware({ ...deps, ...urls, images });
  const common = { db, clock, random, logger, meter, reported, isBeingMade, slept, kindNamed };
  const dialectDeps: DialectDeps = { ...common, ...urls, commands, firmware: firmware.offers };
  const dialects: Readonly<Record<TopicUse['dialect'], Dialect>> = {
    native: nativeDialect(dialectDeps),
    classic: classicDialect(dialectDeps),
  };
  connected.push(...Object.values(dialects));
  return { sessions, reach, commands, firmware, dialectDeps, dialects, polled, traitsOf };
}

/** Composes the admission of frames, whose alerts become events. */
export function openAdmission(deps: GatewayDeps, sessions: SessionRegistry) {
  const { db, clock, random, cluster } = deps;
  const { counters } = cluster;
  const events: BackgroundEvents = backgroundEvents(deps);
  const protocolViolated = (serial: string | undefined, problem: Reason): void =>
    inBackground(deps.logger, 'record an alert', () => serial && events.alert(serial, problem));
  const identityConflict = (serial: string, problem: Reason): void =>
    inBackground(deps.logger, 'record a conflict', () =>
      events.track(serial, recordConflict(db, { serial, problem }, { now: clock.now(), random })),
    );
  const admitting = admission({ registry: frameRegistry(db), clock, protocolViolated, identityConflict, counters });

  /** Records a new session. An identity has one session, so its former one is taken over, wherever it was (B-22). */
  function connected({ serial, session, address }: Conversation): void {
    const before = sessions.arrived(serial, { session, address });
    if (before !== undefined) admitting.tookOver(serial, before.address, address);
    const takeover = before?.here ? 'same node' : 'another node';
    inBackground(deps.logger, 'record a connection', () =>
      events.record(serial, 'connect', before === undefined ? {} : { takeover }),
    );
  }

  return { events, admitting, protocolViolated, connected };
}

/** Composes the handler of the frames' HTTP requests: downloads of pictures and firmware, and polls. */
export function openFrameRequests(
  deps: Omit<DownloadDeps, 'beingJudged'> & Pick<GatewayDeps, 'addressOf' | 'asksForKey' | 'askedAt'>,
  { firmware, polled, dialectDeps }: Pick<ReturnType<typeof openConversations>, 'firmware' | 'polled' | 'dialectDeps'>,
  admitting: Pick<AdmittingFrames, 'admit'>,
) {
  const beingJudged = downloadsBeingJudged(deps.clock);
  const judges = new Map(polled.map(({ name, isOwnDownload }) => [name, isOwnDownload]));
  const isOwnDownload = (dialect: string | null) => judges.get(dialect ?? '');
  const downloads = pictureDownloads({ ...deps, beingJudged, isOwnDownload });
  const { recorded: downloadsRecorded } = beingJudged;
  const admit = (serial: string, password: string) =>
    admitting.admit({ id: serial, conn: undefined, closed: false }, { username: serial, password }, 0);
  const { addressOf, asksForKey, askedAt } = deps;
  const toldAddress = (request: IncomingMessage): string => askedAt?.(request) || dialectDeps.publicUrl();
  const more = { admit, downloadsRecorded, sendPicture: downloads.send, addressOf, asksForKey, toldAddress };
  const handlers = polled.map((dialect) => dialect.open({ ...dialectDeps, ...more }));
  const serve = (request: IncomingMessage, response: ServerResponse): boolean =>
    downloads.serve(request, response) ||
    firmware.serve(request, response) ||
    handlers.some((handle) => handle(request, response));
  return { serve, downloadsRecorded };
}
