/** The frames' side of the service: broker, dialects, pictures and evidence behind one value. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TopicUse } from '../firmware-protocol/topics.ts';
import { admission } from './broker/admit-frame.ts';
import { openAuthority } from './broker/authority.ts';
import { type BrokerEdges, type FrameBroker, startBroker } from './broker/broker.ts';
import { keepServerCertificate, type ServerCertificate } from './broker/server-certificate.ts';
import { openCommands } from './commands/open-commands.ts';
import { commandTables } from './commands/tables.ts';
import { classicDialect } from './dialects/classic.ts';
import type { Conversation, Dialect, DialectEdges, PolledDialect } from './dialects/dialect.ts';
import { nativeDialect } from './dialects/native.ts';
import { firmwareFolder } from './firmware/images.ts';
import { openFirmware } from './firmware/open-firmware.ts';
import { firmwareTables } from './firmware/tables.ts';
import { traitsAmong } from './frames/dialect-traits.ts';
import { type FrameFacts, factsOfFrame } from './frames/frame-facts.ts';
import type { KindNamed } from './frames/frame-kinds.ts';
import { recordConflict } from './frames/identity-conflict.ts';
import { frameNotes } from './frames/notes.ts';
import { activateFrame, releaseFrame } from './frames/own-frame.ts';
import { presenceTables } from './frames/presence-tables.ts';
import { frameRegistry } from './frames/registry.ts';
import { type FrameSettings, settingTables, updateWindowTables, wishSleep } from './frames/settings.ts';
import { frameTables } from './frames/tables.ts';
import { watchPresence } from './frames/watch-presence.ts';
import { nodesInOneProcess } from './nodes/in-one-process.ts';
import { reachFrames, runErrands } from './nodes/reach-frames.ts';
import type { Nodes } from './nodes/whereabouts.ts';
import { downloadsBeingJudged } from './pictures/being-judged.ts';
import { picturesFolder } from './pictures/collect-pictures.ts';
import { pictureDownloads } from './pictures/download.ts';
import { type Evidence, evidenceOf, newestEvidence } from './pictures/evidence.ts';
import { checkFrameUrl } from './pictures/frame-url.ts';
import { type LastOffer, lastOffer, lastShown } from './pictures/last-offer.ts';
import { offerPicture } from './pictures/offer-picture.ts';
import { pictureTables } from './pictures/tables.ts';
import type { OfferedPicture } from './pictures/upload-log.ts';
import type { Clock } from './runtime/clock.ts';
import { type Database, type Migration, worksAtOnce } from './runtime/database.ts';
import { type DurableFolder, openDurableFolder } from './runtime/durable-folder.ts';
import type { Logger } from './runtime/logger.ts';
import type { Meter } from './runtime/meter.ts';
import type { Random } from './runtime/random.ts';

/** The gateway's tables. */
export const gatewayTables: readonly Migration[] = [
  frameTables,
  ...pictureTables,
  commandTables,
  ...presenceTables,
  firmwareTables,
  settingTables,
  updateWindowTables,
];

/** What the gateway is handed. Ports of 0 take a free one. */
export interface GatewayEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly meter?: Meter | undefined;
  readonly dataFolder: string;
  readonly listen: { readonly host: string; readonly tlsPort: number; readonly plainPort: number };
  /** Names and addresses the broker's certificate stands for. */
  readonly serverNames: readonly string[];
  /** Something was recorded that may be evidence: the delivery line should look. */
  readonly reported: (serial: string) => void;
  /** A frame of no known kind named its panel, which is its kind from now on; in the transaction that records it. */
  readonly kindNamed?: KindNamed;
  /** Dialects besides those that come through the broker. */
  readonly polledDialects?: readonly PolledDialect[];
  /** What this gateway has in common with others over the same database; alone when absent. */
  readonly nodes?: Nodes;
  /** Where pictures and firmware images lie: below the data folder unless handed in. */
  readonly openFolder?: (name: 'pictures' | 'firmware') => Promise<DurableFolder>;
  /** How frames come in: through the embedded broker unless another way is handed in. */
  readonly openBroker?: (edges: BrokerEdges) => Promise<FrameBroker>;
}

