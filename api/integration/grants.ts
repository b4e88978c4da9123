/** Grants: opaque, single-use, five minutes, kept as hashes only (spec: Connection lifecycle rule 1, T-28, T-29). */
import { type Database, type Transaction, transact } from '../../gateway/runtime/database.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import type { Role } from '../directory/principal.ts';
import { metaText } from '../http/field-shapes.ts';
import { mayConnect } from './authorize.ts';
import type { IntegrationEdges } from './edges.ts';
import { confirmIntegration, loadIntegration, lockedPaper, readPaper, type SavedPaper } from './saved-paper.ts';
import { type ResolvedIntegration, readAbsoluteUrl, readUrl, type UrlRules } from './saved-urls.ts';
import { tokenHash } from './sealed.ts';

/** A row of `grants`. */
export interface GrantRow {
  readonly id: string;
  readonly hash: string;
  readonly user_id: string;
  readonly paper_id: string;
  readonly config_url: string;
  readonly settings_url: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly ended_at: number | null;
}

/** What a settings page's host asks for. URLs are as the host knows them, absolute or as the manifest writes them. */
export interface GrantWish {
  readonly paperId: string;
  readonly member: { readonly userId: string; readonly role: Role; readonly organizationId: string };
  readonly configUrl: string;
  readonly settingsPage: string;
}

/** How long a grant works. */
const grantLifetimeMs = 5 * 60_000;

type GrantEdges = Pick<IntegrationEdges, 'db' | 'clock' | 'random' | 'settings' | 'fetchManifest'>;

/**
 * Creates a grant and ends the same user's pending ones for the paper; returns its text, which is stored nowhere. A
 * manifest that was not saved yet is saved with it.
 * @throws Refusal `paper-access-denied`, `invalid-integration-configuration`, `configuration-not-saved`
 */
export async function createGrant(edges: GrantEdges, wish: GrantWish): Promise<string> {
  const { db, clock, random, settings } = edges;
  const loaded = await loadIntegration(
    { rules: settings, fetchManifest: edges.fetchManifest },
    allowed(await readPaper(db, wish.paperId), wish),
  );
  const grant = random.secret(32);
  await transact(db, async (trx) => {
    const paper = allowed(await lockedPaper(trx, wish.paperId), wish);
    const integration = confirmIntegration(paper, settings, loaded);
    if (!isWished(wish, integration, settings)) throw refuse('configuration-not-saved');
    const now = clock.now();
    if (loaded.fetchedManifest !== undefined) await saveManifest(trx, paper, loaded.fetchedManifest, now);
    await trx('grants')
      .where({ user_id: wish.member.userId, paper_id: paper.id, ended_at: null })
      .update({ ended_at: now });
    await trx('grants').insert({
      id: random.id(),
      hash: tokenHash(grant),
      user_id: wish.member.userId,
      paper_id: paper.id,
      config_url: integration.configUrl,
      settings_url: integration.settingsUrl,
      created_at: now,
      expires_at: now + grantLifetimeMs,
      ended_at: null,
    } satisfies GrantRow);
  });
  return grant;
}

/**
 * The grant of a text, if it works now.
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
 * Uses a grant up: of any number of attempts exactly one changes the row (INV-49).
 * @throws Refusal `grant-spent`
 */
export async function consumeGrant(trx: Transaction, id: string, now: number): Promise<void> {
  const consumed = await trx('grants')
    .where({ id, ended_at: null })
    .where('expires_at', '>', now)
    .update({ ended_at: now });
  if (consumed !== 1) throw refuse('grant-spent');
}

/** A foreign and an unknown paper answer alike. */
function allowed(paper: SavedPaper | undefined, { member }: GrantWish): SavedPaper {
  if (paper === undefined || paper.organizationId !== member.organizationId || !mayConnect(member.role)) {
    throw refuse('paper-access-denied');
  }
  return paper;
}

function isWished(wish: GrantWish, integration: ResolvedIntegration, rules: UrlRules): boolean {
  const config = readAbsoluteUrl(wish.configUrl, rules);
  if (!config.ok || config.url.href !== integration.configUrl) return false;
  const settings = readUrl(wish.settingsPage, config.url, rules);
  return settings.ok && settings.url.href === integration.settingsUrl;
}

async function saveManifest(
  trx: Transaction,
  paper: SavedPaper,
  pluginManifest: Readonly<Record<string, unknown>>,
  now: number,
): Promise<void> {
  if (paper.meta.pluginManifest !== undefined && paper.meta.pluginManifest !== null) return;
  const meta = metaText({ ...paper.meta, pluginManifest });
  await trx('papers').where({ id: paper.id }).update({ meta, updated_at: now });
}
