/** Compares the integration that a paper has saved with the one that a connection was made for. */
import type { ConnectionRow } from './connections.ts';
import { hasManifest, integrationOf, type SavedPaper } from './saved-paper.ts';
import { readAbsoluteUrl, type UrlRules } from './saved-urls.ts';

/** The operator's rules for URLs, with the comparisons that were made under them. */
export interface ConnectionRules extends UrlRules {
  /** Without it every comparison is made again. */
  readonly comparisons?: ComparisonCache | undefined;
}

/** The last comparison of each connection, by its id; its creator bounds it. */
export type ComparisonCache = Map<string, Comparison>;

interface Comparison {
  readonly rules: string;
  readonly paper: SavedPaper;
  readonly connection: ConnectionRow;
  readonly isSame: boolean;
}

/**
 * Returns whether a paper's saved integration is still that of a connection. A submission asks three times, and the texts
 * that are compared seldom change, so the last comparison is remembered.
 */
export function isSameConfiguration(paper: SavedPaper, connection: ConnectionRow, rules: ConnectionRules): boolean {
  const { comparisons } = rules;
  const texts = { rules: textOf(rules), paper, connection };
  const last = comparisons?.get(connection.id);
  if (last !== undefined && isUnchanged(last, texts)) return last.isSame;
  const isSame = resolvesAlike(paper, connection, rules);
  comparisons?.set(connection.id, { ...texts, isSame });
  return isSame;
}

const textOf = ({ production, allowLocalhost, publicHosts }: UrlRules): string =>
  `${production} ${allowLocalhost} ${publicHosts.join(' ')}`;

function isUnchanged(last: Comparison, { rules, paper, connection }: Omit<Comparison, 'isSame'>): boolean {
  return (
    last.rules === rules &&
    last.paper.kind === paper.kind &&
    last.paper.metaText === paper.metaText &&
    last.connection.config_url === connection.config_url &&
    last.connection.settings_url === connection.settings_url &&
    last.connection.render_url === connection.render_url &&
    last.connection.callback_url === connection.callback_url
  );
}

/** Saved URLs are compared under these rules, whatever the operator allows: another rule is not a change of the paper. */
const anyUrl: UrlRules = { production: false, allowLocalhost: true, publicHosts: [] };

/** Compares as `isSameConfiguration` does, whatever URLs the operator allows now. */
export function isSameWhateverAllowed(paper: SavedPaper, connection: ConnectionRow): boolean {
  return resolvesAlike(paper, connection, anyUrl);
}

/** Compares resolved URLs, so that another spelling of the same URL is not a change. */
function resolvesAlike(paper: SavedPaper, connection: ConnectionRow, rules: UrlRules): boolean {
  if (paper.kind === 'plugin' && !hasManifest(paper)) {
    // A paper saved again without its manifest still names the same one; the URLs that it resolved to stay authorized.
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
