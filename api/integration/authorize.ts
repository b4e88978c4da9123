/** Judges whether a connection may still act. Every use asks, before every upload and every callback. */

import { refuse } from '../../reasons/refusals.ts';
import { type Database, isPostgres, type Transaction } from '../../runtime/database/database.ts';
import { firstRow } from '../../runtime/database/plain-sql.ts';
import { type Role, roleMay } from '../access/principal.ts';
import { type ConnectionRules, isSameConfiguration, isSameWhateverAllowed } from './compare-configuration.ts';
import { type ConnectionRow, holdsToken, idOrNone } from './connections.ts';
import { columnsOfPaper, type JoinedPaper, joinedPaper, readPaper, type SavedPaper } from './saved-paper.ts';

/** A connection that may act, or the code of the refusal. */
export type ConnectionAuthorization =
  | { readonly ok: true; readonly connection: ConnectionRow }
  | {
      readonly ok: false;
      readonly code: 'connection-unauthorized' | 'paper-access-denied' | 'integration-changed';
    };

/** A role may obtain and use push connections when it may write, because pushing to a paper writes it. */
export function mayConnect(role: Role): boolean {
  return roleMay(role, 'write');
}

/** Returns whether the user is a member of the organization, with a role that may use push connections. */
export async function isConnectingMember(
  db: Database | Transaction,
  userId: string,
  organizationId: string,
): Promise<boolean> {
  // The row stays locked, so that a membership cannot end before the transaction that relies on it.
  const lock = db.isTransaction && isPostgres(db) ? ' for share' : '';
  const sql = `select role from users where id = ? and organization_id = ?${lock}`;
  const user = await firstRow<{ role: Role }>(db, sql, [userId, organizationId]);
  return user !== undefined && mayConnect(user.role);
}

/** A connection with everything that its authorization follows from: the role of its owner, and its paper. */
export interface AuthorizationFacts {
  readonly connection: ConnectionRow;
  readonly role: Role | undefined;
  /** The organization whose allowance the connection uses: its own, or the one that was made from (T-77). */
  readonly allowance: string;
  readonly paper: SavedPaper | undefined;
}

type FactsRow = ConnectionRow & JoinedPaper & { readonly member_role: Role | null; readonly vouched_by: string | null };

const factsSql = `select connections.*, users.role as member_role,
  (select vouched_by from organizations where organizations.id = connections.organization_id) as vouched_by, ${columnsOfPaper} from connections
  left join users on users.id = connections.user_id and users.organization_id = connections.organization_id
  left join papers on papers.id = connections.paper_id where connections.id = ?`;

/**
 * Reads a connection's facts in one statement, because every submission asks twice. In a transaction the membership
 * stays until its end.
 */
export async function readAuthorizationFacts(
  db: Database | Transaction,
  connectionId: string,
): Promise<AuthorizationFacts | undefined> {
  if (db.isTransaction && isPostgres(db)) {
    const sql =
      'select users.id from users join connections on connections.user_id = users.id where connections.id = ?';
    await firstRow(db, `${sql} for share of users`, [connectionId]);
  }
  const row = await firstRow<FactsRow>(db, factsSql, [connectionId]);
  return (
    row && {
      connection: row,
      role: row.member_role ?? undefined,
      allowance: row.vouched_by ?? row.organization_id,
      paper: joinedPaper(row),
    }
  );
}

/** Judges membership and saved configuration. `authorizationOfWork` looks at revocation and generation as well. */
export function authorizationOf(facts: AuthorizationFacts, rules: ConnectionRules): ConnectionAuthorization {
  const { connection, role, paper } = facts;
  if (role === undefined || !mayConnect(role) || paper === undefined) return { ok: false, code: 'paper-access-denied' };
  const isSame = isSameOrganization(paper, connection) && isSameConfiguration(paper, connection, rules);
  return isSame && connection.changed_at === null
    ? { ok: true, connection }
    : { ok: false, code: 'integration-changed' };
}

const isSameOrganization = (paper: SavedPaper, connection: ConnectionRow): boolean =>
  paper.organizationId === connection.organization_id;

/**
 * Ends the connections of a paper that was just changed, if the change touches what they were made for. Saving the
 * former address again does not bring them back (INV-57).
 */
export async function endChangedConnections(db: Database, paperId: string, now: number): Promise<void> {
  const connections = await db<ConnectionRow>('connections').where({
    paper_id: paperId,
    revoked_at: null,
    changed_at: null,
  });
  if (connections.length === 0) return;
  const paper = await readPaper(db, paperId);
  for (const connection of connections) {
    const isSame = paper && isSameOrganization(paper, connection) && isSameWhateverAllowed(paper, connection);
    if (!isSame) await db('connections').where({ id: connection.id }).update({ changed_at: now });
  }
}

/**
 * Checks the content token as `authenticateConnection` does, and returns everything that the authorization follows
 * from.
 * @throws Refusal `connection-unauthorized`
 */
export async function authenticateFacts(
  db: Database,
  id: string,
  authorization: string | undefined,
): Promise<AuthorizationFacts> {
  const facts = await readAuthorizationFacts(db, idOrNone(id));
  const isRight = holdsToken(facts?.connection, authorization);
  if (facts === undefined || !isRight) throw refuse('connection-unauthorized');
  return facts;
}

/** The work of a connection belongs to the generation that began it. */
interface Work {
  readonly connectionId: string;
  readonly generation: number;
}

/** Authorizes work of a generation: its connection is not revoked, has that generation, and may act (INV-56). */
export async function authorizeWork(
  db: Database | Transaction,
  work: Work,
  rules: ConnectionRules,
): Promise<ConnectionAuthorization> {
  return authorizationOfWork(await readAuthorizationFacts(db, work.connectionId), work, rules);
}

/** Judges like `authorizeWork`, for a connection that was read already. */
export function authorizationOfWork(
  facts: AuthorizationFacts | undefined,
  { generation }: Pick<Work, 'generation'>,
  rules: ConnectionRules,
): ConnectionAuthorization {
  const isCurrent = facts?.connection.revoked_at === null && facts.connection.generation === generation;
  return isCurrent ? authorizationOf(facts, rules) : { ok: false, code: 'connection-unauthorized' };
}
