/** The steps of a process over PostgreSQL before it serves: it keeps the database to itself, or becomes one of its nodes. */

import type { DatabaseHold } from '../../../cluster/nodes/hold-database.ts';
import { openNode } from '../../../cluster/nodes/open-node.ts';
import type { NamedAddress } from '../../../cluster/nodes/same-database.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { requireReadable, schemaOf, waitingMigrations } from '../../../runtime/database/migrate-database.ts';
import type { Logger } from '../../../runtime/logger.ts';
import { reachableAddress } from '../../http/listen.ts';
import { papergateVersion } from '../../status/versions.ts';
import { refusedDatabase } from '../open/refuse-start.ts';
import type { ServiceContext } from '../open/service-context.ts';
import { tables } from '../open/service-tables.ts';
import type { Settings } from '../settings/settings.ts';

/** Loads the modules that speak to PostgreSQL, only where there is one. */
const loadNodes = async () => ({
  ...(await import('../../../cluster/nodes/check-listening.ts')),
  ...(await import('../../../cluster/nodes/hold-database.ts')),
  ...(await import('../../../cluster/nodes/postgres-channel.ts')),
  ...(await import('../../../cluster/nodes/same-database.ts')),
});

/** The address of PostgreSQL itself, and the variable that names it. */
function directAddress({ DATABASE_URL: url, DATABASE_DIRECT_URL: direct }: Settings): NamedAddress | undefined {
  if (direct !== undefined) return { url: direct, variable: 'DATABASE_DIRECT_URL' };
  return url === undefined ? undefined : { url, variable: 'DATABASE_URL' };
}

/**
 * Holds the database on PostgreSQL for this service; there is nothing to hold on SQLite, whose folder is held.
 * @param deps `lost` is called when somebody else has the database after the connection to it had ended
 * @throws Refusal `bad-configuration` while a service runs over it that cannot be shared with, or when the direct address
 *   leads to another database than that of the rows
 */
export async function holdServiceDatabase(
  settings: Settings,
  deps: { readonly clock: Clock; readonly logger: Logger; readonly lost: () => void },
): Promise<DatabaseHold | undefined> {
  const direct = directAddress(settings);
  if (direct === undefined) return undefined;
  const { DATABASE_URL: url, PAPERGATE_NODE_NAME: node } = settings;
  const { holdDatabase, requireSameDatabase } = await loadNodes();
  if (url !== undefined && url !== direct.url) {
    await requireSameDatabase(direct, { url, variable: 'DATABASE_URL' }, refusedDatabase);
  }
  const use = node === undefined ? 'alone' : 'as a node';
  return holdDatabase({ url: direct.url, ...deps }, use).catch((error: unknown) => {
    throw refusedDatabase(error, direct.variable) ?? error;
  });
}

/**
 * Makes this process one of several nodes, where it has a name. A node works by its own clock, which follows the database's.
 * @throws Refusal `bad-configuration` for a name that is taken, a wrong clock, or a pooler where notifications are needed,
 *   `newer-database` when a newer release has just changed the tables
 */
export async function openServiceNode(
  settings: Settings,
  { db, clock, random, keys, meter, cluster }: Omit<ServiceContext, 'close'>,
  logger: Logger,
): Promise<Pick<ServiceContext, 'cluster' | 'clock'>> {
  const name = settings.PAPERGATE_NODE_NAME;
  const direct = directAddress(settings);
  if (name === undefined || direct === undefined) return { cluster, clock };
  const { checkListening, notifyThrough, postgresChannel } = await loadNodes();
  await checkListening(direct, { db, clock, random }).catch((error: unknown) => {
    throw refusedDatabase(error, direct.variable) ?? error;
  });
  const notify = (channel: string, payload: string): Promise<void> => notifyThrough(db, channel, payload);
  const openChannel = (node: string) =>
    postgresChannel({ url: direct.url, node, key: keys.nodes, clock, logger, notify });
  const address = reachableAddress(settings.PAPERGATE_HTTP_HOST, settings.PAPERGATE_HTTP_PORT);
  const identity = { id: random.id(), name, version: papergateVersion, schema: schemaOf(tables), address };
  const checkTables = () => requireReadable(db, tables);
  const node = await openNode({ db, clock, logger, meter, openChannel, requireReadable: checkTables }, identity);
  try {
    // From here on the node's row states what it works with, and nobody takes that away; before, somebody could have.
    await checkTables();
    const migrations = await waitingMigrations(db, tables);
    if (migrations.length > 0) logger.info({ migrations }, 'changes of the tables wait until no older node lives');
    return { cluster: node, clock: node.clock };
  } catch (error) {
    await node.leave();
    throw error;
  }
}

/** Balancers ask every two seconds or so, and believe what they were answered twice. */
const drainSecondsOfNode = 10;

/** Returns how long the service waits, when it is to stop, until balancers have seen that `/ready` refuses. */
export function drainSeconds({ PAPERGATE_DRAIN_SECONDS: given, PAPERGATE_NODE_NAME: name }: Settings): number {
  return given ?? (name === undefined ? 0 : drainSecondsOfNode);
}