/** Where frames find the service; known once HTTP listens. */
export interface FrameAddresses {
  readonly frameUrl: string;
  readonly publicUrl: string;
}

export type Gateway = Awaited<ReturnType<typeof createGateway>>;

/** Composes the gateway. Nothing listens until `start`. */
export async function createGateway(edges: GatewayEdges) {
  const { db, clock, random, logger } = edges;
  const paths = { pictures: picturesFolder(edges.dataFolder), firmware: firmwareFolder(edges.dataFolder) };
  const openFolder = edges.openFolder ?? ((name) => openDurableFolder(paths[name]));
  const pictures = await openFolder('pictures');
  let addresses: FrameAddresses = { frameUrl: '', publicUrl: '' };
  let broker: FrameBroker | undefined;
  const notes = frameNotes(edges);
  let certificate: ServerCertificate | undefined;
  const whereabouts = (edges.nodes ?? nodesInOneProcess()).join((errand) => runErrand(errand));
  const reach = reachFrames({ whereabouts, broker: () => broker, dialects: () => Object.values(dialects) });
  const watch = watchPresence({ db, clock, random, logger, isConnected: reach.isConnected });

  const commands = openCommands(edges, reach, whereabouts, (dialect) => traitsOf(dialect));
  const runErrand = runErrands({ broker: () => broker, reach, commands, logger });
  const where = { frameUrl: () => addresses.frameUrl, publicUrl: () => addresses.publicUrl };
  const firmware = openFirmware({ ...edges, ...where, images: await openFolder('firmware') });
  const { meter, reported, kindNamed } = edges;
  const common = { db, clock, random, logger, meter, reported, kindNamed };
  const dialectEdges: DialectEdges = { ...common, ...where, commands, firmware: firmware.talk };
  const dialects: Readonly<Record<TopicUse['dialect'], Dialect>> = {
    native: nativeDialect(dialectEdges),
    classic: classicDialect(dialectEdges),
  };
  const polled = edges.polledDialects ?? [];
  const traitsOf = traitsAmong({
    ...Object.fromEntries(polled.map((dialect) => [dialect.name, dialect])),
    ...dialects,
  });

  const misbehaved = (serial: string | undefined, problem: string): void =>
    void (serial && notes.alert(serial, problem));
  const contested = (serial: string, problem: string): void =>
    void notes.keep(serial, recordConflict(db, { serial, problem }, clock.now(), random));
  const admitting = admission({ registry: frameRegistry(db), clock, misbehaved, contested });

  /** B-22: one identity, one session, wherever it was before. */
  function arrived({ serial, session, address }: Conversation): void {
    const before = whereabouts.arrived(serial, { session, address });
    if (before !== undefined) admitting.tookOver(serial, before.address, address);
    notes.note(serial, 'connect', before === undefined ? {} : { takeover: before.here ? 'same node' : 'another node' });
  }

  const beingJudged = downloadsBeingJudged(clock);
  const downloads = pictureDownloads({ ...edges, pictures, traitsOf, beingJudged });
  const admit = (serial: string, password: string) =>
    admitting.admit({ id: serial, conn: undefined, closed: false }, { username: serial, password }, 0);
  const { recorded: downloadsRecorded } = beingJudged;
  const doors = polled.map((dialect) => dialect.open({ ...dialectEdges, admit, downloadsRecorded }));

  async function embeddedBroker(brokerEdges: BrokerEdges): Promise<FrameBroker> {
    const authority = await openAuthority(edges.dataFolder, clock.now());
    certificate = await keepServerCertificate(authority, edges.serverNames, edges);
    const { first: server, renewed } = certificate;
    return startBroker(brokerEdges, { ...edges.listen, server, renewed, root: authority.root });
  }

  return {
    /** Answers frames over HTTP, downloads of pictures and firmware, and polls; false when the request is for somebody else. */
    serve: (request: IncomingMessage, response: ServerResponse): boolean =>
      downloads(request, response) ||
      firmware.serve(request, response) ||
      doors.some((door) => door(request, response)),

    /** Listens for frames. Refuses a download prefix that would break classic frames. */
    async start(known: FrameAddresses): Promise<{ mqtt: string; mqtts: string }> {
      checkFrameUrl(known.frameUrl);
      addresses = known;
      await firmware.start();
      broker = await (edges.openBroker ?? embeddedBroker)({
        logger,
        clock,
        meter: edges.meter,
        admission: admitting,
        messagesAtOnce: worksAtOnce(db),
        awaited: ({ serial }, use) =>
          use.name === dialects[use.dialect].opensWake ? downloadsRecorded(serial) : undefined,
        receive: (conversation, use, payload) => dialects[use.dialect].receive(conversation, use.name, payload),
        connected: arrived,
        left: ({ serial, session }) => whereabouts.left(serial, session),
        disconnected: ({ serial }) => notes.note(serial, 'disconnect', {}),
        misbehaved,
      });
      watch.start();
      const { tls, plain } = broker.ports;
      return { mqtt: `mqtt://127.0.0.1:${plain}`, mqtts: `mqtts://${edges.listen.host}:${tls}` };
    },

    /** The broker while frames can connect: who is there, how much waits, where it listens. */
    broker: (): Pick<FrameBroker, 'load' | 'ports'> | undefined => broker,

    async stop(): Promise<void> {
      certificate?.stop();
      await watch.stop();
      await firmware.stop();
      const stopping = broker;
      broker = undefined;
      await stopping?.stop();
      whereabouts.leave();
      await notes.settled();
    },

    /** Stores a picture file durably; its digest is its name. */
    storePicture: (file: Uint8Array): Promise<string> => pictures.put(file),

    /** Claims a stored picture for an offer that is made at once; false when it has to be stored anew. */
    keepPicture: (sha256: string): Promise<boolean> => pictures.keep(sha256),

    /** What a frame was offered last, if anything. */
    lastOffer: (serial: string): Promise<LastOffer | undefined> => lastOffer(db, pictures, serial),

    /** What a frame shows, among what it was offered since a time; undefined when nothing is known. */
    lastShown: (serial: string, since: number) => lastShown(db, pictures, serial, since),

    /** Writes an offer into the upload log, in the caller's transaction. Call `announce` after the commit. */
    offerPicture: (trx: Database, picture: OfferedPicture) => offerPicture(trx, picture, clock.now(), random),

    /** Tells a frame that is awake right now; one that sleeps learns it at its next wake. */
    announce: reach.announce,

    /** Tells one what was set for it. Call it after the commit of `configure`; what fails waits for the next wake. */
    announceSettings: (serial: string): Promise<void> =>
      reach
        .announceSettings(serial)
        .catch((error: unknown) => logger.error({ frame: serial, error }, 'settings were not told')),

    /** Asks a frame to do something, now or at its next wake. */
    command: commands.command,
    /** Whether a frame is there right now. */
    ping: commands.ping,

    evidence: (uploadId: string, within: Database = db) => evidenceOf(within, traitsOf, uploadId),
    /** What is known of the last picture that a frame was offered, if any. */
    newestEvidence: (serial: string): Promise<Evidence | undefined> => newestEvidence(db, traitsOf, serial),

    /** What is known of a frame, or undefined when it was never provisioned. */
    facts: (serial: string): Promise<FrameFacts | undefined> =>
      factsOfFrame(db, serial, reach.isConnected(serial), clock.now(), firmware.talk.versionFor),

    /** Serials of the frames that are connected right now, by their registry keys. */
    connected: reach.connected,

    /** Makes a provisioned frame somebody's, in the caller's transaction. One that is already stays as it is. */
    activate: (trx: Database, serial: string) => activateFrame(trx, serial, clock.now(), random),

    /** Takes what a person set, in the caller's transaction, and returns whether it is news (C-59, C-60). */
    configure: (trx: Database, serial: string, settings: FrameSettings): Promise<boolean> =>
      wishSleep(trx, serial, settings, clock.now(), random),

    /** Makes it nobody's, in the caller's transaction: a person's wish. What it was to be asked is over too. */
    async release(trx: Database, serial: string): Promise<void> {
      await releaseFrame(trx, serial, clock.now(), random);
      await commands.forget(trx, serial);
    },
  };
}
