/** Fetches an integration's manifest under the rules for outgoing requests. */
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { isRecord } from '../../runtime/plain-record.ts';
import { requestOnce } from '../outgoing/request-once.ts';
import type { WayOut } from '../outgoing/way-out.ts';
import { allowsLoopback, readAbsoluteUrl, type UrlRules } from './saved-urls.ts';

/** The manifest as it was written, or the reason why there is none. */
export type FetchedManifest =
  | { readonly ok: true; readonly manifest: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: Reason };

/** Fetches the manifest at a URL for an organization. Never throws. */
export type FetchManifest = (url: string, organizationId: string) => Promise<FetchedManifest>;

const manifestLimitBytes = 64 * 1024;
const deepestManifest = 16;
const dangerousKeys = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Makes the fetcher of the process: no credentials, no redirects, at most 64 KiB within 15 s, checked and pinned
 * address.
 */
export function manifestFetcher(deps: { wayOut: WayOut; rules: UrlRules }): FetchManifest {
  return async (url, organizationId) => {
    const address = readAbsoluteUrl(url, deps.rules);
    if (!address.ok) return { ok: false, problem: address.why };
    const outcome = await requestOnce(deps.wayOut, {
      sharer: [organizationId],
      url,
      method: 'GET',
      headers: { accept: 'application/json' },
      allowLoopback: allowsLoopback(deps.rules),
      anyPort: !deps.rules.production,
      readLimitBytes: manifestLimitBytes,
    });
    if (outcome.kind === 'problem') return { ok: false, problem: outcome.problem };
    if (outcome.status !== 200) return { ok: false, problem: reasonOf('answer-status', { status: outcome.status }) };
    return decodeManifest(outcome.body);
  };
}

/** Decodes a manifest's bytes. The manifest will be stored and merged, so depth and keys are bounded (T-18). */
export function decodeManifest(bytes: Buffer): FetchedManifest {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return { ok: false, problem: reasonOf('not-json') };
  }
  if (!isRecord(value) || !isHarmless(value, deepestManifest))
    return { ok: false, problem: reasonOf('not-a-manifest') };
  return { ok: true, manifest: value };
}

function isHarmless(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  return Object.entries(value).every(([key, inner]) => !dangerousKeys.has(key) && isHarmless(inner, levels - 1));
}
