/** Whether a connection may still act: asked at every use, before every upload and every callback (INV-57). */
import { type Database, isPostgres, type Transaction } from '../../gateway/runtime/database.ts';
import { firstRow } from '../../gateway/runtime/plain-sql.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { type Role, roleMay } from '../directory/principal.ts';
import { type ConnectionRow, holdsToken, idOrNone } from './connections.ts';
import {
  columnsOfPaper,
  hasManifest,
  integrationOf,
  type JoinedPaper,
  joinedPaper,
  type SavedPaper,
} from './saved-paper.ts';
import { readAbsoluteUrl, type UrlRules } from './saved-urls.ts';

/** `yes`, or the code of the refusal. */
export type Authorization = 'yes' | 'paper-access-denied' | 'integration-changed';

/** Whether a role may obtain and use push connections: whoever pushes to a paper writes it. */
export function mayConnect(role: Role): boolean {
  return roleMay(role, 'write');
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
  const user = await firstRow<{ role: Role }>(db, sql, [userId, organizationId]);
  return user !== undefined && mayConnect(user.role);
}

/** A connection with what its authorization follows from: its owner's role where it acts, and its paper. */
export interface Standing {
  readonly connection: ConnectionRow;
  readonly role: Role | undefined;
  readonly paper: SavedPaper | undefined;
}

const standingSql = `select connections.*, users.role as member_role, ${columnsOfPaper} from connections
  left join users on users.id = connections.user_id and users.organization_id = connections.organization_id
  left join papers on papers.id = connections.paper_id where connections.id = ?`;

/** Reads it in one statement: every submission asks twice. In a transaction the membership stays until its end. */
export async function readStanding(db: Database | Transaction, connectionId: string): Promise<Standing | undefined> {
  if (db.isTransaction && isPostgres(db)) {
    const sql =
      'select users.id from users join connections on connections.user_id = users.id where connections.id = ?';
    await firstRow(db, `${sql} for share of users`, [connectionId]);
  }
  const row = await firstRow<ConnectionRow & JoinedPaper & { readonly member_role: Role | null }>(db, standingSql, [
    connectionId,
  ]);
  return row && { connection: row, role: row.member_role ?? undefined, paper: joinedPaper(row) };
}

/**
 * Whether membership and saved configuration are still those of the connection. Revocation and generation are not
 * looked at: see `connectionInForce`.
 */
export function stillAuthorized({ connection, role, paper }: Standing, rules: UrlRules): Authorization {
  if (role === undefined || !mayConnect(role) || paper === undefined) return 'paper-access-denied';
  const isSameOrganization = paper.organizationId === connection.organization_id;
  return isSameOrganization && isSameConfiguration(paper, connection, rules) ? 'yes' : 'integration-changed';
}

/**
 * As `authenticateConnection`, with what its authorization follows from.
 * @throws Refusal `connection-unauthorized`
 */
export async function authenticateStanding(
  db: Database,
  id: string,
  authorization: string | undefined,
): Promise<Standing> {
  const standing = await readStanding(db, idOrNone(id));
  const isRight = holdsToken(standing?.connection, authorization);
  if (standing === undefined || !isRight) throw refuse('connection-unauthorized');
  return standing;
}

/** A connection in force, or why there is none. */
export type ConnectionInForce =
  | { readonly ok: true; readonly connection: ConnectionRow }
  | { readonly ok: false; readonly code: 'connection-unauthorized' | Exclude<Authorization, 'yes'> };

/** The work of a connection: of the generation that began it. */
interface Work {
  readonly connectionId: string;
  readonly generation: number;
}

/** The connection under which work of a generation may go on: not revoked, same generation, authorized (INV-30, INV-56). */
export async function connectionInForce(
  db: Database | Transaction,
  work: Work,
  rules: UrlRules,
): Promise<ConnectionInForce> {
  return inForce(await readStanding(db, work.connectionId), work, rules);
}

/** The same of a connection that was read already. */
export function inForce(
  standing: Standing | undefined,
  { generation }: Pick<Work, 'generation'>,
  rules: UrlRules,
): ConnectionInForce {
  if (standing === undefined) return { ok: false, code: 'connection-unauthorized' };
  const { connection } = standing;
  if (connection.revoked_at !== null || connection.generation !== generation) {
    return { ok: false, code: 'connection-unauthorized' };
  }
  const code = stillAuthorized(standing, rules);
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
