/** The server of `accept.ts`, in a process of its own: the integration routes over real tables and a real HTTP server. */

import { createServer as createPlainServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { auditedRoutes } from '../../api/audit/audited-routes.ts';
import { createAuthenticate } from '../../api/directory/authenticate.ts';
import { openIssuer } from '../../api/directory/issuer.ts';
import { tokenVerifier } from '../../api/directory/verify-token.ts';
import { presentFieldError } from '../../api/field-compatible/present-errors.ts';
import { openBodyRoom } from '../../api/http/body-room.ts';
import { callerAddress } from '../../api/http/caller-address.ts';
import { requestOrigin } from '../../api/http/request-origin.ts';
import { createHttpServer } from '../../api/http/server.ts';
import { folderPlace } from '../../runtime/archive/archive-place.ts';
import { startArchiver } from '../../runtime/archive/archiver.ts';
import { systemClock } from '../../runtime/clock.ts';
import { transactAlone } from '../../runtime/database/database.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { type Connected, connect, type World, withWorld } from '../integration/integration-world.ts';

const [kind = 'papergate', folder = '.', count = '32'] = process.argv.slice(2);
const plentyOfDisk = async () => Number.POSITIVE_INFINITY;
const unlimited = { count: async () => {}, check: async () => {} };

/** Prints the port and the connections, and serves until it is killed. */
async function serve(): Promise<void> {
  const options = {
    file: join(folder, 'papergate.sqlite'),
    limits: { content: unlimited, organizationContent: unlimited, exchange: unlimited },
  };
  await withWorld(async (world) => {
    const { db, clock, random, routes } = world;
    const person = await world.addPerson('user');
    const connected: Connected[] = [];
    const meta = JSON.parse((await db('papers').first('meta')).meta);
    for (let number = 0; number < Number(count); number++) {
      connected.push(await connect({ ...world, paperId: await world.addPaper(meta) }, person));
    }
    const issuer = await openIssuer(folder, clock);
    const server = createHttpServer({
      presentError: presentFieldError,
      routes: auditedRoutes(routes, { db, clock, random, logger: silentLogger }),
      authenticate: createAuthenticate({
        db,
        clock,
        random,
        verifyToken: tokenVerifier({ issuer, clock }),
      }),
      limitRate: unlimited,
      limitOrganization: unlimited,
      limitMade: unlimited,
      bodies: await openBodyRoom({ folder: join(folder, 'bodies'), clock, freeBytes: plentyOfDisk }),
      callerAddress: callerAddress([]),
      requestOrigin: requestOrigin([], undefined),
      clock,
      random,
      logger: silentLogger,
      ready: () => true,
    });
    if (kind === 'archived') archive(world);
    await listening(server, connected);
    await new Promise(() => {});
  }, options);
}

/** Archives the rows into a folder next to them. */
function archive({ db }: Pick<World, 'db'>): void {
  startArchiver({
    clock: systemClock,
    logger: { debug() {}, info() {}, warn: console.error, error: console.error },
    place: folderPlace(join(folder, 'archive')),
    database: join(folder, 'papergate.sqlite'),
    service: 'bench',
    holder: 'bench',
    key: undefined,
    begun: { isKnown: async () => false, keep: async () => {} },
    days: 7,
    about: { version: '1.0.0', filesIn: 'folder' },
    freeBytes: plentyOfDisk,
    followed: { names: async () => [], read: async () => undefined, keys: async () => ({}) },
    whileNobodyWrites: (act) => transactAlone(db, async () => act()),
    async checkpointsByItself(isOn) {
      await db.raw(`pragma wal_autocheckpoint=${isOn ? 1000 : 0}`);
    },
    tell: async () => {},
  });
}

/** The same answers from nothing at all: what HTTP alone costs here. */
async function serveNothing(): Promise<void> {
  const server = createPlainServer((request, response) => {
    request.resume().once('end', () => response.writeHead(202).end('{}'));
  });
  const connected = Array.from({ length: Number(count) }, () => ({ connectionId: '0', token: '0' }));
  await listening(server, connected);
}

async function listening(server: ReturnType<typeof createPlainServer>, connected: readonly object[]): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port, connected })}\n`);
}

await (kind === 'nothing' ? serveNothing() : serve());
