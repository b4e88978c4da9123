/** The watch over outages with its real neighbours: rows, channels and the way out, under a clock that the test moves. */
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { type ChannelChoice, type ChannelRow, channelStore } from '../../api/alerts/channels.ts';
import { type Drain, type DrainDeps, drainNotices } from '../../api/alerts/drain-notices.ts';
import type { Mail } from '../../api/alerts/mail.ts';
import type { OutageRow } from '../../api/alerts/outage-kinds.ts';
import { type SendDeps, sendMessage } from '../../api/alerts/send-message.ts';
import { type OutageWatch, watchOutages } from '../../api/alerts/watch-outages.ts';
import { noHomeNetworks } from '../../api/outgoing/home-networks.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { alone } from '../../cluster/alone.ts';
import type { SingleTask } from '../../cluster/cluster.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import { silentLogger } from '../../runtime/logger.ts';
import type { Random } from '../../runtime/random.ts';
import { hereNetwork } from '../callbacks/receiver.ts';
import { ownDatabase } from '../database.ts';
import { type HandClock, handClock, seededRandom } from '../integration/integration-world.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

/** A line that was logged. */
interface Logged {
  readonly level: string;
  readonly text: string;
}

/** A watch with its sending; a second one over the same rows is another node. */
export interface AlertNode {
  readonly watch: OutageWatch;
  readonly drain: Drain;
}

export interface AlertWorld extends AlertNode {
  readonly db: Database;
  readonly clock: HandClock;
  readonly random: Random;
  readonly organizationId: string;
  readonly sealKey: Uint8Array;
  readonly logged: readonly Logged[];
  /** The free bytes that the watch finds, and the end of the broker's certificate. */
  readonly own: { freeBytes: number; certificateEnd: number | undefined };
  readonly setUps: () => number;
  addOrganization(): Promise<string>;
  /** Adds a frame that slept until now. @returns its serial and the id of its device */
  addFrame(name: string, organizationId?: string): Promise<{ readonly serial: string; readonly deviceId: string }>;
  /** Reports what the presence watch found. */
  silent(serial: string, isSilent: boolean): Promise<void>;
  addChannel(choice: Partial<ChannelChoice> & Pick<ChannelChoice, 'kind' | 'target'>, secret?: string): Promise<string>;
  channel(id: string): Promise<ChannelRow>;
  outages(): Promise<OutageRow[]>;
  waiting(): Promise<number>;
  /** Looks, and waits until everything is sent. */
  looks(): Promise<void>;
  /** Looks each minute, for this long. */
  watches(ms: number, stepMs?: number): Promise<void>;
  anotherNode(single?: SingleTask): AlertNode;
}

