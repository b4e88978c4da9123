/** A paper as this room reads it, and the integration that is saved in it. */

import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { type Refusal, refuse } from '../../reasons/refusals.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { firstRow } from '../../runtime/database/plain-sql.ts';
import { isRecord } from '../../runtime/plain-record.ts';
import { lockPaper } from '../papers/lock-paper.ts';
import type { FetchManifest } from './fetch-manifest.ts';
import {
  type ResolvedIntegration,
  type ResolvedSettings,
  resolveIntegration,
  resolveSettings,
  type UnusableIntegration,
  type UrlRules,
} from './saved-urls.ts';

/** The columns of a paper that matter to integrations, with `meta` decoded. */
export interface SavedPaper {
  readonly id: string;
  readonly organizationId: string;
  readonly kind: string;
  readonly meta: Readonly<Record<string, unknown>>;
  /** The stored text of `meta`. */
  readonly metaText: string;
  readonly sequence: number;
}

/** A usable integration, with its manifest if that had to be fetched because the paper has none saved. */
export interface LoadedIntegration {
  readonly integration: ResolvedIntegration;
  readonly fetchedManifest?: Readonly<Record<string, unknown>>;
}

interface PaperColumns {
  readonly id: string;
  readonly organization_id: string;
  readonly kind: string;
  readonly meta: string;
  readonly sequence: number;
}

export async function readPaper(db: Database | Transaction, id: string): Promise<SavedPaper | undefined> {
  const sql = 'select id, organization_id, kind, meta, sequence from papers where id = ?';
  const row = await firstRow<PaperColumns>(db, sql, [id]);
  return row && asPaper(row);
}

/** The columns of a paper that is joined to another table's row; they are null when there is no paper. */
export const columnsOfPaper = `papers.id as joined_paper, papers.organization_id as joined_organization,
  papers.kind as joined_kind, papers.meta as joined_meta, papers.sequence as joined_sequence`;
export interface JoinedPaper {
  readonly joined_paper: string | null;
  readonly joined_organization: string;
  readonly joined_kind: string;
  readonly joined_meta: string;
  readonly joined_sequence: number;
}

/** Reads the joined paper out of such a row. */
export function joinedPaper(row: JoinedPaper): SavedPaper | undefined {
  const { joined_paper: id, joined_organization: organization_id, joined_kind: kind } = row;
  const { joined_meta: meta, joined_sequence: sequence } = row;
  return id === null ? undefined : asPaper({ id, organization_id, kind, meta, sequence });
}

function asPaper(row: PaperColumns): SavedPaper {
  let decoded: SavedPaper['meta'] | undefined;
  return {
    id: row.id,
    organizationId: row.organization_id,
    kind: row.kind,
    // The meta is decoded when it is first read: a manifest is long, and most callers only compare its text.
    get meta() {
      if (decoded !== undefined) return decoded;
      const meta: unknown = JSON.parse(row.meta);
      decoded = isRecord(meta) ? meta : {};
      return decoded;
    },
    metaText: row.meta,
    sequence: row.sequence,
  };
}

/** Locks a paper until the transaction ends and reads it. This must be the transaction's first statement. */
export async function lockedPaper(trx: Transaction, id: string): Promise<SavedPaper | undefined> {
  await lockPaper(trx, id);
  return await readPaper(trx, id);
}

/** Returns whether the paper has a manifest saved, usable or not. */
export function hasManifest(paper: SavedPaper): boolean {
  return paper.meta.pluginManifest !== undefined && paper.meta.pluginManifest !== null;
}

/** Resolves the integration that the paper has saved. `manifest` stands in for one that is not saved. */
export function integrationOf(
  paper: SavedPaper,
  rules: UrlRules,
  manifest: unknown,
): ResolvedIntegration | UnusableIntegration {
  if (paper.kind !== 'plugin') return { ok: false, why: reasonOf('not-plugin-paper') };
  const saved = hasManifest(paper) ? paper.meta.pluginManifest : manifest;
  return resolveIntegration({ configUrl: paper.meta.pluginConfigUrl, manifest: saved }, rules);
}

