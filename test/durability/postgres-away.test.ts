/**
 * PostgreSQL is away, takes no changes or has no room under a real service process while content is pushed: calls are refused
 * with a sentence and a time to come again, nothing that was acknowledged is lost, and the service goes on by itself.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Integration } from '../../cli/demo/integration.ts';
import { eventually, type Push, withFolder } from '../journeys/world.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../postgres-server.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import type { OptimizeOptions } from './served.ts';
import { connectPaper, type Serving, withProcesses } from './serving.ts';

const postgresAway = suite('PostgreSQL away');
const programs = postgresPrograms();
const unable =
  programs === undefined ? 'the programs of PostgreSQL are not here (apt-get install postgresql)' : undefined;
const test = longTest(unlessUnable(postgresAway, unable));
const testMounted = longTest(unlessUnable(postgresAway, unable ?? mountProblem()));

const backWithinMs = 10_000;
const outageMs = 30_000;

/** The reason why no small disk can be had here. */
function mountProblem(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may mount a small disk';
  const folder = mkdtempSync(join(tmpdir(), 'papergate-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return undefined;
  } catch {
    return 'a small disk cannot be mounted here';
  } finally {
    rmdirSync(folder);
  }
}

interface World {
  readonly server: PostgresServer;
  readonly admin: Knex;
  readonly folder: string;
  readonly integration: Integration;
  serve(options?: OptimizeOptions): Promise<Serving>;
}

/** Opens a server and, within it, the database of a service. `prepare` returns the address of another one than the first. */
async function withWorld(
  run: (world: World) => Promise<void>,
  prepare: (server: PostgresServer) => Promise<string> = async ({ url }) => url,
): Promise<void> {
  const server = startPostgres(programs ?? '', { syncs: true });
  try {
    const url = await prepare(server);
    const admin = knex({ client: 'pg', connection: url, pool: { min: 0, max: 2 } });
    try {
      await withFolder((folder) =>
        withProcesses(({ integration, serve }) =>
          run({
            server,
            admin,
            folder,
            integration,
            serve: (options = {}) => serve(join(folder, 'data'), { found: true, ...options }, [], { url }),
          }),
        ),
      );
    } finally {
      await admin.destroy();
    }
  } finally {
    server.stop();
  }
}

interface Answered {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: { readonly message?: string; readonly requestId?: string; readonly reasons?: { code?: string }[] };
}

/** Submits a text, and returns the answer as it came; undefined when none did. */
async function submit({ connectionId, token, backend }: Push, messageId: string): Promise<Answered | undefined> {
  const path = `/v1/integration-papers/connections/${connectionId}/content`;
  const response = await fetch(backend.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messageId, text: `text of ${messageId}` }),
  }).catch(() => undefined);
  if (response === undefined) return undefined;
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: (await response.json()) as Answered['body'],
  };
}

/** A load of submissions, one after the other, new ones as long as they are acknowledged and the same one again otherwise. */
function startLoad(push: Push) {
  const acknowledged = new Map<string, string>();
  const refused: Answered[] = [];
  const times: number[] = [];
  let isOver = false;
  let number = 0;
  const done = (async () => {
    while (!isOver) {
      const messageId = `message ${number}`;
      const answer = await submit(push, messageId);
      if (answer?.status === 202) {
        acknowledged.set(messageId, answer.body.requestId ?? '');
        times.push(performance.now());
        number++;
        // A minute allows thirty submissions a connection.
        await pause(700);
      } else {
        if (answer !== undefined && answer.status !== 429) refused.push(answer);
        await pause(answer?.status === 429 ? 1_000 : 200);
      }
    }
  })();
  return {
    acknowledged,
    refused,
    /** The time from a moment to the next acknowledgement. */
    backAfterMs: (from: number) =>
      eventually('a submission is acknowledged again', async () => {
        const at = times.find((time) => time > from);
        return at === undefined ? undefined : at - from;
      }),
    async stop() {
      isOver = true;
      await done;
    },
  };
}

/** Says what refusals have to be: 503 with a time, and a sentence of the catalogue. */
function areClear(refused: readonly Answered[], ...codes: readonly string[]): void {
  assert.ok(refused.length > 0, 'a run in which nothing was refused proves nothing');
  for (const { status, retryAfter, body } of refused) {
    assert.is(status, 503, JSON.stringify(body));
    assert.ok(Number(retryAfter) >= 1);
    assert.ok(codes.includes(body.reasons?.[0]?.code ?? ''), JSON.stringify(body));
  }
}

