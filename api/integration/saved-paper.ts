/** A paper as this room reads it, and the integration saved in it. */
import type { Database, Transaction } from '../../gateway/runtime/database.ts';
import { firstRow } from '../../gateway/runtime/plain-sql.ts';
import { type Refusal, refuse } from '../../gateway/runtime/refusals.ts';
import { lockPaper } from '../papers/lock-paper.ts';
import type { FetchManifest } from './fetch-manifest.ts';
import {
  type ResolvedIntegration,
  type ResolvedSettingsPage,
  resolveIntegration,
  resolveSettingsPage,
  type UnusableIntegration,
  type UrlRules,
} from './saved-urls.ts';

/** The columns that matter here, with `meta` decoded. */
export interface SavedPaper {
  readonly id: string;
  readonly organizationId: string;
  readonly kind: string;
  readonly meta: Readonly<Record<string, unknown>>;
  /** The same as it is stored. */
  readonly metaText: string;
  readonly sequence: number;
}

/** A usable integration, and its manifest when it had to be fetched because the paper has none saved. */
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

/** Reads a paper. */
export async function readPaper(db: Database | Transaction, id: string): Promise<SavedPaper | undefined> {
  const sql = 'select id, organization_id, kind, meta, sequence from papers where id = ?';
  const row = await firstRow<PaperColumns>(db, sql, [id]);
  return row && asPaper(row);
}

/** The columns of a paper that something else's row was joined with; null when there is none. */
export const columnsOfPaper = `papers.id as joined_paper, papers.organization_id as joined_organization,
  papers.kind as joined_kind, papers.meta as joined_meta, papers.sequence as joined_sequence`;
export interface JoinedPaper {
  readonly joined_paper: string | null;
  readonly joined_organization: string;
  readonly joined_kind: string;
  readonly joined_meta: string;
  readonly joined_sequence: number;
}

/** The paper of such a row. */
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
    // Decoded when somebody looks: a manifest is long, and most of who asks only compares it.
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

/** Locks a paper until the transaction ends, which must begin so, and reads it. */
export async function lockedPaper(trx: Transaction, id: string): Promise<SavedPaper | undefined> {
  await lockPaper(trx, id);
  return await readPaper(trx, id);
}

/** Whether the paper has a manifest saved, usable or not. */
export function hasManifest(paper: SavedPaper): boolean {
  return paper.meta.pluginManifest !== undefined && paper.meta.pluginManifest !== null;
}

/** The integration that the paper has saved; `manifest` stands in for one that is not saved. */
export function integrationOf(
  paper: SavedPaper,
  rules: UrlRules,
  manifest: unknown,
): ResolvedIntegration | UnusableIntegration {
  if (paper.kind !== 'plugin') return { ok: false, refusal: notUsable('the paper is not a plugin paper') };
  const saved = hasManifest(paper) ? paper.meta.pluginManifest : manifest;
  return resolveIntegration({ configUrl: paper.meta.pluginConfigUrl, manifest: saved }, rules);
}

/**
 * The integration of a paper, its manifest fetched when none is saved.
 * @throws Refusal `configuration-not-saved` without a manifest URL, `invalid-integration-configuration` (D-8)
 */
export async function loadIntegration(
  edges: { rules: UrlRules; fetchManifest: FetchManifest },
  paper: SavedPaper,
): Promise<LoadedIntegration> {
  const { manifest, fetchedManifest } = await manifestOf(edges.fetchManifest, paper);
  const integration = usable(integrationOf(paper, edges.rules, manifest));
  return { integration, ...(fetchedManifest !== undefined && { fetchedManifest }) };
}

/**
 * The settings page of a paper's integration and the manifest that names it, fetched when none is saved.
 * @throws Refusal `configuration-not-saved` without a manifest URL, `invalid-integration-configuration` (D-8)
 */
export async function loadSettingsPage(
  edges: { rules: UrlRules; fetchManifest: FetchManifest },
  paper: SavedPaper,
): Promise<ResolvedSettingsPage & { readonly manifest: unknown }> {
  const { manifest } = await manifestOf(edges.fetchManifest, paper);
  const page = usable(resolveSettingsPage({ configUrl: paper.meta.pluginConfigUrl, manifest }, edges.rules));
  return { ...page, manifest };
}

/**
 * The manifest that counts: the saved one, else what its URL gives now.
 * @throws Refusal `configuration-not-saved` without a manifest URL, `invalid-integration-configuration` (D-8)
 */
export async function manifestOf(
  fetchManifest: FetchManifest,
  paper: SavedPaper,
): Promise<{ readonly manifest: unknown; readonly fetchedManifest?: Readonly<Record<string, unknown>> }> {
  if (paper.kind !== 'plugin') throw notUsable('the paper is not a plugin paper');
  const { pluginConfigUrl, pluginManifest } = paper.meta;
  if (pluginConfigUrl === undefined || pluginConfigUrl === null || pluginConfigUrl === '') {
    throw refuse('configuration-not-saved');
  }
  if (hasManifest(paper) || typeof pluginConfigUrl !== 'string') return { manifest: pluginManifest };
  const fetched = await fetchManifest(pluginConfigUrl);
  if (!fetched.ok) throw notUsable(`the manifest could not be fetched: ${fetched.problem}`);
  return { manifest: fetched.manifest, fetchedManifest: fetched.manifest };
}

/**
 * Reads the integration again under the paper's lock, with the manifest that was fetched before, if any.
 * @throws Refusal `configuration-not-saved` when the paper's saved manifest URL changed in between
 */
export function confirmIntegration(paper: SavedPaper, rules: UrlRules, loaded: LoadedIntegration): ResolvedIntegration {
  const integration = usable(integrationOf(paper, rules, loaded.fetchedManifest));
  if (integration.configUrl !== loaded.integration.configUrl) throw refuse('configuration-not-saved');
  return integration;
}

/** What was resolved, or its refusal thrown. */
function usable<Resolved extends { readonly ok: true }>(verdict: Resolved | UnusableIntegration): Resolved {
  if (!verdict.ok) throw verdict.refusal;
  return verdict;
}

function notUsable(hint: string): Refusal {
  return refuse('invalid-integration-configuration', { hint });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
