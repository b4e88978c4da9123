/** A gateway without sockets or files, over a database in memory that begins each run as the one before began. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type Sqlite from 'better-sqlite3';
import { alone } from '../../../cluster/alone.ts';
import { nodesInOneProcess } from '../../../cluster/in-one-process.ts';
import type { BrokerDeps, FrameBroker } from '../../../gateway/broker/broker.ts';
import { frameRegistry } from '../../../gateway/frames/registry.ts';
import { createGateway, type Gateway, gatewayTables } from '../../../gateway/gateway.ts';
import { type Database, openDatabase, transact } from '../../../runtime/database/database.ts';
import { sha256Of } from '../../../runtime/digest.ts';
import type { DurableFolder } from '../../../runtime/disk/durable-folder.ts';
import { silentLogger } from '../../../runtime/logger.ts';
import { drawsOf } from '../draws.ts';
import { frozenRows } from './frozen-rows.ts';

/** The frames that hang here, by their dialect. */
export const serials = {
  native: 'epd7-b0c1d2e3f405',
  classic: 'epd7-0011223344ff',
  trmnl: 'trmnl-aabbcc001122',
  plain: 'plain-hall',
  offline: 'epd7-a0b1c2d3e4f5',
} as const;

/** The key that every frame here has. */
export const frameKey = 'a-key-of-frames-that-nobody-guesses';
const begin = Date.UTC(2026, 10, 28, 10, 20, 30);

/** A gateway, and what it wrote. */
export interface FrameWorld {
  readonly gateway: Gateway;
  readonly broker: BrokerDeps;
  /** The errors that were logged in this run. */
  readonly errors: readonly unknown[];
  passes(ms: number): void;
  /** Returns what is wrong with a row that was written; undefined where nothing is. */
  wrongRow(): string | undefined;
  /** Begins a run: all rows are as they were at first. */
  begin(): void;
  close(): Promise<void>;
}

const memoryFolder = (): DurableFolder => {
  const files = new Map<string, Buffer>();
  return {
    async put(bytes) {
      const name = await sha256Of(bytes);
      files.set(name, Buffer.from(bytes));
      return name;
    },
    get: async (name) => files.get(name),
    keep: async (name) => files.has(name),
  };
};

const noBroker: FrameBroker = {
  send: () => false,
  conversation: () => undefined,
  end() {},
  ports: { tls: 1, plain: 2 },
  load: () => ({ connected: 0, waiting: 0 }),
  drain: async () => {},
  stop: async () => {},
};

/** Opens it. */
export async function openFrameWorld(): Promise<FrameWorld> {
  let [now, ids, runs] = [begin, 0, 0];
  const draws = drawsOf('frames');
  const clock = { now: () => now, after: () => ({ cancel() {} }) };
  const random = {
    id: () =>
      `${Math.floor(now / 1_000)
        .toString(16)
        .padStart(8, '0')}${(ids++).toString(16).padStart(16, '0')}`,
    secret: (bytes: number) => Buffer.alloc(bytes, String(ids++)).toString('base64url'),
    jitter: () => draws.below(1_000) / 1_000,
  };
  let errors: unknown[] = [];
  const logger = {
    ...silentLogger,
    error: (fields: Record<string, unknown>, said: string) =>
      void errors.push(fields.error ?? new Error(`${said}: ${JSON.stringify(fields)}`)),
  };
  const db = await openDatabase({ file: ':memory:' }, gatewayTables);
  let broker: BrokerDeps | undefined;
  const gateway = await createGateway({
    db,
    clock,
    random,
    logger,
    dataFolder: '/nowhere',
    listen: { host: '127.0.0.1', tlsPort: 0, plainPort: 0 },
    serverNames: ['127.0.0.1'],
    reported: () => {},
    kindNamed: async () => {},
    cluster: { ...alone, sessions: nodesInOneProcess() },
    openFolder: async () => memoryFolder(),
    openBroker: async (deps) => {
      broker = deps;
      return noBroker;
    },
  });
  await gateway.start({ frameUrl: 'http://127.0.0.1', publicUrl: 'http://127.0.0.1' });
  if (broker === undefined) throw new Error('no broker was opened');
  for (const serial of Object.values(serials)) {
    await hang(db, gateway, serial, serial.startsWith('epd7') ? 'epd7' : 'mono-800x480');
  }
  const connection = (await db.client.acquireConnection()) as Sqlite.Database;
  await db.client.releaseConnection(connection);
  const rows = frozenRows(connection);
  const firstId = ids;
  return {
    gateway,
    broker,
    get errors() {
      return errors;
    },
    passes(ms) {
      now += ms;
    },
    wrongRow: rows.wrong,
    begin() {
      rows.restore();
      errors = [];
      ids = firstId;
      // What is counted by the minute has been forgotten by the time when the same minute comes again.
      now = begin + (runs++ % 30) * 120_000;
    },
    async close() {
      await gateway.stop();
      await db.destroy();
    },
  };
}

/** Hangs a frame with the key, and offers it a picture. */
async function hang(db: Database, gateway: Gateway, serial: string, kind: string): Promise<void> {
  await frameRegistry(db).provision(serial, kind, begin);
  await frameRegistry(db).setPassword(serial, frameKey, begin);
  await transact(db, (trx) => gateway.activate(trx, serial));
  const sha256 = await gateway.storePicture(Buffer.alloc(48_000, serial));
  const format = kind === 'epd7' ? 'nibble' : 'png';
  const offered = { serial, revision: 'one', sha256, bytes: 48_000, format, panel: kind } as const;
  await transact(db, (trx) => gateway.offerPicture(trx, offered));
}

/** Lets a call in, as Node hands it to the gateway, and returns its status and its answer. */
export function callGateway(
  gateway: Gateway,
  method: string,
  url: string,
  text: string,
): Promise<{ status: number; body: string }> {
  const at = text.search(/\n\n/);
  const [head, body] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 2)];
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method, url, complete: true });
  for (const line of head.split('\n')) {
    const [, name, value] = /^([\w-]{1,60}):(.*)$/s.exec(line) ?? [];
    // What Node's own parser refuses never comes here.
    if (name !== undefined && value !== undefined && !/[^\t\x20-\x7e\x80-\xff]/.test(value))
      request.headers[name.toLowerCase()] = value.trim();
  }
  request.push(Buffer.from(body, 'latin1'));
  request.push(null);
  const response = new ServerResponse(request);
  const parts: Buffer[] = [];
  return new Promise((resolve) => {
    response.write = (part: unknown, ...more: unknown[]) => {
      parts.push(Buffer.from(part as string));
      for (const one of more) if (typeof one === 'function') setImmediate(one as () => void);
      return true;
    };
    response.end = (part: unknown) => {
      if (typeof part === 'string' || part instanceof Uint8Array) parts.push(Buffer.from(part));
      resolve({ status: response.statusCode, body: Buffer.concat(parts).toString('latin1') });
      return response;
    };
    // A call that failed is not answered: the error is in the log.
    request.socket.once('close', () => resolve({ status: 0, body: '' }));
    Object.defineProperty(response, 'socket', { value: request.socket });
    if (!gateway.serve(request, response)) resolve({ status: 404, body: '' });
  });
}