async function isAllThere(admin: Knex, acknowledged: ReadonlyMap<string, string>): Promise<void> {
  const rows = await admin('content_requests').select('id', 'message_id', 'text', 'state');
  for (const [messageId, id] of acknowledged) {
    const row = rows.find((one) => one.id === id);
    assert.equal([row?.message_id, row?.text, row?.state === 'receiving'], [messageId, `text of ${messageId}`, false]);
  }
  assert.is(new Set(rows.map(({ message_id }) => message_id)).size, rows.length, 'INV-05');
}

const told = (what: string, ms: number): void =>
  console.log(`${what}: acknowledged again ${(ms / 1000).toFixed(1)} s after it was back`);

test('FAULT-02: a server that is stopped for half a minute is named in each answer, and the service is back by itself', () =>
  withWorld(async ({ server, admin, integration, serve }) => {
    const serving = await serve();
    const load = startLoad(await connectPaper(serving, integration));
    await eventually('submissions are acknowledged', async () => load.acknowledged.size >= 2);
    const back = server.fail(outageMs);
    await eventually('submissions are refused', async () => load.refused.length > 3);
    const headers = { 'x-api-key': serving.apiKey };
    for (const path of ['/devices', '/papers', `/organizations/${serving.organizationId}`, '/changes/', '/users/me']) {
      const response = await fetch(serving.http + path, { headers });
      const body = (await response.json()) as Answered['body'];
      areClear([{ status: response.status, retryAfter: response.headers.get('retry-after'), body }], 'database-away');
    }
    await back;
    const ms = await load.backAfterMs(performance.now());
    told('a server that was stopped', ms);
    assert.ok(ms < backWithinMs, `${ms} ms`);
    await load.stop();
    areClear(load.refused, 'database-away');
    await isAllThere(admin, load.acknowledged);
    // Those that were owed when the server stopped, and those since.
    const owed = () => admin('callback_events').whereNull('delivered_at').select('*');
    await eventually('callbacks are sent', async () => (await owed()).length === 0, 60_000).catch(async (error) => {
      throw new Error(`${error.message}, but these: ${JSON.stringify(await owed())}`);
    });
    const lines = serving.log().split('\n').length;
    assert.ok(lines < 100, `${lines} lines of ${load.refused.length} refusals and half a minute`);
    assert.is(await serving.end('SIGTERM'), 0);
  }));

test('FAULT-02: a server that becomes a standby gets no more work, and its successor does', () =>
  withWorld(async ({ admin, integration, serve }) => {
    const serving = await serve();
    const load = startLoad(await connectPaper(serving, integration));
    await eventually('submissions are acknowledged', async () => load.acknowledged.size >= 2);
    const becomes = async (mode: 'on' | 'off'): Promise<void> => {
      await admin.raw(`alter system set default_transaction_read_only = ${mode}`);
      await admin.raw('select pg_reload_conf()');
    };
    await admin.raw('set default_transaction_read_only = off');
    await becomes('on');
    await eventually('submissions are refused', async () => load.refused.length > 10);
    const keeper = knex({
      client: 'pg',
      connection: { ...admin.client.connectionSettings, options: '-c default_transaction_read_only=off' },
    });
    try {
      await keeper.raw('alter system set default_transaction_read_only = off');
      await keeper.raw('select pg_reload_conf()');
    } finally {
      await keeper.destroy();
    }
    const ms = await load.backAfterMs(performance.now());
    told('a server that only read', ms);
    assert.ok(ms < backWithinMs, `${ms} ms`);
    await load.stop();
    areClear(load.refused, 'database-read-only');
    await isAllThere(admin, load.acknowledged);
    assert.is(await serving.end('SIGTERM'), 0);
  }));

