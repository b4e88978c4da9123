/** Whether a connection may still act: asked at every use, before every upload and every callback (INV-57). */
import { type Database, isPostgres, type Transaction } from '../../gateway/runtime/database.ts';
import { firstRow } from '../../gateway/runtime/plain-sql.ts';
import { type ConnectionRow, readConnection } from './connections.ts';
import { hasManifest, integrationOf, readPaper, type SavedPaper } from './saved-paper.ts';
import { readAbsoluteUrl, type UrlRules } from './saved-urls.ts';

/** `yes`, or the code of the refusal. */
export type Authorization = 'yes' | 'paper-access-denied' | 'integration-changed';

/** Whether a role may obtain and use push connections. */
export function mayConnect(role: string): boolean {
  return role !== 'onlyself';
}

/** Whether this membership exists in this organization, with a role that may use push connections. */
export async function isConnectingMember(
  db: Database | Transaction,
  userId: string,
  organizationId: string,
): Promise<boolean> {
  // What a transaction does on the strength of a membership is done before the membership can end.
  const lock = db.isTransaction && isPostgres(db) ? ' for share' : '';
  const sql = `select role from users where id = ? and organization_id = ?${lock}`;
  const user = await firstRow<{ role: string }>(db, sql, [userId, organizationId]);
  return user !== undefined && mayConnect(user.role);
}

/**
 * Whether membership and saved configuration are still those of the connection. Revocation and generation are not
 * looked at: see `connectionInForce`.
 */
export async function stillAuthorized(
  db: Database | Transaction,
  connection: ConnectionRow,
  rules: UrlRules,
): Promise<Authorization> {
  const isMember = await isConnectingMember(db, connection.user_id, connection.organization_id);
  const paper = await readPaper(db, connection.paper_id);
  if (!isMember || paper === undefined) return 'paper-access-denied';
  const isSameOrganization = paper.organizationId === connection.organization_id;
  return isSameOrganization && isSameConfiguration(paper, connection, rules) ? 'yes' : 'integration-changed';
}

/** A connection in force, or why there is none. */
export type ConnectionInForce =
  | { readonly ok: true; readonly connection: ConnectionRow }
  | { readonly ok: false; readonly code: 'connection-unauthorized' | Exclude<Authorization, 'yes'> };

/** The connection under which work of a generation may go on: not revoked, same generation, authorized (INV-30, INV-56). */
export async function connectionInForce(
  db: Database | Transaction,
  work: { readonly connectionId: string; readonly generation: number },
  rules: UrlRules,
): Promise<ConnectionInForce> {
  const connection = await readConnection(db, work.connectionId);
  if (connection === undefined || connection.revoked_at !== null || connection.generation !== work.generation) {
    return { ok: false, code: 'connection-unauthorized' };
  }
  const code = await stillAuthorized(db, connection, rules);
  return code === 'yes' ? { ok: true, connection } : { ok: false, code };
}

interface Verdict {
  readonly paper: SavedPaper;
  readonly connection: ConnectionRow;
  readonly rules: string;
  readonly isSame: boolean;
}

/** The last verdicts, by connection: it is asked three times a submission, and what it follows from seldom changes. */
const verdicts = new Map<string, Verdict>();
const mostVerdicts = 200;

function isSameConfiguration(paper: SavedPaper, connection: ConnectionRow, rules: UrlRules): boolean {
  const last = verdicts.get(connection.id);
  const { production, allowLocalhost, publicHosts } = rules;
  const said = `${production} ${allowLocalhost} ${publicHosts.join(' ')}`;
  const stands =
    last?.rules === said &&
    last.paper.kind === paper.kind &&
    last.paper.metaText === paper.metaText &&
    last.connection.config_url === connection.config_url &&
    last.connection.settings_url === connection.settings_url &&
    last.connection.render_url === connection.render_url &&
    last.connection.callback_url === connection.callback_url;
  if (stands) return last.isSame;
  const isSame = resolvesAlike(paper, connection, rules);
  const [oldest] = verdicts.keys();
  if (verdicts.size === mostVerdicts && oldest !== undefined) verdicts.delete(oldest);
  verdicts.set(connection.id, { paper, connection, rules: said, isSame });
  return isSame;
}

/** Compares resolved URLs, so that another spelling of the same URL is no change. */
function resolvesAlike(paper: SavedPaper, connection: ConnectionRow, rules: UrlRules): boolean {
  if (paper.kind === 'plugin' && !hasManifest(paper)) {
    // A paper saved anew without its manifest still names the same one; what it resolved to stays in force.
    const config = readAbsoluteUrl(paper.meta.pluginConfigUrl, rules);
    return config.ok && config.url.href === connection.config_url;
  }
  const saved = integrationOf(paper, rules, undefined);
  return (
    saved.ok &&
    saved.configUrl === connection.config_url &&
    saved.settingsUrl === connection.settings_url &&
    saved.renderUrl === connection.render_url &&
    saved.callbackUrl === connection.callback_url
  );
}
