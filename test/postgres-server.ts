/** A throwaway PostgreSQL server of the test run: Debian's programs, a temporary folder, a socket and no network. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A running server. */
export interface PostgresServer {
  /** `postgres://` address of its first database. */
  readonly url: string;
  /** The folder of its files. */
  readonly data: string;
  /** The account that it runs as, where it is another one than that of the tests. */
  readonly account: { readonly uid: number; readonly gid: number } | undefined;
  /** Ends it at once, with everything it held. */
  stop(): void;
  /** Ends it as a fault of its own would, and starts it again, so much later, over what it had written. */
  fail(downMs?: number): Promise<void>;
}

const debianFolder = '/usr/lib/postgresql';

/** The newest version's programs, or undefined when there are none: they are not on the path. */
export function postgresPrograms(): string | undefined {
  let versions: string[];
  try {
    versions = readdirSync(debianFolder).filter((name) => /^\d+$/.test(name));
  } catch {
    return undefined;
  }
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0];
  return newest === undefined ? undefined : join(debianFolder, newest, 'bin');
}

/**
 * Starts a server that forgets everything when it is stopped. `syncs` is for tests of what it keeps when it fails, `checksums`
 * for those of damaged pages.
 */
export function startPostgres(programs: string, { syncs = false, checksums = false } = {}): PostgresServer {
  const folder = mkdtempSync(join(tmpdir(), 'papergate-postgres-'));
  const account = serverAccount();
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  chmodSync(folder, 0o700);
  const data = join(folder, 'data');
  const run = (program: string, ...args: string[]): void => {
    execFileSync(join(programs, program), args, { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  };
  // The database's own default everywhere, but nothing waits for a disk that is about to be emptied.
  const careless = syncs ? '' : '-c fsync=off -c full_page_writes=off';
  const settings = `-c listen_addresses= ${careless} -c max_connections=200 -k ${folder}`;
  const start = ['start', '-w', '-D', data, '-l', join(folder, 'log'), '-o', settings];
  const fail = async (downMs = 0): Promise<void> => {
    for (const args of [['stop', '-D', data, '-m', 'immediate', '-w'], start]) {
      if (args === start) await pause(downMs);
      const running = spawn(join(programs, 'pg_ctl'), args, { ...account, cwd: folder, stdio: 'ignore' });
      const [code] = await once(running, 'exit');
      if (code !== 0) throw new Error(`pg_ctl ${args[0]} ended with ${code}`);
    }
  };
  const stop = (): void => {
    spawnSync(join(programs, 'pg_ctl'), ['stop', '-D', data, '-m', 'immediate', '-w'], { ...account, cwd: folder });
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const kinds = ['-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', ...(checksums ? ['--data-checksums'] : [])];
    run('initdb', '-D', data, '-U', 'postgres', '--no-sync', ...kinds);
    run('pg_ctl', ...start);
  } catch (error) {
    stop();
    throw error;
  }
  return {
    url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`,
    data,
    account,
    stop,
    fail,
  };
}

/** PostgreSQL refuses to run as root; the package made an account for it. */
function serverAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
