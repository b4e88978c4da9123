/** `papergate migrate`: moves the rows of a stopped service to PostgreSQL, or its files to another place. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refusedDatabase, refusedStart } from '../../api/service/open/refuse-start.ts';
import { folderOf, openRows, requireContext } from '../../api/service/open/service-context.ts';
import { type AreasDeps, areasAt } from '../../api/service/open/service-files.ts';
import { openServiceKeys, secretFile } from '../../api/service/open/service-keys.ts';
import { shareKeys } from '../../api/service/open/share-keys.ts';
import { checkFiles, type FileHome, fileHomes } from '../../api/service/settings/file-settings.ts';
import { withSecretFiles } from '../../api/service/settings/secret-files.ts';
import { readSettings, type Settings } from '../../api/service/settings/settings.ts';
import { holdServiceDatabase } from '../../api/service/wire/service-node.ts';
import { type Refusal, refuse } from '../../reasons/refusals.ts';
import { systemClock } from '../../runtime/clock.ts';
import { changeFact, readFact, settleFact } from '../../runtime/database/service-facts.ts';
import { undefinedIfMissing } from '../../runtime/disk/durable-file.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import { type FileArea, fileAreas } from '../../runtime/files/file-areas.ts';
import { openFolderArea } from '../../runtime/files/folder-area.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { copyFiles } from '../../runtime/moving/copy-files.ts';
import { systemRandom } from '../../runtime/random.ts';
import { holdFolder } from '../ground/hold-folder.ts';
import { printJson, printLine, printWarning } from '../ground/print.ts';
import { WrongUsage } from '../ground/usage.ts';
import { moveRows, type Tell } from './move-rows.ts';

interface MigrateOptions {
  /** A place, or the address of a database on PostgreSQL. */
  readonly to: string;
  readonly json?: boolean;
}

/** Moves what the option names, while nothing else runs over the folder or the database. */
export async function migrate({ to: given, json }: MigrateOptions): Promise<void> {
  const { to, env } = targetOf(given, withSecretFiles(process.env));
  const settings = { ...readSettings(env), PAPERGATE_NODE_NAME: undefined, PAPERGATE_FILE_CACHE: 0 };
  requireContext(settings);
  const tell: Tell = (sentence, fields) => (json === true ? printJson(fields) : printLine(sentence));
  const release = await holdFolder(settings.PAPERGATE_DATA);
  let lost: Refusal | undefined;
  try {
    const deps = {
      clock: systemClock,
      logger: silentLogger,
      lost: () => {
        lost = refuse('bad-configuration', { message: 'a service has taken the database meanwhile' });
      },
    };
    const hold = await holdServiceDatabase(settings, deps);
    try {
      await (to === 'postgres' ? moveRows(settings, tell, () => lost) : moveFiles(settings, to, tell, () => lost));
    } finally {
      await hold?.release();
    }
  } catch (error) {
    throw refusedDatabase(error) ?? refusedStart(error, settings) ?? error;
  } finally {
    release();
  }
}

const places: readonly string[] = ['postgres', ...fileHomes];

/** Reads the destination of a move. An address means `postgres` with that `DATABASE_URL`. */
function targetOf(given: string, env: NodeJS.ProcessEnv): { to: 'postgres' | FileHome; env: NodeJS.ProcessEnv } {
  if (places.includes(given)) return { to: given as 'postgres' | FileHome, env };
  if (!/^postgres(ql)?:\/\//.test(given)) {
    throw new WrongUsage('--to: is not a place', `one of ${places.join(', ')}, or an address postgres://…`);
  }
  if ((env.DATABASE_URL || given) === given) return { to: 'postgres', env: { ...env, DATABASE_URL: given } };
  throw new WrongUsage('--to: DATABASE_URL is another address', 'leave one of the two out');
}

/** Moves files to another place, and the keys that nodes need into the database. */
async function moveFiles(settings: Settings, to: FileHome, tell: Tell, lost: () => Refusal | undefined): Promise<void> {
  requireSettingsFor(settings, to);
  const { PAPERGATE_DATA: dataFolder } = settings;
  const db = await openRows(settings, () => {});
  try {
    const random = systemRandom(systemClock);
    const id = await settleFact(db, 'id', random.id());
    const deps = { db, clock: systemClock, random, dataFolder, id };
    const from = ((await readFact(db, 'files')) ?? 'folder') as FileHome;
    if (from === to) {
      tell(`the files are kept there already (${to})`, { event: 'moved before' });
      return;
    }
    requireSettingsFor(settings, from);
    let damaged = 0;
    const [source, target] = [await openPlace(from, settings, deps), await openPlace(to, settings, deps)];
    for (const area of fileAreas) {
      const result = await copyFiles(await source(area), await target(area));
      damaged += result.damaged.length;
      const { copied, there } = result;
      tell(`${area}: ${copied} copied, ${there} there already, ${result.damaged.length} damaged`, {
        event: 'copied',
        area,
        copied,
        there,
        damaged: result.damaged,
      });
    }
    if (settings.DATABASE_URL !== undefined && to !== 'folder') await shareOwnKeys(settings, deps);
    const problem = lost();
    if (problem !== undefined) throw problem;
    await changeFact(db, 'files', to);
    if (damaged > 0) printWarning(`${damaged} files were damaged or gone before: upload their pictures again.`);
    tell(`the files were copied, and every one compared; start the service with PAPERGATE_FILES=${to}`, {
      event: 'moved',
      from,
      to,
    });
  } finally {
    await db.destroy();
  }
}

/** Refuses a place whose variables are missing. */
function requireSettingsFor(settings: Settings, home: FileHome): void {
  const mistakes: string[] = [];
  checkFiles({ ...settings, PAPERGATE_FILES: home }, (variable, message) => mistakes.push(`${variable}: ${message}`));
  if (mistakes.length > 0) throw refuse('bad-configuration', { message: mistakes.join('\n') });
}

type OpenPlace = (area: FileArea) => Promise<DurableFolder & { readonly names: AsyncIterable<string> }>;

async function openPlace(home: FileHome, settings: Settings, deps: AreasDeps): Promise<OpenPlace> {
  const areas = await areasAt(home, settings, deps);
  if (areas === undefined) return (area) => openFolderArea(folderOf[area](deps.dataFolder));
  return async (area) => {
    const opened = areas.open(area);
    const { get, put, keep } = opened;
    return {
      get: (name) => get.call(opened, name),
      put: (bytes) => put.call(opened, bytes),
      keep: (name) => keep.call(opened, name),
      names: areas.names(area),
    };
  };
}

/** Seals the keys of the folder into the database, with the secret that every node is to be given. */
async function shareOwnKeys(settings: Settings, deps: AreasDeps): Promise<void> {
  const { PAPERGATE_SECRET_KEY: given } = settings;
  const { seal: sealKey } = await openServiceKeys(deps.dataFolder, given);
  const path = join(deps.dataFolder, secretFile);
  const secret = given ?? (await readFile(path, 'utf8').catch(undefinedIfMissing))?.trim() ?? '';
  await shareKeys({ ...deps, secret, sealKey });
  if (given === undefined) printWarning(`Nodes need PAPERGATE_SECRET_KEY, every one the content of ${path}.`);
}