/**
 * Resolves the integration of a paper that content is pushed to; its manifest is fetched when none is saved.
 * @throws Refusal `configuration-not-saved` without a manifest URL, `invalid-integration-configuration` (D-8)
 */
export async function loadIntegration(
  deps: { rules: UrlRules; fetchManifest: FetchManifest },
  paper: SavedPaper,
): Promise<LoadedIntegration> {
  const found = await manifestOf(deps.fetchManifest, paper);
  if (!found.ok) throw found.isSaved ? notUsable(found.problem) : refuse('configuration-not-saved');
  const { manifest, fetchedManifest } = found;
  const integration = usable(integrationOf(paper, deps.rules, manifest));
  return { integration, ...(fetchedManifest !== undefined && { fetchedManifest }) };
}

/**
 * Resolves the settings of a paper's integration; the manifest that describes them is fetched when none is saved.
 * @throws Refusal `unusable-integration`
 */
export async function loadSettings(
  deps: { rules: UrlRules; fetchManifest: FetchManifest },
  paper: SavedPaper,
): Promise<ResolvedSettings & { readonly manifest: unknown }> {
  const found = await manifestOf(deps.fetchManifest, paper);
  if (!found.ok) throw refuse('unusable-integration', { hint: found.problem });
  const { manifest } = found;
  const settings = resolveSettings({ configUrl: paper.meta.pluginConfigUrl, manifest }, deps.rules);
  if (!settings.ok) throw refuse('unusable-integration', { hint: settings.why });
  return { ...settings, manifest };
}

/**
 * A paper's manifest, or the reason why it has none. `isSaved` is false when the paper does not even name a manifest.
 */
export type FoundManifest =
  | { readonly ok: true; readonly manifest: unknown; readonly fetchedManifest?: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly isSaved: boolean; readonly problem: Reason };

/** Finds the manifest that counts: the saved one, else the one that its URL gives now (D-8). */
export async function manifestOf(fetchManifest: FetchManifest, paper: SavedPaper): Promise<FoundManifest> {
  if (paper.kind !== 'plugin') return { ok: false, isSaved: true, problem: reasonOf('not-plugin-paper') };
  const { pluginConfigUrl, pluginManifest } = paper.meta;
  if (pluginConfigUrl === undefined || pluginConfigUrl === null || pluginConfigUrl === '') {
    return { ok: false, isSaved: false, problem: reasonOf('integration-not-named') };
  }
  if (hasManifest(paper) || typeof pluginConfigUrl !== 'string') return { ok: true, manifest: pluginManifest };
  const fetched = await fetchManifest(pluginConfigUrl, paper.organizationId);
  if (!fetched.ok) {
    return { ok: false, isSaved: true, problem: reasonOf('manifest-not-fetched', { because: fetched.problem }) };
  }
  return { ok: true, manifest: fetched.manifest, fetchedManifest: fetched.manifest };
}

/**
 * Resolves the integration again under the paper's lock, with the manifest that was fetched before, if any.
 * @throws Refusal `configuration-not-saved` when the paper's saved manifest URL changed in between
 */
export function confirmIntegration(paper: SavedPaper, rules: UrlRules, loaded: LoadedIntegration): ResolvedIntegration {
  const integration = usable(integrationOf(paper, rules, loaded.fetchedManifest));
  if (integration.configUrl !== loaded.integration.configUrl) throw refuse('configuration-not-saved');
  return integration;
}

/** Returns the resolved integration, or throws its refusal. */
function usable<Resolved extends { readonly ok: true }>(found: Resolved | UnusableIntegration): Resolved {
  if (!found.ok) throw notUsable(found.why);
  return found;
}

function notUsable(hint: Reason): Refusal {
  return refuse('invalid-integration-configuration', { hint });
}
