/**
 * The cost of the devices' rows among 100,000 devices with frames, `node --import tsx test/bench/devices.ts`:
 * 1. listing 50 with their status, filtered and sorted, against the bare indexed query by the bare driver on the same
 * file
 * (at most 3 times); the cost of HTTP with its credentials is printed next to it;
 * 2. memory while all 100,000 are listed in one answer, against a thousand, and how long others wait meanwhile;
 * 3. reading one device, against a bare Koa route with the same JSON (at least 0.5 of its rate). Rounds alternate and
 * medians are compared. DEVICES (100000) and ROUNDS (15) may be given.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Pool } from 'undici';
import type { Principal } from '../../api/access/principal.ts';
import { sortableColumns, visibleDevices } from '../../api/devices/list-devices.ts';
import { likePattern, orderOf } from '../../api/http/list-query.ts';
import { deviceListed, listDevice } from '../../api/routes/devices/show-device.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { openDatabase } from '../../runtime/database/database.ts';

const count = Number(process.env.DEVICES ?? 100_000);
const rounds = Number(process.env.ROUNDS ?? 15);
const folder = mkdtempSync(join(tmpdir(), 'papergate-devices-'));
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] as number;
const problems: string[] = [];
const judge = (holds: boolean, what: string): void => void (holds || problems.push(what));

async function start<Ready>(...args: string[]) {
  const child = fork(join(import.meta.dirname, 'devices-server.ts'), args, { execArgv: ['--import', 'tsx'] });
  const answer = <Message>(): Promise<Message> =>
    new Promise((resolve, reject) => {
      child.once('message', (message) => resolve(message as Message));
      child.once('exit', (code) => reject(new Error(`a server ended with ${code}`)));
    });
  const ready = await answer<Ready & { port: number }>();
  const memory = (): Promise<{ highest: number; now: number }> => {
    const told = answer<{ highest: number; now: number }>();
    child.send('memory');
    return told;
  };
  return { ...ready, child, memory, pool: new Pool(`http://127.0.0.1:${ready.port}`, { connections: 16 }) };
}

type Served = Awaited<ReturnType<typeof start<{ key: string; organization: string; device: string }>>>;

async function get({ pool, key }: Pick<Served, 'pool' | 'key'>, path: string): Promise<string> {
  const answer = await pool.request({ path, method: 'GET', headers: { 'x-api-key': key } });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
  return text;
}

async function timed(work: () => unknown, times: number): Promise<number> {
  const from = performance.now();
  for (let time = 0; time < times; time++) await work();
  return (performance.now() - from) / times;
}

/** Each list with the query that a person would write by hand for it. */
const lists = [
  { name: 'of an organization, by name', query: { sortBy: 'name' }, where: '', order: 'name_order, devices.id' },
  {
    name: 'of one kind, by age, the third page',
    query: { search: 'openpaper', page: '3' },
    where: `and (lower(name) like :search or lower(devices.serial) like :search or lower(devices.kind) like :search)`,
    order: 'devices.created_at, devices.id',
  },
] as const;

