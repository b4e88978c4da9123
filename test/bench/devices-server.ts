/**
 * The servers of `devices.ts`, in processes of their own: `papergate FOLDER COUNT` is the devices' routes over real tables
 * with so many devices and their frames, `koa FILE` a bare Koa route that answers the JSON in a file.
 */

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Router from '@koa/router';
import Koa from 'koa';
import { ChangesHub } from '../../api/changes/changes-hub.ts';
import { createAuthenticate } from '../../api/directory/authenticate.ts';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { openIssuer } from '../../api/directory/issuer.ts';
import { createKey } from '../../api/directory/keys.ts';
import { tokenVerifier } from '../../api/directory/verify-token.ts';
import { presentFieldError } from '../../api/field-compatible/present-errors.ts';
import { addressSigner } from '../../api/files/sign-address.ts';
import { signedImages } from '../../api/files/signed-images.ts';
import { openBodyRoom } from '../../api/http/body-room.ts';
import { callerAddress } from '../../api/http/caller-address.ts';
import { requestOrigin } from '../../api/http/request-origin.ts';
import { createHttpServer } from '../../api/http/server.ts';
import { deviceRoutes } from '../../api/routes/devices/routes.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { alone } from '../../cluster/alone.ts';
import { factsOfFrame } from '../../gateway/frames/frame-facts.ts';
import { systemClock as clock } from '../../runtime/clock.ts';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import { openDurableFolder } from '../../runtime/disk/durable-folder.ts';
import { orderingText } from '../../runtime/fold-text.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { systemRandom } from '../../runtime/random.ts';
import { playFrames } from '../http/played-frames.ts';

const plentyOfDisk = async () => Number.POSITIVE_INFINITY;
const unlimited = { count: async () => {}, check: async () => {} };
const [kind = 'papergate', where = '.', count = '1000'] = process.argv.slice(2);
const random = systemRandom(clock);

const hex = (kind: string, number: number): string => `${kind}${number.toString(16).padStart(23, '0')}`;

/** Devices with names in no order, every other one of the larger kind; one frame in ten was not heard from in time. */
async function furnish(db: Database, organization: string): Promise<void> {
  const now = clock.now();
  const all = Array.from({ length: Number(count) }, (_, number) => {
    const large = number % 2 === 0;
    const serial = `${large ? 'epd13' : 'epd7'}-${number.toString(16).padStart(12, '0')}`;
    const name = `Room ${(number * 7919) % 99_991}`;
    return { number, serial, name, kind: large ? 'openpaper13' : 'epd7', times: { created_at: now, updated_at: now } };
  });
  await db.transaction(async (trx) => {
    const frames = all.map(({ number, serial, kind, times }) => ({
      serial,
      spelling: serial,
      kind,
      activation: 'activated',
      sleep_seconds: 3600,
      reported_version: 7,
      announced_version: 7,
      picture_synced: 1,
      firmware: '1.2.3',
      battery_mv: 5200,
      last_contact_at: now - 1000,
      asleep_until: number % 10 === 0 ? now - 600_000 : now + 36_000_000,
      ...times,
    }));
    await trx.batchInsert('frames', frames, 500);
    const uploads = all.map(({ number, serial }) => ({
      id: hex('a', number),
      serial,
      revision: 'one',
      path: `/f/${number}`,
      picture_sha256: '',
      picture_bytes: 0,
      file_version: 7,
      previous_version: 6,
      gets: 1,
      offered_at: now - 2000,
      fetched_at: now - 1000,
    }));
    await trx.batchInsert('uploads', uploads, 500);
    const devices = all.map(({ number, serial, name, kind, times }) => ({
      id: hex('d', number),
      organization_id: organization,
      serial,
      kind,
      name,
      name_order: orderingText(name),
      assignment: 1,
      details: '{}',
      meta: JSON.stringify({ name, orientation: 'landscape', sleepTime: '3600' }),
      ...times,
    }));
    await trx.batchInsert('devices', devices, 500);
    const today = Math.floor(now / 86_400_000);
    const days = Array.from({ length: 20 }, (_, ago) => ({
      serial: all[0]?.serial,
      day: today - ago,
      samples: 1,
      min_mv: 5200 + ago,
      sum_mv: 5200 + ago,
    }));
    await trx.batchInsert('battery_days', days, 500);
  });
}

async function papergate(): Promise<[Server, object]> {
  const db = await openDatabase({ file: join(where, 'papergate.sqlite') }, tables);
  const files = await openDurableFolder(join(where, 'files'));
  const admin = { name: 'Ada', email: 'ada@example.org' };
  const made = await createOrganization(
    db,
    { clock, random },
    { name: 'Ward', email: admin.email, kind: 'clinic', admin },
  );
  const key = await createKey(db, { clock, random }, { userId: made.userId, name: 'bench' });
  await furnish(db, made.organizationId);
  const frames = {
    ...playFrames({ db, pictures: files, clock, random, dataFolder: where }),
    connected: () => [],
    status: (serial: string) =>
      factsOfFrame(db, serial, { connected: false, now: clock.now(), firmwareFor: () => null }),
  };
  const issuer = await openIssuer(where, clock);
  const signer = addressSigner({ key: Buffer.alloc(32, 1), clock, baseUrl: () => '' });
  const noPicture = () => Promise.reject(new Error('no pictures here'));
  const routes = deviceRoutes({
    db,
    clock,
    random,
    frames,
    files,
    nudge() {},
    deadlines: { look: async () => {} },
    changes: new ChangesHub({ db, clock, logger: silentLogger, cluster: alone }),
    claims: { most: 20, days: 14 },
    simulated: { most: 0, sealKey: Buffer.alloc(32) },
    missed() {},
    images: signedImages({ signer, files, logger: silentLogger }),
    rendering: { preparePicture: noPicture, renderPage: noPicture },
    normalizeImage: noPicture,
  });
  const server = createHttpServer({
    presentError: presentFieldError,
    routes,
    authenticate: createAuthenticate({
      db,
      clock,
      random,
      verifyToken: tokenVerifier({ issuer, clock }),
    }),
    limitRate: unlimited,
    limitOrganization: unlimited,
    limitMade: unlimited,
    bodies: await openBodyRoom({ folder: join(where, 'bodies'), clock, freeBytes: plentyOfDisk }),
    callerAddress: callerAddress([]),
    requestOrigin: requestOrigin([], undefined),
    clock,
    random,
    logger: silentLogger,
    ready: () => true,
  });
  return [server, { key: key.raw, organization: made.organizationId, device: hex('d', 0) }];
}

function koa(): [Server, object] {
  const json = JSON.parse(readFileSync(where, 'utf8'));
  const router = new Router();
  router.get('/devices/:deviceId', (ctx) => {
    ctx.body = json;
  });
  return [createServer(new Koa().use(router.routes()).callback()), {}];
}

/** Resident memory since it was last asked for: the highest, in bytes. */
let highest = 0;
setInterval(() => {
  highest = Math.max(highest, process.memoryUsage.rss());
}, 5).unref();
process.on('disconnect', () => process.exit());
process.on('message', () => {
  process.send?.({ highest, now: process.memoryUsage.rss() });
  highest = 0;
});

const [server, known] = kind === 'koa' ? koa() : await papergate();
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
process.send?.({ port: (server.address() as AddressInfo).port, ...known });
