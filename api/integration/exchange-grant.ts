/** Turns a grant into a connection's credentials: everything is validated first, and the grant is consumed last. */

import { refuse } from '../../reasons/refusals.ts';
import { type Transaction, transact } from '../../runtime/database/database.ts';
import { isConnectingMember } from './authorize.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { type ConnectionRow, openTokens, sealTokens } from './connections.ts';
import { consumeGrant, type GrantRow, peekGrant } from './grants.ts';
import { confirmIntegration, loadIntegration, lockedPaper, readPaper, type SavedPaper } from './saved-paper.ts';
import type { ResolvedIntegration } from './saved-urls.ts';
import { stopWork } from './stop-work.ts';

/** The credentials that an integration's backend gets, once for each grant. */
export interface ConnectionCredentials {
  readonly connectionId: string;
  readonly paperId: string;
  readonly name: string;
  readonly token: string;
  readonly callbackToken: string;
}

/**
 * Exchanges a grant. An unchanged active connection keeps its credentials. A revoked or changed one gets new tokens and
 * the next generation, in which no work of the old one goes on (INV-56).
 * @throws Refusal `grant-spent`, `paper-access-denied`, `invalid-integration-configuration`, `configuration-not-saved`
 */
export async function exchangeGrant(deps: ConnectionDeps, grantText: string): Promise<ConnectionCredentials> {
  const { db, clock, settings, fetchManifest } = deps;
  const { paper_id: paperId } = await peekGrant(db, grantText, clock.now());
  const before = await readPaper(db, paperId);
  if (before === undefined) throw refuse('paper-access-denied');
  const loaded = await loadIntegration({ rules: settings, fetchManifest }, before);
  return await transact(db, async (trx) => {
    const paper = await lockedPaper(trx, paperId);
    const now = clock.now();
    const grant = await peekGrant(trx, grantText, now);
    if (paper === undefined || !(await isConnectingMember(trx, grant.user_id, paper.organizationId))) {
      throw refuse('paper-access-denied');
    }
    const integration = confirmIntegration(paper, settings, loaded);
    if (integration.configUrl !== grant.config_url || integration.settingsUrl !== grant.settings_url) {
      throw refuse('configuration-not-saved');
    }
    const credentials = await connect(trx, deps, { grant, paper, integration, now });
    await consumeGrant(trx, grant.id, now);
    return credentials;
  });
}

interface Joining {
  readonly grant: GrantRow;
  readonly paper: SavedPaper;
  readonly integration: ResolvedIntegration;
  readonly now: number;
}

async function connect(trx: Transaction, deps: ConnectionDeps, joining: Joining): Promise<ConnectionCredentials> {
  const { grant, paper, integration, now } = joining;
  const existing = await trx<ConnectionRow>('connections')
    .where({ paper_id: paper.id, user_id: grant.user_id })
    .first();
  if (existing !== undefined && isUnchanged(existing, joining)) {
    await trx('connections').where({ id: existing.id }).update({ name: integration.name, updated_at: now });
    return {
      connectionId: existing.id,
      paperId: paper.id,
      name: integration.name,
      ...openTokens(existing, deps.sealKey),
    };
  }
  const id = existing?.id ?? deps.random.id();
  const generation = (existing?.generation ?? 0) + 1;
  const token = deps.random.secret(32);
  const callbackToken = deps.random.secret(32);
  const row: ConnectionRow = {
    id,
    paper_id: paper.id,
    user_id: grant.user_id,
    organization_id: paper.organizationId,
    generation,
    name: integration.name,
    ...sealTokens({ id, generation, token, callbackToken }, deps.sealKey, deps.random),
    config_url: integration.configUrl,
    settings_url: integration.settingsUrl,
    render_url: integration.renderUrl,
    callback_url: integration.callbackUrl,
    created_at: existing?.created_at ?? now,
    updated_at: now,
    revoked_at: null,
    changed_at: null,
  };
  if (existing === undefined) {
    await trx('connections').insert(row);
  } else {
    await stopWork(trx, id, now);
    await trx('connections').where({ id }).update(row);
  }
  return { connectionId: id, paperId: paper.id, name: integration.name, token, callbackToken };
}

/** Compares a connection with the paper it would be made for now (spec: Connection lifecycle rules 3 and 5). */
function isUnchanged(existing: ConnectionRow, { paper, integration }: Joining): boolean {
  return (
    existing.revoked_at === null &&
    existing.changed_at === null &&
    existing.organization_id === paper.organizationId &&
    existing.config_url === integration.configUrl &&
    existing.settings_url === integration.settingsUrl &&
    existing.render_url === integration.renderUrl &&
    existing.callback_url === integration.callbackUrl
  );
}
