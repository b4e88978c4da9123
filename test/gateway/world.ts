/** The real gateway on a temporary folder: real broker, real SQLite, a real HTTP server for the pictures. */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { alone } from '../../cluster/alone.ts';
import { nodesInOneProcess } from '../../cluster/in-one-process.ts';
import type { Nodes } from '../../cluster/session-registry.ts';
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import type { PolledDialect } from '../../gateway/dialects/dialect.ts';
import type { NamedKind } from '../../gateway/frames/frame-kinds.ts';
import { createGateway, type Gateway, gatewayTables } from '../../gateway/gateway.ts';
import type { Evidence } from '../../gateway/pictures/evidence.ts';
import { type ProvisionedFrame, provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import { wordedFacts } from '../../reasons/words.ts';
import { type Clock, systemClock, type Timer } from '../../runtime/clock.ts';
import { type Database, openDatabase, transact } from '../../runtime/database/database.ts';
import { type Logger, silentLogger } from '../../runtime/logger.ts';
import { systemRandom } from '../../runtime/random.ts';
import { ownDatabase } from '../database.ts';

/** Bytes of a picture file: 7-inch and 13-inch. */
export const epd7Bytes = 192_004;
export const epd13Bytes = 960_004;

/** A frame's event as it was written down. */
interface RecordedEvent {
  readonly type: string;
  readonly payload: Record<string, unknown>;
}

export interface GatewayWorld {
  readonly gateway: Gateway;
  readonly db: Database;
  /** The gateway's clock. Real timers stay real. */
  readonly clock: Clock & {
    passes(ms: number): void;
    /** Stands still from now on, however long a busy machine takes; `passes` still counts. */
    stops(): void;
    /** Passes, and what was to happen meanwhile by the clock happens now. */
    elapses(ms: number): void;
    /** Whether something waits for the clock that was to wait this long: what works by the clock is done when it does. */
    isArmed(delayMs: number): boolean;
  };
  readonly dataFolder: string;
  /** Prefix of download addresses. */
  readonly url: string;
  readonly ports: { readonly plain: number; readonly tls: number };
  /** Serials of which something was reported, in order. */
  readonly reported: readonly string[];
  /** Frames whose kind became another at a wake, in order. */
  readonly named: readonly NamedKind[];
  /** Requests the HTTP server saw, as `GET /f/...`. */
  readonly requests: readonly string[];
  provision(serial: string, more?: { withPassword?: boolean; kind?: string }): Promise<ProvisionedFrame>;
  activate(serial: string): Promise<void>;
  release(serial: string): Promise<void>;
  revoke(serial: string): Promise<void>;
  /** Stores and offers a picture whose content is its revision's; announces it if the frame is awake. */
  offer(serial: string, revision: string, bytes?: number): Promise<string>;
  path(uploadId: string): Promise<string>;
  evidence(uploadId: string): Promise<Evidence>;
  /** Returns what evidence lacks to prove that the upload is shown; empty when it is complete. */
  lacks(uploadId: string): Promise<string[]>;
  events(serial: string, type?: string): Promise<RecordedEvent[]>;
  /** The warnings in the log so far. */
  readonly warnings: readonly { readonly fields: Record<string, unknown>; readonly message: string }[];
  /** The lines of level information in the log so far. */
  readonly remarks: GatewayWorld['warnings'];
  /** Cuts every download connection from the service's side. */
  endDownloads(): void;
  /** Resolves when no download is under way and what they left to record is recorded. */
  downloadsSettled(): Promise<void>;
  /** Stops the gateway and the database and starts both again on the same folder. */
  restart(): Promise<void>;
  /** The same world seen from another gateway over the same database. Pictures are fetched from the first. */
  anotherNode(): Promise<GatewayWorld>;
}

/** How a world is set up: where TLS listens, which dialects come by doors of their own, what its nodes have in common. */
interface Setting {
  readonly host?: string;
  readonly polledDialects?: readonly PolledDialect[];
  readonly nodes?: Nodes;
  /** Whether a picture for a frame is being made; none is when absent. */
  readonly isBeingMade?: (serial: string) => boolean;
}

/** The file offered for a revision. */
export function pictureFile(revision: string, bytes = epd7Bytes): Buffer {
  const pattern = createHash('sha256').update(revision).digest();
  return Buffer.alloc(bytes, Buffer.concat([Buffer.from([1, 2, 3, 4]), pattern]));
}

/** Polls until something holds; fails with the sentence when it does not within `timeoutMs`. */
export async function until(holds: () => unknown, sentence: string, timeoutMs = 60_000): Promise<void> {
  // Looks are counted: on a busy machine each takes longer.
  for (let looks = timeoutMs / 3; !(await holds()); looks--) {
    if (looks < 0) throw new Error(`never came true: ${sentence}`);
    await pause(3);
  }
}

interface Running {
  readonly db: Database;
  readonly gateway: Gateway;
  readonly ports: { readonly plain: number; readonly tls: number };
}

/** Opens a world, runs the test inside, and closes everything however it ends. */
export async function withGateway(
  run: (world: GatewayWorld) => Promise<void>,
  { host = '127.0.0.1', polledDialects = [], nodes = nodesInOneProcess(), isBeingMade = () => false }: Setting = {},
): Promise<void> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'papergate-gateway-'));
  let shiftMs = 0;
  let stoppedAt: number | undefined;
  const alarms = new Set<{ readonly at: number; readonly delayMs: number; ring: () => void }>();
  const clock = {
    now: () => (stoppedAt ?? Date.now()) + shiftMs,
    after(delayMs: number, ring: () => void): Timer {
      const alarm = { at: clock.now() + delayMs, delayMs, ring: () => {} };
      const timer = systemClock.after(delayMs, () => alarm.ring());
      const cancel = () => {
        alarms.delete(alarm);
        timer.cancel();
      };
      alarm.ring = () => {
        cancel();
        ring();
      };
      alarms.add(alarm);
      return { cancel };
    },
    passes: (ms: number) => {
      shiftMs += ms;
    },
    stops: () => {
      stoppedAt ??= Date.now();
    },
    elapses(ms: number) {
      shiftMs += ms;
      for (const alarm of [...alarms]) if (alarm.at <= clock.now()) alarm.ring();
    },
    isArmed: (delayMs: number) => [...alarms].some((alarm) => alarm.delayMs === delayMs),
  };
  const reported: string[] = [];
  const warnings: { readonly fields: Record<string, unknown>; readonly message: string }[] = [];
  const warn: Logger['warn'] = (fields, message) => void warnings.push({ fields, message });
  const remarks: typeof warnings = [];
  const info: Logger['info'] = (fields, message) => void remarks.push({ fields, message });
  const logger = { ...silentLogger, warn, info };
  const named: NamedKind[] = [];
  const http = await listenHttp((request, response) => running.gateway.serve(request, response));
  const rows = await ownDatabase(join(dataFolder, 'papergate.sqlite'), gatewayTables);
  const others: Running[] = [];
  let running = await start();

  async function start(): Promise<Running> {
    return startNode(await openDatabase(rows.address, gatewayTables));
  }

  async function startNode(db: Database): Promise<Running> {
    const gateway = await createGateway({
      db,
      clock,
      random: systemRandom(clock),
      logger,
      dataFolder,
      listen: { host, tlsPort: 0, plainPort: 0 },
      serverNames: [host],
      reported: (serial) => void reported.push(serial),
      isBeingMade,
      kindNamed: async (_trx, change) => void named.push(change),
      polledDialects,
      cluster: { ...alone, sessions: nodes },
      // Every call comes from this machine: a header says from where it is to come.
      addressOf: ({ headers }) => [headers['x-test-from']].flat()[0],
    });
    const { mqtt, mqtts } = await gateway.start({ frameUrl: http.url, publicUrl: http.url });
    return { db, gateway, ports: { plain: Number(new URL(mqtt).port), tls: Number(new URL(mqtts).port) } };
  }

  async function stop(): Promise<void> {
    for (const { gateway } of others.splice(0)) await gateway.stop();
    await running.gateway.stop();
    await running.db.destroy();
  }

  const parts = { clock, http, reported, warnings, remarks, named, dataFolder };
  const worldOf = (node: () => Running): GatewayWorld => ({
    ...compose(node, parts),
    // Getters, since a restart brings new ones.
    get gateway() {
      return node().gateway;
    },
    get db() {
      return node().db;
    },
    get ports() {
      return node().ports;
    },
    async restart() {
      await stop();
      running = await start();
    },
    async anotherNode() {
      const other = await startNode(running.db);
      others.push(other);
      return worldOf(() => other);
    },
  });
  try {
    await run(worldOf(() => running));
  } finally {
    await http.stop();
    await stop();
    await rows.drop();
    await rm(dataFolder, { recursive: true });
  }
}

