/** The delivery line with its real neighbours: integration routes, gateway and native dialect over one database. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DeliveryLine, deliveryLine } from '../../api/delivery/delivery-line.ts';
import type { LineDeps } from '../../api/delivery/line-deps.ts';
import type { DeliveryRow } from '../../api/delivery-state/states.ts';
import { revisionOf } from '../../api/devices/shown-item.ts';
import type { RenderedPicture, WantedPicture } from '../../api/drawing/wanted-picture.ts';
import { authorizeWork } from '../../api/integration/authorize.ts';
import { alone } from '../../cluster/alone.ts';
import { encode } from '../../firmware-protocol/codec.ts';
import type { Hello, Report } from '../../firmware-protocol/messages.ts';
import type { Conversation } from '../../gateway/dialects/dialect.ts';
import { nativeDialect } from '../../gateway/dialects/native.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { createGateway, type Gateway } from '../../gateway/gateway.ts';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { type Connected, connect, push, type World, withWorld } from '../integration/integration-world.ts';

/** A native frame that speaks to the dialect directly; its downloads are written into the log as complete. */
interface LineFrame {
  readonly deviceId: string;
  readonly serial: string;
  /** Wakes, fetches what was announced, shows it and reports that. Steps left out stay undone. */
  wakes(does?: { fetches?: boolean; shows?: boolean }): Promise<void>;
  /** Repeats the last report it made. */
  replays(): Promise<void>;
}

export interface LineWorld extends World {
  readonly gateway: Gateway;
  readonly line: DeliveryLine;
  /** The dependencies from which a line of another process over the same rows is made. */
  readonly lineDeps: LineDeps;
  readonly connection: Connected;
  readonly dataFolder: string;
  /** Pictures asked for, in order. `renders.with` decides how the next ones end. */
  readonly renders: { readonly wanted: WantedPicture[]; with: (wanted: WantedPicture) => Promise<RenderedPicture> };
  /** The counts and times, in order: `synced`, `synced after 3 s`. */
  readonly counted: readonly string[];
  addFrame(paperId?: string | null): Promise<LineFrame>;
  assign(frame: LineFrame, paperId: string | null): Promise<void>;
  submit(messageId: string): Promise<string>;
  /** Lets the line work until nothing is under way. */
  settles(): Promise<void>;
  deliveries(requestId: string): Promise<DeliveryRow[]>;
  /** `state` or `frame:state` of every callback of a request, in order. */
  events(requestId: string): Promise<string[]>;
  requestState(requestId: string): Promise<string>;
}

