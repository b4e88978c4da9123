/** PgBouncer in front of a test's PostgreSQL, with `deploy/pgbouncer.ini`: only addresses and users are other ones. */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresServer } from '../postgres-server.ts';
import { hasProgram } from './balanced-nodes.ts';

/** The reason why PgBouncer cannot run here; undefined when it can. */
export const poolerProblem = (): string | undefined =>
  hasProgram('pgbouncer') ? undefined : 'no PgBouncer is installed';

/** Starts PgBouncer in transaction mode. */
export async function startPooler(postgres: PostgresServer): Promise<{ readonly url: string; stop(): void }> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-pooler-'));
  const host = new URL(postgres.url).searchParams.get('host') ?? '';
  const port = randomInt(20_000, 30_000);
  const published = readFileSync(join(import.meta.dirname, '../../deploy/pgbouncer.ini'), 'utf8');
  const ours = published
    .replace(/^papergate = .*$/m, `postgres = host=${host} dbname=postgres user=postgres`)
    .replace(/^listen_addr = .*$/m, 'listen_addr = 127.0.0.1')
    .replace(/^listen_port = .*$/m, `listen_port = ${port}\nunix_socket_dir =`)
    .replace(/^auth_type = .*$/m, 'auth_type = any')
    .replace(/^auth_file = .*$/m, '');
  const file = join(folder, 'pgbouncer.ini');
  chmodSync(folder, 0o755);
  writeFileSync(file, ours);
  // It refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const env = { PATH: `${process.env.PATH}:/usr/sbin` };
  const pooler = spawn('pgbouncer', [...asUser, file], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let words = '';
  pooler.stderr.on('data', (chunk) => {
    words = `${words}${chunk}`.slice(-2_000);
  });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  for (let tries = 0; tries < 100 && pooler.exitCode === null; tries++) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    const answers = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => {});
    if (answers) return { url, stop: () => void pooler.kill('SIGKILL') };
    await pause(50);
  }
  pooler.kill('SIGKILL');
  throw new Error(`PgBouncer did not serve: ${words}`);
}