async function measureLists(served: Served): Promise<void> {
  const file = join(folder, 'papergate.sqlite');
  const db = await openDatabase({ file }, tables);
  const bare = new Sqlite(file, { readonly: true });
  const { organization } = served;
  const principal: Principal = {
    accountId: '',
    memberships: [{ userId: '', organizationId: organization, role: 'admin', name: '' }],
  };
  for (const { name, query, where, order } of lists) {
    const given: { sortBy?: string; search?: string; page?: string } = query;
    const offset = (Number(given.page ?? 1) - 1) * 50;
    const statement = bare.prepare(
      `select devices.*, frames.last_failure, frames.battery_mv, frames.last_contact_at, frames.asleep_until
       from devices left join frames on frames.serial = devices.serial
       where organization_id = :organization ${where} order by ${order} limit 50 offset ${offset}`,
    );
    const byHand = () => statement.all({ organization, ...(where === '' ? {} : { search: '%openpaper%' }) });
    const pattern = likePattern(given.search);
    const ours = async () => {
      const search = {
        organizationId: organization,
        search: pattern === undefined ? undefined : { text: given.search ?? '', pattern },
        order: orderOf(given.sortBy, sortableColumns),
        limit: 50,
        offset,
      };
      const presence = { connected: [], now: Date.now() };
      for await (const rows of visibleDevices(db, principal, search, presence)) {
        return rows.map((row) =>
          deviceListed.parse(listDevice(row, { status: row.status, isSimulated: row.is_simulated === 1 })),
        );
      }
      return [];
    };
    const path = `/devices?${new URLSearchParams({ organization, limit: '50', ...given })}`;
    const same = (await ours()).map(({ id }) => id);
    if (JSON.stringify(same) !== JSON.stringify(byHand().map((row) => (row as { id: string }).id))) {
      throw new Error('the two lists differ');
    }
    const took: Record<'bare' | 'ours' | 'http', number[]> = { bare: [], ours: [], http: [] };
    for (let round = 0; round < rounds; round++) {
      took.bare.push(await timed(byHand, 40));
      took.ours.push(await timed(ours, 40));
      took.http.push(await timed(() => get(served, path), 40));
    }
    const [alone, listed, http] = [median(took.bare), median(took.ours), median(took.http)];
    judge(listed / alone <= 3, name);
    console.log(
      `50 ${name}: bare query ${alone.toFixed(2)} ms, listed ${listed.toFixed(2)} ms: ${(listed / alone).toFixed(2)}` +
        ` (at most 3); over HTTP ${http.toFixed(2)} ms: ${(http / alone).toFixed(2)}`,
    );
  }
  bare.close();
  await db.destroy();
}

async function measureMemory(served: Served): Promise<void> {
  const highestWhile = async (limit: number): Promise<number> => {
    await served.memory();
    for (let time = 0; time < 3; time++) {
      const list = await served.pool.request({
        path: `/devices?limit=${limit}&sortBy=name`,
        method: 'GET',
        headers: { 'x-api-key': served.key },
      });
      let bytes = 0;
      for await (const chunk of list.body) bytes += chunk.length;
      if (limit >= count && bytes < count * 200) throw new Error(`the list had ${bytes} bytes`);
    }
    return (await served.memory()).highest / 2 ** 20;
  };
  await highestWhile(count);
  const few = await highestWhile(1000);
  const waits: number[] = [];
  let listing = true;
  const asking = (async () => {
    while (listing) waits.push(await timed(() => get(served, `/devices/${served.device}`), 1));
  })();
  const all = await highestWhile(count);
  listing = false;
  await asking;
  const p99 = waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)] as number;
  judge(all - few <= 150, 'memory');
  judge(p99 <= 500, 'others wait');
  console.log(
    `highest memory: ${few.toFixed(0)} MiB listing 1,000, ${all.toFixed(0)} MiB listing ${count} (T-21: at most 150 more);` +
      ` others wait ${median(waits).toFixed(1)} ms, p99 ${p99.toFixed(0)} ms (at most 500)`,
  );
}

async function measureReads(served: Served): Promise<void> {
  const path = `/devices/${served.device}`;
  const json = join(folder, 'device.json');
  writeFileSync(json, await get(served, path));
  const koa = await start('koa', json);
  const rate = async (pool: Pool): Promise<number> => {
    const endAt = performance.now() + 1000;
    let answered = 0;
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (; performance.now() < endAt; answered++) await get({ pool, key: served.key }, path);
      }),
    );
    return answered;
  };
  const [bare, ours]: [number[], number[]] = [[], []];
  for (const pool of [koa.pool, served.pool]) await rate(pool);
  for (let round = 0; round < rounds; round++) {
    bare.push(await rate(koa.pool));
    ours.push(await rate(served.pool));
  }
  koa.child.kill('SIGKILL');
  const ratio = median(ours) / median(bare);
  judge(ratio >= 0.5, 'one device');
  console.log(
    `one device: ${median(ours)} a second, a bare Koa route ${median(bare)}: ${ratio.toFixed(2)} (at least 0.5)`,
  );
}

const served: Served = await start('papergate', folder, String(count));
try {
  await measureLists(served);
  await measureMemory(served);
  await measureReads(served);
} finally {
  served.child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
}
console.log(problems.length === 0 ? 'within the limits' : `LIMITS BROKEN: ${problems.join(', ')}`);
process.exit(problems.length === 0 ? 0 : 1);
