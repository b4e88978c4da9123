/** Grants: opaque, single-use, valid for five minutes, kept as hashes only (spec: Connection lifecycle rule 1). */

import { refuse } from '../../reasons/refusals.ts';
import { type Database, type Transaction, transact } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { tokenHash } from '../../runtime/sealed.ts';
import type { Role } from '../access/principal.ts';
import { metaText } from '../http/field-shapes.ts';
import { paperStore } from '../papers/store.ts';
import { endChangedConnections, mayConnect } from './authorize.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { sealSettings } from './paper-secrets.ts';
import { confirmIntegration, loadIntegration, lockedPaper, readPaper, type SavedPaper } from './saved-paper.ts';
import { type ResolvedIntegration, readAbsoluteUrl, readUrl, type UrlRules } from './saved-urls.ts';
import type { integrationTables } from './tables.ts';

/** A row of `grants`. */
export type GrantRow = RowIn<typeof integrationTables, 'grants'>;

/**
 * The request of a page that hosts settings. URLs are as that page knows them: absolute, or as the manifest writes
 * them.
 */
export interface GrantRequest {
  readonly paperId: string;
  readonly member: { readonly userId: string; readonly role: Role; readonly organizationId: string };
  readonly configUrl: string;
  readonly settingsPage: string;
}

/** The time for which a grant works. */
const grantLifetimeMs = 5 * 60_000;

/**
 * Creates a grant and ends the same user's pending ones for the paper. The returned text is stored nowhere. A manifest
 * that was not saved yet is saved with it.
 * @throws Refusal `paper-access-denied`, `invalid-integration-configuration`, `configuration-not-saved`
 */
export async function createGrant(deps: ConnectionDeps, request: GrantRequest): Promise<string> {
  const { db, clock, random, settings } = deps;
  const loaded = await loadIntegration(
    { rules: settings, fetchManifest: deps.fetchManifest },
    allowed(await readPaper(db, request.paperId), request),
  );
  const grant = random.secret(32);
  await transact(db, async (trx) => {
    const paper = allowed(await lockedPaper(trx, request.paperId), request);
    const integration = confirmIntegration(paper, settings, loaded);
    if (!isRequested(request, integration, settings)) throw refuse('configuration-not-saved');
    const now = clock.now();
    if (loaded.fetchedManifest !== undefined) await saveManifest(trx, deps, paper, loaded.fetchedManifest);
    await trx('grants')
      .where({ user_id: request.member.userId, paper_id: paper.id, ended_at: null })
      .update({ ended_at: now });
    await trx('grants').insert({
      id: random.id(),
      hash: tokenHash(grant),
      user_id: request.member.userId,
      paper_id: paper.id,
      config_url: integration.configUrl,
      settings_url: integration.settingsUrl,
      created_at: now,
      expires_at: now + grantLifetimeMs,
    });
  });
  return grant;
}

/**
 * Finds the grant that a text names, if it still works.
 * @throws Refusal `grant-spent`
 */
export async function peekGrant(db: Database | Transaction, grant: string, now: number): Promise<GrantRow> {
  const row = await db<GrantRow>('grants')
    .where({ hash: tokenHash(grant) })
    .first();
  if (row === undefined || row.ended_at !== null || row.expires_at <= now) throw refuse('grant-spent');
  return row;
}

/**
 * Uses a grant up. Of any number of attempts exactly one changes the row (INV-49).
 * @throws Refusal `grant-spent`
 */
export async function consumeGrant(trx: Transaction, id: string, now: number): Promise<void> {
  const consumed = await trx('grants')
    .where({ id, ended_at: null })
    .where('expires_at', '>', now)
    .update({ ended_at: now });
  if (consumed !== 1) throw refuse('grant-spent');
}

/** A paper elsewhere and an unknown paper get the same answer. */
function allowed(paper: SavedPaper | undefined, { member }: GrantRequest): SavedPaper {
  if (paper === undefined || paper.organizationId !== member.organizationId || !mayConnect(member.role)) {
    throw refuse('paper-access-denied');
  }
  return paper;
}

function isRequested(request: GrantRequest, integration: ResolvedIntegration, rules: UrlRules): boolean {
  const config = readAbsoluteUrl(request.configUrl, rules);
  if (!config.ok || config.url.href !== integration.configUrl) return false;
  const settings = readUrl(request.settingsPage, config.url, rules);
  return settings.ok && settings.url.href === integration.settingsUrl;
}

async function saveManifest(
  trx: Transaction,
  deps: ConnectionDeps,
  paper: SavedPaper,
  pluginManifest: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (paper.meta.pluginManifest !== undefined && paper.meta.pluginManifest !== null) return;
  const row = await paperStore(trx).find(paper.id);
  if (row === undefined) return;
  const now = deps.clock.now();
  // The manifest may mark fields as secrets that were not known as such.
  const sealed = sealSettings(deps, row, metaText({ ...paper.meta, pluginManifest }), row);
  await trx('papers')
    .where({ id: paper.id })
    .update({ ...sealed, updated_at: now });
  await endChangedConnections(trx, paper.id, now);
}
