/** The place of a drill: a folder, and on PostgreSQL a database, that are removed at its end whatever happens. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import pg from 'pg';
import { refuse } from '../../reasons/refusals.ts';
import { refusedFile } from '../../runtime/disk/refuse-file.ts';
import { printWarning } from '../ground/print.ts';

/** The place, and how it goes. */
export interface ScratchPlace {
  readonly folder: string;
  /** The address of the empty database; undefined where there is none. */
  readonly url: string | undefined;
  /** The reason why no database was made for a service that has one; undefined otherwise. */
  readonly withoutDatabase: string | undefined;
  remove(): Promise<void>;
}

const prefix = 'papergate-drill-';
const namePattern = /^papergate-drill-(\d+)-/;

/**
 * Makes the place, and removes those of drills that were killed. Ctrl-C and SIGTERM remove it as well.
 * @param url the address of the service's database, where PostgreSQL has it
 * @throws Refusal `bad-configuration` for a folder within the data folder, or one that cannot be written
 */
export async function makeScratchPlace(
  wanted: string | undefined,
  dataFolder: string,
  url: string | undefined,
): Promise<ScratchPlace> {
  const root = resolve(wanted ?? tmpdir());
  const folder = await makeFolderIn(root, dataFolder);
  const database = url === undefined ? undefined : await makeDatabase(url);
  const remove = async (): Promise<void> => {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    if (database?.url !== undefined && url !== undefined) await dropDatabase(url, database.name);
  };
  const interrupted = (signal: NodeJS.Signals): void => {
    const end = (): void => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      process.exit(signal === 'SIGINT' ? 130 : 143);
    };
    const dropped =
      database?.url === undefined || url === undefined ? Promise.resolve() : dropDatabase(url, database.name);
    dropped.then(end).catch((error: unknown) => {
      printWarning(`The database ${database?.name} stays: ${error instanceof Error ? error.message : String(error)}`);
      end();
    });
  };
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  return { folder, url: database?.url, withoutDatabase: database?.problem, remove };
}

async function makeFolderIn(root: string, dataFolder: string): Promise<string> {
  try {
    const [real, data] = [await realpath(root), await realpath(dataFolder)];
    const way = relative(data, real);
    if (way === '' || !(way.startsWith('..') || resolve(way) === way)) {
      throw refuse('bad-configuration', {
        message: `--scratch: ${root} lies in the data folder of the service`,
        hint: 'name a folder elsewhere, best on another disk',
      });
    }
    await removeKilled(real);
    return await mkdtemp(join(real, `${prefix}${process.pid}-`));
  } catch (error) {
    throw refusedFile(error, root, '--scratch') ?? error;
  }
}

/** Removes what drills left that were killed: it holds keys. */
async function removeKilled(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const pid = Number(namePattern.exec(name)?.[1]);
    if (Number.isInteger(pid) && !isRunning(pid)) await rm(join(root, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

interface ScratchDatabase {
  readonly name: string;
  readonly url?: string;
  readonly problem?: string;
}

/** Makes an empty database on the server of the service, where its role may. */
async function makeDatabase(url: string): Promise<ScratchDatabase> {
  const name = `papergate_drill_${process.pid}_${randomBytes(4).toString('hex')}`;
  try {
    await onServer(url, `create database ${name}`);
  } catch (error) {
    return { name, problem: error instanceof Error ? error.message : 'the server does not answer' };
  }
  const address = new URL(url);
  address.pathname = `/${name}`;
  return { name, url: address.href };
}

const dropDatabase = (url: string, name: string): Promise<void> =>
  onServer(url, `drop database if exists ${name} with (force)`);

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
