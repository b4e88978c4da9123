/** Fetches an integration's manifest under the rules for outgoing requests (A-29, D-8). */
import type { Clock } from '../../gateway/runtime/clock.ts';
import { type Network, requestOnce } from '../callbacks/request-once.ts';
import { allowsLoopback, readAbsoluteUrl, type UrlRules } from './saved-urls.ts';

/** The manifest as it was written, or why there is none. */
export type FetchedManifest =
  | { readonly ok: true; readonly manifest: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

/** Fetches the manifest at a URL. Never throws. */
export type FetchManifest = (url: string) => Promise<FetchedManifest>;

const manifestLimitBytes = 64 * 1024;
const deepestManifest = 16;
const dangerousKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** A fetcher for the process: no credentials, no redirects, at most 64 KiB within 15 s, checked and pinned address. */
export function manifestFetcher(edges: { network: Network; clock: Clock; rules: UrlRules }): FetchManifest {
  return async (url) => {
    const verdict = readAbsoluteUrl(url, edges.rules);
    if (!verdict.ok) return { ok: false, problem: verdict.why };
    const outcome = await requestOnce(edges, {
      url,
      method: 'GET',
      headers: { accept: 'application/json', 'user-agent': 'papergate' },
      allowLoopback: allowsLoopback(edges.rules),
      readLimitBytes: manifestLimitBytes,
    });
    if (outcome.kind === 'problem') return { ok: false, problem: outcome.problem };
    if (outcome.status !== 200) return { ok: false, problem: `status ${outcome.status}` };
    return decodeManifest(outcome.body);
  };
}

/** Decodes a manifest's bytes. It will be stored and merged, so depth and keys are bounded (F13, T-18). */
export function decodeManifest(bytes: Buffer): FetchedManifest {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return { ok: false, problem: 'not JSON' };
  }
  if (!isRecord(value) || !isHarmless(value, deepestManifest)) return { ok: false, problem: 'not a manifest' };
  return { ok: true, manifest: value };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isHarmless(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  return Object.entries(value).every(([key, inner]) => !dangerousKeys.has(key) && isHarmless(inner, levels - 1));
}
