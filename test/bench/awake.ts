/**
 * How long a classic frame's radio is on before its picture comes: `node --import tsx test/bench/awake.ts`. From CONNECT
 * over TLS with a client certificate, through SUBSCRIBE and report, to the first byte of the download, against a bare
 * broker that gives the same answer from nothing and a bare HTTP server with the same file, in turns in one process.
 * Each wait that a server adds shows here: 45 ms by Nagle, five seconds when the answer lacks its `url` (W-02).
 * CYCLES (60) may be given.
 */
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo, createServer as createTcpServer, Server } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { Aedes } from 'aedes';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { type LineAddress, openLine } from '../gateway/mqtt-line.ts';
import { getPicture } from '../gateway/picture-get.ts';
import { epd7Bytes, type GatewayWorld, pictureFile, withGateway } from '../gateway/world.ts';

const cycles = Number(process.env.CYCLES ?? 60);
const serial = 'epd7-b0c1d2e3f405';
const things = `$aws/things/${serial}`;

/** Measures how long a frame is awake at least: three exchanges with the broker, one with the store. */
async function awakeMs(address: LineAddress, prefix: string): Promise<number> {
  const beganAt = performance.now();
  const line = await openLine(address);
  await line.login({ clientId: serial, keepalive: 10 });
  await line.subscribe(`${things}/epaper/receive`);
  const report = `{"act": 1,"v": "3.0.21","file": "0","bat": "4870","wake": "3","wifi": "1, -61","usb": "0","orient": "2","timeout": "3600","timeoutPredict": "3600"}`;
  await line.publish(`${things}/activateepaper`, report);
  const answer = await line.message();
  if (typeof answer.url !== 'string') throw new Error(`answered ${JSON.stringify(answer)}`);
  line.send({ cmd: 'disconnect' });
  await getPicture(prefix + answer.url, 'drop body');
  const tookMs = performance.now() - beganAt;
  line.vanish();
  return tookMs;
}

/** Aedes and an HTTP server that know nothing and store nothing. */
async function bare(dataFolder: string, noDelay: boolean): Promise<{ port: number; prefix: string; stop(): void }> {
  const authority = await openAuthority(dataFolder, Date.now());
  const { certificate: cert, key } = await authority.server(['127.0.0.1'], Date.now());
  const aedes = await Aedes.createBroker({
    authorizePublish(client, packet, done) {
      done(null);
      const payload = Buffer.from('{"act":"activated","timeout":3600,"t":1790000000,"url":"/f/abcdefghij"}');
      const topic = `${things}/epaper/receive`;
      if (!packet.topic.endsWith('activateepaper')) return;
      client?.publish({ cmd: 'publish', topic, payload, qos: 0, retain: false, dup: false }, () => {});
    },
  });
  const options = { key, cert, ca: authority.root, requestCert: true, noDelay };
  const broker = createTlsServer(options, (socket: TLSSocket) => void aedes.handle(socket));
  const file = pictureFile('bare');
  const store = createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-length': epd7Bytes }).end(file);
  });
  const [port, storePort] = [await portOf(broker), await portOf(store)];
  const stop = (): void => {
    broker.close();
    store.closeAllConnections();
    store.close();
    aedes.close();
  };
  return { port, prefix: `http://127.0.0.1:${storePort}`, stop };
}

function portOf(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

await withGateway(async (world: GatewayWorld) => {
  const credential = await world.provision(serial);
  await world.activate(serial);
  const [quick, nagled] = [await bare(world.dataFolder, true), await bare(world.dataFolder, false)];
  const took: { readonly own: number[]; readonly bare: number[]; readonly nagled: number[] } = {
    own: [],
    bare: [],
    nagled: [],
  };
  for (let cycle = 0; cycle < cycles; cycle++) {
    world.clock.passes(3_600_000);
    await world.offer(serial, `picture ${cycle}`);
    const via = (port: number): LineAddress => ({ port, root: credential.root, credential });
    took.own.push(await awakeMs(via(world.ports.tls), world.url));
    took.bare.push(await awakeMs(via(quick.port), quick.prefix));
    if (cycle < 10) took.nagled.push(await awakeMs(via(nagled.port), nagled.prefix));
    await world.downloadsSettled();
  }
  quick.stop();
  nagled.stop();
  const [own, peer, slow] = [median(took.own), median(took.bare), median(took.nagled)];
  console.log(`CONNECT to the first byte: ours ${own.toFixed(1)} ms, bare ${peer.toFixed(1)} ms`);
  console.log(`ratio ${(own / peer).toFixed(2)}, ${(own - peer).toFixed(1)} ms for login, rules and durable rows`);
  console.log(`bare without noDelay: ${slow.toFixed(1)} ms`);
});
