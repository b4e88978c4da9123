/**
 * One server of the wake bench, in a process of its own: `wake-server.ts gateway|aedes FOLDER FRAMES`. `gateway` is the
 * service's own gateway over SQLite; `aedes` the bare broker with an answer to each hello and nothing else: no login,
 * no rules, no guard, no rows. Writes FOLDER/frames.tsv for the load program and prints its ports.
 */

import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes } from 'aedes';
import { alone } from '../../cluster/alone.ts';
import { createGateway, gatewayTables } from '../../gateway/gateway.ts';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import { systemClock } from '../../runtime/clock.ts';
import { openDatabase } from '../../runtime/database/database.ts';
import { processLogger } from '../../runtime/logger.ts';
import { systemRandom } from '../../runtime/random.ts';

const [kind, folder = '', frames = '0'] = process.argv.slice(2);
const clock = systemClock;
const random = systemRandom(clock);
const names = ['localhost', '127.0.0.1'];

const ports = kind === 'gateway' ? await gateway() : await bareAedes();
console.log(JSON.stringify(ports));
process.once('SIGTERM', () => process.exit(0));

/** Frames that show the picture they were offered: what most wakes are. */
async function gateway(): Promise<{ tls: number; plain: number }> {
  await mkdir(folder, { recursive: true });
  const db = await openDatabase({ file: join(folder, 'gateway.sqlite') }, gatewayTables);
  const own = await createGateway({
    db,
    clock,
    random,
    logger: processLogger(process.env.LEVEL ?? 'error'),
    dataFolder: folder,
    listen: { host: '127.0.0.1', tlsPort: 0, plainPort: 0 },
    serverNames: names,
    reported: () => {},
    cluster: alone,
  });
  const sha256 = createHash('sha256').update('picture').digest('hex');
  const lines: string[] = [];
  for (let at = 0; at < Number(frames); at++) {
    const serial = `epd7-${at.toString(16).padStart(12, '0')}`;
    const frame = await provisionFrame({ db, clock, random, dataFolder: folder }, { serial, withPassword: true });
    const files = [join(folder, `${serial}.key`), join(folder, `${serial}.crt`)] as const;
    await writeFile(files[0], frame.key);
    await writeFile(files[1], frame.certificate);
    await own.activate(db, serial);
    const upload = await own.offerPicture(db, {
      serial,
      revision: 'one',
      sha256,
      bytes: 192_000,
      format: 'nibble',
      panel: 'epd7',
    });
    const version = (await own.evidence(upload))?.fileVersion;
    const [announced_at, fetched_at, shown_at] = [clock.now(), clock.now(), clock.now()];
    await db('uploads').where({ id: upload }).update({ announced_at, fetched_at, shown_at });
    const hello = {
      boot: 1,
      firmware: '1.0.0',
      panel: 'epd7',
      fileVersion: version,
      sha256,
      pictureSynced: true,
      batteryMv: 5000,
      rssi: -60,
      wake: 'timer',
      orientation: 0,
      sleepSeconds: 3600,
    };
    lines.push([serial, frame.password, ...files, JSON.stringify(hello)].join('\t'));
  }
  await writeFile(join(folder, 'frames.tsv'), `${lines.join('\n')}\n`);
  const { mqtt, mqtts } = await own.start({ frameUrl: 'http://127.0.0.1:1', publicUrl: 'http://127.0.0.1:1' });
  return { tls: Number(new URL(mqtts).port), plain: Number(new URL(mqtt).port) };
}

async function bareAedes(): Promise<{ tls: number; plain: number }> {
  const authority = await openAuthority(folder, clock.now());
  const { key, certificate } = await authority.server(names, clock.now());
  const payload = await readFile(join(folder, 'desired.json'));
  const aedes = await Aedes.createBroker({
    concurrency: 2000,
    authorizePublish(client, packet, done) {
      done(null);
      if (!packet.topic.endsWith('/hello')) return;
      const topic = packet.topic.replace(/hello$/, 'desired');
      client?.publish({ cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false }, () => {});
    },
  });
  const handle = (socket: Socket): void => {
    aedes.handle(socket);
  };
  const options = { key, cert: certificate, ca: authority.root, requestCert: true, noDelay: true };
  const secure = createTlsServer(options, handle);
  const plain = createServer({ noDelay: true }, handle);
  for (const server of [secure, plain]) await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  const portOf = (server: typeof plain): number => (server.address() as { port: number }).port;
  return { tls: portOf(secure), plain: portOf(plain) };
}