/** Opens the world, runs the test, and closes it. */
export async function withLine(run: (world: LineWorld) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-line-'));
  try {
    await withWorld(async (world) => {
      const built = await build(world, folder);
      built.line.start();
      await built.line.idle();
      try {
        await run(built);
      } finally {
        await built.line.stop();
      }
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function build(world: World, dataFolder: string): Promise<LineWorld> {
  const { db, clock, random } = world;
  const deps = { db, clock, random, logger: silentLogger };
  const gateway = await createGateway({
    ...deps,
    dataFolder,
    listen: { host: '127.0.0.1', tlsPort: 0, plainPort: 0 },
    serverNames: ['localhost'],
    reported: () => {},
    cluster: alone,
  });
  const renders: LineWorld['renders'] = {
    wanted: [],
    with: async ({ shown, panel }) => ({ ok: true, file: Buffer.from(`${revisionOf(shown)} ${panel.name}`) }),
  };
  const counted: string[] = [];
  const lineDeps: LineDeps = {
    ...deps,
    meter: {
      count: (_name, labels) => counted.push(Object.values(labels).join(' ')),
      time: (name, seconds) => counted.push(`${name.split('_')[1]} after ${seconds} s`),
    },
    gateway,
    render: async (wanted) => {
      renders.wanted.push(wanted);
      return renders.with(wanted);
    },
    authorized: async (trx, connectionId, generation) =>
      (await authorizeWork(trx, { connectionId, generation }, world.deps.settings)).ok,
    callbacksOwed: () => {},
    showTimed: async () => null,
    pollRecipe: async () => false,
    cluster: alone,
  };
  const line = deliveryLine(lineDeps);
  const connection = await connect(world, await world.addPerson('user'));
  let frames = 0;
  const settles = async () => {
    line.nudge({ assignments: true });
    await line.idle();
  };
  return {
    ...world,
    gateway,
    line,
    lineDeps,
    dataFolder,
    counted,
    connection,
    renders,
    settles,
    async addFrame(paperId = world.paperId) {
      const serial = `epd7-00000000000${++frames}`;
      await frameRegistry(db).provision(serial, undefined, clock.now());
      await frameRegistry(db).setActivation(serial, 'activated', clock.now());
      const deviceId = random.id();
      await db('devices').insert({
        id: deviceId,
        organization_id: world.organizationId,
        serial,
        kind: 'epd7',
        paper_id: paperId,
        assignment: 1,
        meta: JSON.stringify({ name: `Frame ${frames}` }),
        details: '{}',
        created_at: clock.now(),
        updated_at: clock.now(),
      });
      return lineFrame(world, line, { deviceId, serial });
    },
    async assign(frame, paperId) {
      const assignment = db.raw('assignment + 1');
      await db('devices').where({ id: frame.deviceId }).update({ paper_id: paperId, assignment });
      await settles();
    },
    async submit(messageId) {
      const answer = await push(world, connection, { messageId, text: `text of ${messageId}` });
      if (answer.status !== 202) throw new Error(`not accepted: ${answer.code}`);
      await settles();
      return String(answer.body.requestId);
    },
    deliveries: (requestId) => db<DeliveryRow>('deliveries').where({ request_id: requestId }).orderBy('created_at'),
    async events(requestId) {
      const rows: { body: string }[] = await db('callback_events')
        .where({ request_id: requestId })
        .orderBy('id')
        .select('body');
      return rows.map(({ body }) => {
        const { frameName, state } = JSON.parse(body);
        return frameName === undefined ? state : `${frameName}: ${state}`;
      });
    },
    requestState: async (requestId) => (await db('content_requests').where({ id: requestId }).first('state')).state,
  };
}

function lineFrame(world: World, line: DeliveryLine, identity: { deviceId: string; serial: string }): LineFrame {
  const { db, clock, random } = world;
  const { serial } = identity;
  const dialect = nativeDialect({
    db,
    clock,
    random,
    logger: silentLogger,
    frameUrl: () => 'http://frames.test',
    publicUrl: () => 'http://papers.test',
    commands: { replied: async () => {}, anyWaiting: async () => false, atWake: async () => [] },
    firmware: {
      woke: async () => {},
      versionFor: () => null,
      offerTo: async () => undefined,
      phaseReported: async () => {},
    },
    reported: (reported) => line.nudge({ reported }),
  });
  const conversation: Conversation = {
    serial,
    clientId: serial,
    session: 1,
    address: undefined,
    lastSeenAt: 0,
    awake: false,
    suspect: false,
    epoch: 0,
    answer: undefined,
    logs: 0,
  };
  let boot = 0;
  let glass: { fileVersion: number; sha256?: string } = { fileVersion: 0 };
  let last: Report | undefined;
  const say = (name: 'hello' | 'report', message: Hello | Report) =>
    dialect.receive(
      conversation,
      name,
      name === 'hello' ? encode('hello', message as Hello) : encode('report', message as Report),
    );
  return {
    ...identity,
    async wakes({ fetches = true, shows = true } = {}) {
      clock.passes(1000);
      const [desired] = await say('hello', {
        boot: ++boot,
        firmware: '1.0.0',
        panel: 'epd7',
        wake: 'timer',
        orientation: 2,
        sleepSeconds: 3600,
        ...glass,
        pictureSynced: true,
      });
      const picture = JSON.parse(Buffer.from(desired?.payload ?? '{}').toString()).picture;
      if (picture === undefined) return line.idle();
      clock.passes(1000);
      if (fetches) await uploadLog(db).fetched(picture.upload, picture.fileVersion, clock.now());
      clock.passes(1000);
      if (shows) {
        glass = { fileVersion: picture.fileVersion, sha256: picture.sha256 };
        last = {
          upload: picture.upload,
          stage: 'shown',
          pictureSynced: true,
          fileVersion: picture.fileVersion,
          sha256: picture.sha256,
        };
        await say('report', last);
      }
      return line.idle();
    },
    async replays() {
      if (last === undefined) throw new Error('nothing was reported yet');
      clock.passes(1000);
      await say('report', last);
      await line.idle();
    },
  };
}
