/**
 * Prints what a connected frame costs while it is idle: `node --import tsx test/bench/idle.ts [frames]`. Resident memory
 * of the gateway's own process after garbage collection, before and after the frames came; bare Aedes in the same run.
 * Limits: 30 KiB each on plain connections, 75 KiB each over TLS with client certificates.
 */
import { join } from 'node:path';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { gatewayTables } from '../../gateway/gateway.ts';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { type Database, openDatabase, transact } from '../../runtime/database/database.ts';
import { crowd } from '../gateway/crowd.ts';
import type { LonePorts } from '../gateway/lone-gateway.ts';
import { startLone } from '../gateway/lone-process.ts';
import { type LineAddress, type MqttLine, openLine } from '../gateway/mqtt-line.ts';
import { withFolder } from '../journeys/world.ts';

const frames = Number(process.argv[2] ?? 5000);
const limitKib = { plain: 30, tls: 75 };
const atOnce = 25;

type Credential = NonNullable<LineAddress['credential']>;

/** A certificate for each frame, issued and registered as provisioning does it, in one transaction. */
async function certify(db: Database, folder: string, serials: readonly string[]): Promise<Map<string, Credential>> {
  const authority = await openAuthority(folder, Date.now());
  const issued = new Map<string, Credential>();
  await transact(db, async (trx) => {
    for (const serial of serials) {
      const credential = await authority.issueFrame(serial, Date.now());
      await frameRegistry(trx).addCertificate(serial, credential, 1);
      issued.set(serial, credential);
    }
  });
  return issued;
}

/** Connects every frame, a few at a time, and leaves them connected. */
async function connectAll(serials: readonly string[], address: (serial: string) => LineAddress): Promise<MqttLine[]> {
  const lines: MqttLine[] = [];
  const left = [...serials];
  async function connectSome(): Promise<void> {
    for (let serial = left.pop(); serial !== undefined; serial = left.pop()) {
      const line = await openLine(address(serial));
      const login = { clientId: serial, username: serial, password: serial, keepalive: 0 };
      const code = await line.login(login);
      const granted = await line.subscribe(`frames/1/${serial}/desired`, `frames/1/${serial}/command`);
      if (code !== 0 || granted === 'closed') throw new Error(`login answered ${code}`);
      lines.push(line);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, connectSome));
  return lines;
}

/** KiB for each frame in a process of its own. */
async function measure(
  module: string,
  folder: string,
  serials: readonly string[],
  address: (ports: LonePorts, serial: string) => LineAddress,
): Promise<number> {
  const broker = await startLone<LonePorts>(join(import.meta.dirname, module), folder);
  try {
    // What the first connections allocate belongs to the process, not to a frame.
    const warm = await connectAll(serials.slice(0, 50), (serial) => address(broker.ready, serial));
    for (const line of warm) line.vanish();
    await Promise.all(warm.map((line) => line.ended()));
    const before = await broker.memoryBytes();
    const lines = await connectAll(serials, (serial) => address(broker.ready, serial));
    const after = await broker.memoryBytes();
    for (const line of lines) line.vanish();
    return (after - before) / serials.length / 1024;
  } finally {
    await broker.end();
  }
}

await withFolder(async (folder) => {
  const db = await openDatabase({ file: join(folder, 'papergate.sqlite') }, gatewayTables);
  const serials = await crowd(db, frames);
  const credentials = await certify(db, folder, serials);
  await db.destroy();
  const { root } = await openAuthority(folder, Date.now());
  let kept = true;
  for (const way of ['plain', 'tls'] as const) {
    const address = (ports: LonePorts, serial: string): LineAddress => {
      const credential = credentials.get(serial);
      return way === 'plain' || credential === undefined
        ? { port: ports.plain }
        : { port: ports.tls, root, credential };
    };
    const ours = await measure('../gateway/lone-gateway.ts', folder, serials, address);
    const bare = await measure('bare-aedes.ts', folder, serials, address);
    kept &&= ours <= limitKib[way];
    console.log(
      `${frames} frames, ${way.padEnd(5)}: ${ours.toFixed(1)} KiB each (limit ${limitKib[way]}),` +
        ` bare Aedes ${bare.toFixed(1)} KiB, ratio ${(ours / bare).toFixed(2)}`,
    );
  }
  console.log(kept ? 'within the limits' : 'LIMITS BROKEN');
  process.exitCode = kept ? 0 : 1;
});