type Inner = Omit<GatewayWorld, 'gateway' | 'db' | 'ports' | 'restart' | 'anotherNode'>;

function compose(
  running: () => Running,
  parts: Pick<GatewayWorld, 'clock' | 'reported' | 'warnings' | 'remarks' | 'named' | 'dataFolder'> & {
    readonly http: PictureServer;
  },
): Inner {
  const { clock, http, reported, warnings, remarks, named, dataFolder } = parts;
  const gateway = (): Gateway => running().gateway;
  const db = (): Database => running().db;
  const evidence = async (uploadId: string): Promise<Evidence> => {
    const known = await gateway().evidence(uploadId);
    if (known === undefined) throw new Error(`no upload ${uploadId}`);
    return known;
  };
  return {
    clock,
    dataFolder,
    url: http.url,
    reported,
    warnings,
    remarks,
    named,
    requests: http.requests,
    provision: (serial, more = {}) =>
      provisionFrame({ db: db(), clock, random: systemRandom(clock), dataFolder }, { serial, ...more }),
    activate: async (serial) => void (await transact(db(), (trx) => gateway().activate(trx, serial))),
    release: (serial) => transact(db(), (trx) => gateway().release(trx, serial)),
    async revoke(serial) {
      await db()('frame_certificates').where({ serial: serial.toLowerCase() }).update({ revoked_at: clock.now() });
    },
    async offer(serial, revision, bytes) {
      const file = pictureFile(revision, bytes);
      const sha256 = await gateway().storePicture(file);
      const kind = (await db()('frames').where({ serial: serial.toLowerCase() }).first('kind'))?.kind;
      const panel = panelOfKind(kind);
      const looks = { format: panel?.packing ?? ('nibble' as const), panel: panel?.name ?? kind };
      const offered = { serial, revision, sha256, bytes: file.length, ...looks };
      const id = await transact(db(), (trx) => gateway().offerPicture(trx, offered));
      await gateway().announce(serial);
      return id;
    },
    path: async (uploadId) => String((await db()('uploads').where({ id: uploadId }).first('path'))?.path),
    evidence,
    lacks: async (uploadId) => lacking(await evidence(uploadId)),
    async events(serial, type) {
      // What is being noted beside a conversation is in the queue of commits already.
      await transact(db(), async () => {});
      const where = { serial: serial.toLowerCase(), ...(type === undefined ? {} : { type }) };
      const rows: { type: string; payload: string }[] = await db()('frame_events').where(where).orderBy('at');
      return rows.map((row) => ({ type: row.type, payload: wordedFacts(JSON.parse(row.payload)) }));
    },
    endDownloads() {
      for (const socket of http.sockets) socket.destroy();
    },
    async downloadsSettled() {
      await until(() => http.sockets.size === 0, 'every download connection is closed');
      const { pool }: { pool: { numUsed(): number; numPendingAcquires(): number } } = db().client;
      await turn();
      // SQLite's works are committed in order: what a closed download left to write stands before this one.
      await transact(db(), async () => {});
      await until(() => pool.numUsed() + pool.numPendingAcquires() === 0, 'nothing is being written');
    },
  };
}

/** The conditions of a proven delivery, in the order they come true. */
function lacking(known: Evidence): string[] {
  const { announcedAt, fetchedAt } = known;
  const reportedAt = Math.max(known.shownAt ?? 0, known.confirmedAt ?? 0);
  const conditions: readonly [string, boolean][] = [
    ['announced', announcedAt !== null && announcedAt >= known.offeredAt],
    ['fetched', fetchedAt !== null && announcedAt !== null && fetchedAt >= announcedAt],
    ['shown', fetchedAt !== null && reportedAt >= fetchedAt],
    ['in step', known.pictureSynced === true],
    ['version', known.reportedVersion === known.fileVersion && known.fileVersion > known.previousVersion],
    ['digest', known.digestMatches !== false],
    ['newest', !known.replaced],
  ];
  return conditions.filter(([, holds]) => !holds).map(([name]) => name);
}

interface PictureServer {
  readonly url: string;
  readonly requests: string[];
  readonly sockets: Set<Socket>;
  stop(): Promise<void>;
}

async function listenHttp(serve: (q: IncomingMessage, s: ServerResponse) => boolean): Promise<PictureServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (!serve(request, response)) response.writeHead(404, { connection: 'close' }).end();
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    sockets,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