/** Opens a world, runs the test in it, and closes it whatever happens. */
export async function withAlerts(
  run: (world: AlertWorld) => Promise<void>,
  { mail, at }: { readonly mail?: Mail; readonly at?: number } = {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-alerts-'));
  const rows = await ownDatabase(join(folder, 'papergate.sqlite'), tables);
  const db = await openDatabase(rows.address, tables);
  try {
    const world = await build(db, handClock(at), mail);
    await run(world);
  } finally {
    await db.destroy();
    await rows.drop();
    await rm(folder, { recursive: true });
  }
}

async function build(db: Database, clock: HandClock, mail: Mail | undefined): Promise<AlertWorld> {
  const random = seededRandom('alerts');
  const sealKey = Buffer.alloc(32, 3);
  const logged: Logged[] = [];
  const keep = (level: string) => (fields: object, message: string) =>
    void logged.push({ level, text: `${message} ${JSON.stringify(fields)}` });
  const logger = { ...silentLogger, info: keep('info'), warn: keep('warn'), error: keep('error') };
  // Dialling takes real time.
  const way = openWayOut({ network: hereNetwork, clock: systemClock });
  const sending: SendDeps = {
    clock,
    sealKey,
    wayOut: way,
    operatorsWay: way,
    home: noHomeNetworks,
    allowLoopback: true,
    mail,
  };
  const own: AlertWorld['own'] = { freeBytes: 10 ** 12, certificateEnd: undefined };
  let setUps = 0;
  const anotherNode = (single: SingleTask = alone.single): AlertNode => {
    const deps = { db, clock, random, logger };
    const send: DrainDeps['send'] = (channel, message, stopping) => sendMessage(sending, channel, message, stopping);
    const drain = drainNotices({ ...deps, send, publicUrl: () => 'https://papers.example' });
    const watch = watchOutages({
      ...deps,
      single,
      drain,
      freeBytes: async () => own.freeBytes,
      certificateEnd: async () => own.certificateEnd,
      setUpChannels: async () => void setUps++,
    });
    return { watch, drain };
  };
  const times = () => ({ created_at: clock.now(), updated_at: clock.now() });
  const addOrganization = async (): Promise<string> => {
    const id = random.id();
    await db('organizations').insert({ id, name: 'Home', email: 'home@example.org', meta: '{}', ...times() });
    return id;
  };
  const organizationId = await addOrganization();
  const node = anotherNode();
  const looks = async (): Promise<void> => {
    await node.watch.look();
    await node.drain.idle();
  };
  let frames = 0;
  return {
    ...node,
    db,
    clock,
    random,
    organizationId,
    sealKey,
    logged,
    own,
    setUps: () => setUps,
    addOrganization,
    anotherNode,
    looks,
    async addFrame(name, organization = organizationId) {
      const serial = `epd7-${String(++frames).padStart(12, '0')}`;
      const now = clock.now();
      await db('frames').insert({
        serial,
        spelling: serial,
        kind: 'epd7',
        dialect: 'native',
        activation: 'activated',
        sleep_seconds: 3600,
        reported_version: 0,
        announced_version: 0,
        password_hash: 'x',
        last_contact_at: now - hourMs,
        asleep_until: now,
        ownership: 1,
        ...times(),
      });
      await db('frame_watch').insert({ serial, due_at: null, overdue_since: null, excused: 0, periods: '[]' });
      const deviceId = random.id();
      const device = { id: deviceId, organization_id: organization, serial, kind: 'epd7', name };
      await db('devices').insert({ ...device, assignment: 1, meta: '{}', details: '{}', ...times() });
      return { serial, deviceId };
    },
    async silent(serial, isSilent) {
      await db('frame_watch')
        .where({ serial })
        .update({ overdue_since: isSilent ? clock.now() : null });
    },
    async addChannel(choice, secret) {
      const usual = {
        name: 'Family',
        is_on: 1,
        kinds: null,
        places: null,
        digest: 'immediately',
        quiet_from: null,
        quiet_until: null,
        time_zone: 'Europe/Berlin',
        language: 'en',
        hourly_limit: 12,
      } as const;
      const id = random.id();
      const deps = { clock, random, sealKey };
      await channelStore(db).insert(deps, { id, organizationId }, { ...usual, ...choice }, secret);
      return id;
    },
    channel: async (id) => await db<ChannelRow>('alert_channels').where({ id }).first().then(required),
    outages: () => db<OutageRow>('alert_outages').orderBy('id'),
    waiting: async () => (await db('alert_notices').whereNull('sent_at')).length,
    async watches(ms, stepMs = minuteMs) {
      for (let passed = 0; passed < ms; passed += stepMs) {
        clock.passes(stepMs);
        await looks();
      }
    },
  };
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('there is no such row');
  return value;
}

/** A letter as a mail server took it. */
export interface TakenLetter {
  readonly to: readonly string[];
  readonly text: string;
}

/** Opens a real mail server on loopback, runs the test, and closes it. */
export async function withMailServer(
  options: SMTPServerOptions,
  run: (server: { readonly url: string; readonly letters: readonly TakenLetter[] }) => Promise<void>,
): Promise<void> {
  const letters: TakenLetter[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        letters.push({ to, text: Buffer.concat(chunks).toString() });
        done(null, 'queued as 7');
      });
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  try {
    await run({ url: `smtp://127.0.0.1:${port}`, letters });
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}
