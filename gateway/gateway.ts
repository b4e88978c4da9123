/** The frames' side of the service: broker, dialects, pictures and evidence behind one value. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { clampSleepSeconds } from '../firmware-protocol/sleep.ts';
import type { TopicUse } from '../firmware-protocol/topics.ts';
import { openAuthority } from './broker/authority.ts';
import { type FrameBroker, startBroker } from './broker/broker.ts';
import { openCommands } from './commands/open-commands.ts';
import { commandTables } from './commands/tables.ts';
import { classicDialect } from './dialects/classic.ts';
import type { Conversation, Dialect, DialectEdges } from './dialects/dialect.ts';
import { nativeDialect } from './dialects/native.ts';
import { type EventType, recordEvent } from './frames/event-log.ts';
import { type FrameFacts, factsOfFrame } from './frames/frame-facts.ts';
import { recordConflict } from './frames/identity-conflict.ts';
import { presenceTables } from './frames/presence-tables.ts';
import { frameRegistry } from './frames/registry.ts';
import { frameTables } from './frames/tables.ts';
import { watchPresence } from './frames/watch-presence.ts';
import { pictureDownloads } from './pictures/download.ts';
import { type Evidence, evidenceOf } from './pictures/evidence.ts';
import { checkFrameUrl } from './pictures/frame-url.ts';
import { pictureTables } from './pictures/tables.ts';
import { uploadLog } from './pictures/upload-log.ts';
import type { Clock } from './runtime/clock.ts';
import type { Database, Migration } from './runtime/database.ts';
import { type DurableFolder, openDurableFolder } from './runtime/durable-folder.ts';
import type { Logger } from './runtime/logger.ts';
import type { Random } from './runtime/random.ts';

/** The gateway's tables. */
export const gatewayTables: readonly Migration[] = [frameTables, pictureTables, commandTables, presenceTables];

/** What the gateway is handed. Ports of 0 take a free one. */
export interface GatewayEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly dataFolder: string;
  readonly listen: { readonly host: string; readonly tlsPort: number; readonly plainPort: number };
  /** Names and addresses the broker's certificate stands for. */
  readonly serverNames: readonly string[];
  /** Something was recorded that may be evidence: the delivery line should look. */
  readonly reported: (serial: string) => void;
}

/** Where frames find the service; known once HTTP listens. */
export interface FrameAddresses {
  readonly frameUrl: string;
  readonly publicUrl: string;
}

/** A picture to be offered: its file must have been stored before. */
export interface OfferedPicture {
  readonly serial: string;
  readonly revision: string;
  readonly sha256: string;
  readonly bytes: number;
}

export type Gateway = Awaited<ReturnType<typeof createGateway>>;

