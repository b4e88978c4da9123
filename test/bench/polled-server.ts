/**
 * The servers of `polled.ts`, in a process of its own: the gateway with adopted frames, and a bare Koa route that answers
 * the same JSON and touches the same rows with one prepared statement each, in one transaction of the same durability.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import Koa from 'koa';
import { registerAdopted } from '../../gateway/adoption/adopt-frame.ts';
import { transact } from '../../runtime/database/database.ts';
import { trmnlFrame } from '../gateway/trmnl-frame.ts';
import { type GatewayWorld, withGateway } from '../gateway/world.ts';

const [, , count = '64'] = process.argv;

/** A frame of the bench, as its client has to know it. */
export interface BenchFrame {
  readonly mac: string;
  readonly key: string;
}

async function hang(world: GatewayWorld, number: number): Promise<BenchFrame> {
  const mac = `AA:BB:CC:00:00:${number.toString(16).padStart(2, '0').toUpperCase()}`;
  const serial = `trmnl-${mac.replaceAll(':', '').toLowerCase()}`;
  const frame = trmnlFrame(world, mac);
  await frame.setup();
  await transact(world.db, (trx) => registerAdopted(trx, world, { serial }));
  await world.activate(serial);
  await frame.setup();
  await world.offer(serial, `picture ${number}`);
  await frame.wake();
  if (frame.key === undefined) throw new Error(`${mac} has no key`);
  return { mac, key: frame.key };
}

/** The tables that a display call touches, with the columns that are read or written in them. */
const tables = `
  create table frames (serial text primary key, row text not null, wake text, contact integer, version integer);
  create table answers (serial text primary key, at integer, rate integer, lately text, upload text, name text, path text);
  create table uploads (serial text primary key, row text not null);
  create table watch (serial text primary key, seen integer, expected integer);
  create table battery (serial text, day integer, mv integer, primary key (serial, day));
  create table events (id integer primary key, serial text not null, at integer not null, payload text not null);`;

function bareKoa(folder: string, frames: readonly BenchFrame[]): Koa {
  const db = new Sqlite(join(folder, 'bare.sqlite'));
  db.pragma('journal_mode=WAL');
  db.pragma('synchronous=FULL');
  db.exec(tables);
  const row = JSON.stringify({ row: 'x'.repeat(400) });
  for (const { mac } of frames) {
    db.prepare('insert into frames values (?, ?, null, 0, 0)').run(mac, row);
    db.prepare('insert into uploads values (?, ?)').run(mac, row);
  }
  const reads = ['frames', 'answers', 'uploads', 'watch'].map((table) =>
    db.prepare(`select * from ${table} where serial = ?`),
  );
  const touch = db.prepare('update frames set wake = ?, contact = ?, version = version + 1 where serial = ?');
  const answer = db.prepare('insert or replace into answers values (?, ?, ?, ?, ?, ?, ?)');
  const watch = db.prepare('insert or replace into watch values (?, ?, ?)');
  const battery = db.prepare('insert or replace into battery values (?, ?, ?)');
  const event = db.prepare('insert into events (serial, at, payload) values (?, ?, ?)');
  const call = db.transaction((mac: string, headers: string) => {
    for (const read of reads) read.get(mac);
    const now = Date.now();
    touch.run('timer', now, mac);
    answer.run(mac, now, 1803, '[1803,1797,1801]', 'upload', 'pgate-abcdef-1790000000', '/f/abcdefgh');
    watch.run(mac, now, now + 1_803_000);
    battery.run(mac, Math.floor(now / 86_400_000), 4050);
    event.run(mac, now, headers);
  });
  return new Koa().use((context) => {
    const mac = String(context.get('id'));
    call(mac, JSON.stringify(context.headers));
    context.body = {
      status: 0,
      image_url: 'http://127.0.0.1:8090/trmnl/f/abcdefghijk',
      filename: 'pgate-abcdef-1790000000',
      refresh_rate: 1803,
    };
  });
}

await withGateway(async (world) => {
  const frames: BenchFrame[] = [];
  for (let number = 0; number < Number(count); number++) frames.push(await hang(world, number));
  const bare = createServer(bareKoa(world.dataFolder, frames).callback());
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
  const { port } = bare.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ ours: world.url, bare: `http://127.0.0.1:${port}`, frames })}\n`);
  await new Promise(() => {});
});