test('FAULT-02: a full disk that every insert meets is reported as such', () =>
  withWorld(async ({ admin, integration, serve }) => {
    const serving = await serve();
    const load = startLoad(await connectPaper(serving, integration));
    await eventually('submissions are acknowledged', async () => load.acknowledged.size >= 2);
    await admin.raw(`create function full_disk() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
    await admin.raw('create trigger full_disk before insert on callback_events execute function full_disk()');
    await eventually('submissions are refused', async () => load.refused.length > 10);
    await admin.raw('drop trigger full_disk on callback_events');
    const ms = await load.backAfterMs(performance.now());
    told('a disk that was said to be full', ms);
    assert.ok(ms < backWithinMs, `${ms} ms`);
    await load.stop();
    areClear(load.refused, 'database-full');
    await isAllThere(admin, load.acknowledged);
    assert.is(await serving.end('SIGTERM'), 0);
  }));

testMounted('FAULT-02: on a disk that is really full submissions are refused, and accepted once there is room', () =>
  withSmallDisk((disk) =>
    withWorld(
      (world) => fillsDisk(world, disk),
      (server) => placeDatabase(server, disk),
    ),
  ),
);

/** Mounts a disk for the tables of a database. */
async function withSmallDisk(run: (disk: string) => Promise<void>): Promise<void> {
  const disk = mkdtempSync(join(tmpdir(), 'papergate-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'none', disk]);
  try {
    await run(disk);
  } finally {
    execFileSync('umount', ['--lazy', disk]);
    rmdirSync(disk);
  }
}

async function placeDatabase({ url, account }: PostgresServer, disk: string): Promise<string> {
  chmodSync(disk, 0o755);
  const place = join(disk, 'space');
  mkdirSync(place);
  if (account !== undefined) chownSync(place, account.uid, account.gid);
  const first = knex({ client: 'pg', connection: url, pool: { min: 0, max: 1 } });
  try {
    await first.raw(`create tablespace small location '${place}'`);
    await first.raw('create database small tablespace small');
  } finally {
    await first.destroy();
  }
  return url.replace('/postgres?', '/small?');
}

async function fillsDisk({ admin, integration, serve }: World, disk: string): Promise<void> {
  const serving = await serve();
  const load = startLoad(await connectPaper(serving, integration));
  await eventually('submissions are acknowledged', async () => load.acknowledged.size >= 2);
  const filler = join(disk, 'filler');
  const fill = (bytes: number): boolean => {
    try {
      appendFileSync(filler, Buffer.alloc(bytes));
      return true;
    } catch (error) {
      assert.is((error as NodeJS.ErrnoException).code, 'ENOSPC');
      return false;
    }
  };
  for (const bytes of [1_000_000, 7_000]) while (await fill(bytes));
  // Submissions go on in what is left of pages, until they need a new one.
  const full = async (): Promise<boolean> => {
    fill(7_000);
    return load.refused.length > 3;
  };
  await eventually('submissions are refused', full, 120_000);
  rmSync(filler);
  const ms = await load.backAfterMs(performance.now());
  told('a disk that was full', ms);
  assert.ok(ms < backWithinMs, `${ms} ms`);
  await load.stop();
  areClear(load.refused, 'database-full');
  await isAllThere(admin, load.acknowledged);
  assert.is(await serving.end('SIGTERM'), 0);
}

test('FAULT-02: a process that is paused within a transaction loses its locks, and says so when it wakes', () =>
  withWorld(async ({ admin, folder, integration, serve }) => {
    const armed = join(folder, 'armed');
    mkdirSync(armed);
    const serving = await serve({ armed, environment: { PAPERGATE_DATABASE_IDLE_SECONDS: '3' } });
    const push = await connectPaper(serving, integration);
    const line = join(armed, 'acceptance.outbox-written');
    writeFileSync(line, '');
    const answer = submit(push, 'paused');
    await eventually('the submission is within its transaction', async () => existsSync(`${line}.held`));
    process.kill(serving.pid, 'SIGSTOP');
    const from = performance.now();
    try {
      await admin.transaction(async (trx) => {
        await trx.raw("set local lock_timeout = '20s'");
        await trx('papers').forUpdate();
      });
      console.log(`locks of a paused process: free after ${((performance.now() - from) / 1000).toFixed(1)} s`);
      assert.ok(performance.now() - from < backWithinMs, 'the server ended the transaction');
      assert.equal(await admin('callback_events').select('id'), [], 'nothing is half done');
    } finally {
      process.kill(serving.pid, 'SIGCONT');
      rmSync(`${line}.held`);
    }
    const refused = await answer;
    assert.ok(refused);
    areClear([refused], 'database-away');
    const again = await eventually(
      'the same is accepted',
      async () => {
        const given = await submit(push, 'paused');
        return given?.status === 202 && given;
      },
      backWithinMs,
    );
    await isAllThere(admin, new Map([['paused', again.body.requestId ?? '']]));
    assert.is((await admin('callback_events').where({ state: 'available' })).length, 1, 'INV-60');
    assert.is(await serving.end('SIGTERM'), 0);
  }));

postgresAway.run();