/** Composes the gateway. Nothing listens until `start`. */
export async function createGateway(edges: GatewayEdges) {
  const { db, clock, random, logger } = edges;
  const registry = frameRegistry(db);
  const pictures: DurableFolder = await openDurableFolder(join(edges.dataFolder, 'pictures'));
  let addresses: FrameAddresses = { frameUrl: '', publicUrl: '' };
  let broker: FrameBroker | undefined;
  const isConnected = (serial: string): boolean => broker?.conversation(serial) !== undefined;
  const watch = watchPresence({ db, clock, random, logger, isConnected });

  const commands = openCommands(
    edges,
    () => broker,
    () => Object.values(dialects),
  );
  const dialectEdges: DialectEdges = {
    db,
    clock,
    random,
    logger,
    frameUrl: () => addresses.frameUrl,
    publicUrl: () => addresses.publicUrl,
    reported: edges.reported,
    commands,
  };
  const dialects: Readonly<Record<TopicUse['dialect'], Dialect>> = {
    native: nativeDialect(dialectEdges),
    classic: classicDialect(dialectEdges),
  };

  /** Notes something about a frame beside its conversation; a note that cannot be kept is no reason to stop. */
  function note(serial: string, type: EventType, payload: Record<string, unknown>): Promise<void> {
    return kept(serial, recordEvent(db, random, { serial, type, at: clock.now(), payload }));
  }

  function kept(serial: string, recorded: Promise<void>): Promise<void> {
    return recorded.catch((error: unknown) => logger.error({ frame: serial, error }, 'event not recorded'));
  }

  return {
    /** Answers a frame's picture download; false when the request is for somebody else. */
    serveDownload: pictureDownloads({ db, clock, random, pictures, logger, reported: edges.reported }) as (
      request: IncomingMessage,
      response: ServerResponse,
    ) => boolean,

    /** Listens for frames. Refuses a download prefix that would break classic frames. */
    async start(where: FrameAddresses): Promise<{ mqtt: string; mqtts: string }> {
      checkFrameUrl(where.frameUrl);
      addresses = where;
      const authority = await openAuthority(edges.dataFolder, clock.now());
      const { host, tlsPort, plainPort } = edges.listen;
      broker = await startBroker(
        {
          registry,
          logger,
          clock,
          receive: (conversation, use, payload) => dialects[use.dialect].receive(conversation, use.name, payload),
          connected: (conversation: Conversation) => note(conversation.serial, 'connect', {}),
          disconnected: (conversation: Conversation) => note(conversation.serial, 'disconnect', {}),
          misbehaved: (serial, problem) => void (serial && note(serial, 'alert', { problem })),
          contested: (serial, problem) =>
            void kept(serial, recordConflict(db, { serial, problem }, clock.now(), random)),
        },
        {
          host,
          tlsPort,
          plainPort,
          server: await authority.server(edges.serverNames, clock.now()),
          root: authority.root,
        },
      );
      watch.start();
      const { tls, plain } = broker.ports;
      return { mqtt: `mqtt://127.0.0.1:${plain}`, mqtts: `mqtts://${host}:${tls}` };
    },

    /** Whether frames can connect. */
    health: (): 'ok' | 'down' => (broker === undefined ? 'down' : 'ok'),

    async stop(): Promise<void> {
      await watch.stop();
      await broker?.stop();
    },

    /** Stores a picture file durably; its digest is its name. */
    storePicture: (file: Uint8Array): Promise<string> => pictures.put(file),

    /**
     * Writes an offer into the upload log, inside the caller's transaction, so that what was checked for it still holds
     * when it exists (INV-30). Call `announce` after the commit.
     */
    async offerPicture(trx: Database, picture: OfferedPicture): Promise<string> {
      const upload = await uploadLog(trx).offer(picture, clock.now(), random);
      await recordEvent(trx, random, {
        serial: picture.serial,
        type: 'picture',
        at: clock.now(),
        payload: {
          stage: 'offered',
          uploadId: upload.id,
          fileVersion: upload.file_version,
          revision: picture.revision,
        },
      });
      return upload.id;
    },

    /** Tells a frame that is awake right now; one that sleeps learns it at its next wake. */
    async announce(serial: string): Promise<void> {
      const conversation = broker?.conversation(serial);
      if (broker === undefined || conversation === undefined) return;
      const messages = await Promise.all(
        Object.values(dialects).map((dialect) => dialect.pictureOffered(conversation)),
      );
      broker.send(serial, messages.flat());
    },

    /** Asks a frame to do something, now or at its next wake. */
    command: commands.command,
    /** Whether a frame is there right now. */
    ping: commands.ping,

    evidence: (uploadId: string): Promise<Evidence | undefined> => evidenceOf(db, uploadId),

    /** What is known of a frame, or undefined when it was never provisioned. */
    facts: (serial: string): Promise<FrameFacts | undefined> =>
      factsOfFrame(db, serial, isConnected(serial), clock.now()),

    /** Makes a provisioned frame somebody's, in the caller's transaction. One that is already stays as it is. */
    async activate(trx: Database, serial: string): Promise<'unknown' | 'activated'> {
      const frame = await frameRegistry(trx).find(serial);
      if (frame === undefined) return 'unknown';
      if (frame.activation === 'activated') return 'activated';
      await frameRegistry(trx).setActivation(serial, 'activated', clock.now());
      await recordEvent(trx, random, { serial, type: 'activate', at: clock.now(), payload: { stage: 'registered' } });
      return 'activated';
    },

    /** Takes the sleep a person set, in the caller's transaction; text or number of seconds (C-60). */
    async configure(trx: Database, serial: string, settings: { readonly sleepTime: unknown }): Promise<void> {
      const sleepSeconds = clampSleepSeconds(settings.sleepTime);
      await frameRegistry(trx).change(serial, { sleep_seconds: sleepSeconds }, clock.now());
      await recordEvent(trx, random, { serial, type: 'settings', at: clock.now(), payload: { sleepSeconds } });
    },

    /** Makes it nobody's: a person's wish, which tells a classic frame `not_started` at its next wake (W-17). */
    async release(trx: Database, serial: string): Promise<void> {
      await frameRegistry(trx).setActivation(serial, 'released', clock.now());
      await commands.forget(trx, serial);
      await recordEvent(trx, random, { serial, type: 'activate', at: clock.now(), payload: { stage: 'released' } });
    },
  };
}
