/**
 * The URLs of a saved integration: raw-text rules first, then the parser, then one origin for all (T-05, F11). Pure.
 * Spec: Integration manifest rules 2 to 5.
 */
import { z } from 'zod';
import { type Refusal, refuse } from '../../gateway/runtime/refusals.ts';
import { checkHost, loopbackAddresses } from '../callbacks/public-address.ts';

/** What the operator allows. `publicHosts` are this service's own, as `URL.host` writes them (T-56). */
export interface UrlRules {
  readonly production: boolean;
  readonly allowLocalhost: boolean;
  readonly publicHosts: readonly string[];
}

/** A usable integration. All URLs are absolute and of one origin. */
export interface ResolvedIntegration extends ResolvedSettingsPage {
  readonly origin: string;
  readonly renderUrl: string;
  readonly callbackUrl: string;
}

/** Where a settings page is, and what it belongs to. Both URLs are absolute and of one origin. */
export interface ResolvedSettingsPage {
  readonly ok: true;
  readonly name: string;
  readonly configUrl: string;
  readonly settingsUrl: string;
}

/** Not usable; the refusal's hint says which part. */
export interface UnusableIntegration {
  readonly ok: false;
  readonly refusal: Refusal;
}

type UrlVerdict = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly why: string };

const longestUrl = 2000;

/** What the saved paper says of its integration; both from outside. */
interface SavedIntegration {
  readonly configUrl: unknown;
  readonly manifest: unknown;
}

/** The parts of a manifest that its settings page needs. */
const settingsSchema = z.object({ name: z.string().trim().min(1).max(200), settingsPage: z.string() });

/** The part of a manifest that drawing its page needs. */
const renderSchema = z.object({ renderPage: z.string().min(1) });

/** The parts of a manifest that content push needs; pages read more of it. */
const manifestSchema = settingsSchema.extend({
  renderPage: z.string(),
  capabilities: z.object({ contentPush: z.object({ callbackPath: z.string() }) }),
});

/** Whether explicit loopback endpoints are allowed: never in production (T-06, A-30). */
export function allowsLoopback(rules: UrlRules): boolean {
  return rules.allowLocalhost && !rules.production;
}

/** Resolves and checks what a paper has saved: the manifest's URL and the manifest itself, both from outside. */
export function resolveIntegration(
  saved: SavedIntegration,
  rules: UrlRules,
): ResolvedIntegration | UnusableIntegration {
  const settings = resolveSettingsPage(saved, rules);
  if (!settings.ok) return settings;
  const manifest = manifestSchema.safeParse(saved.manifest);
  if (!manifest.success) return malformed(manifest.error);
  const { renderPage, capabilities } = manifest.data;
  const config = new URL(settings.configUrl);
  const render = readUrl(renderPage, config, rules);
  if (!render.ok) return unusable(`renderPage: ${render.why}`);
  const callback = readUrl(capabilities.contentPush.callbackPath, config, rules);
  if (!callback.ok) return unusable(`callbackPath: ${callback.why}`);
  return {
    ...settings,
    origin: config.origin,
    renderUrl: render.url.href,
    callbackUrl: callback.url.href,
  };
}

/** Resolves and checks the settings page alone: plugin papers have one whether or not content is pushed to them. */
export function resolveSettingsPage(
  saved: SavedIntegration,
  rules: UrlRules,
): ResolvedSettingsPage | UnusableIntegration {
  const config = readAbsoluteUrl(saved.configUrl, rules);
  if (!config.ok) return unusable(`the manifest's URL: ${config.why}`);
  const manifest = settingsSchema.safeParse(saved.manifest);
  if (!manifest.success) return malformed(manifest.error);
  const { name, settingsPage } = manifest.data;
  const settings = readUrl(settingsPage, config.url, rules);
  if (!settings.ok) return unusable(`settingsPage: ${settings.why}`);
  return { ok: true, name, configUrl: config.url.href, settingsUrl: settings.url.href };
}

/**
 * Resolves the render page of an integration that nothing is pushed to: written relative to its manifest, or anywhere on
 * the public network.
 */
export function resolveRenderPage(
  saved: SavedIntegration,
  rules: UrlRules,
): { readonly ok: true; readonly renderUrl: string } | { readonly ok: false; readonly why: string } {
  const config = readAbsoluteUrl(saved.configUrl, rules);
  if (!config.ok) return { ok: false, why: `the manifest's URL: ${config.why}` };
  const manifest = renderSchema.safeParse(saved.manifest);
  if (!manifest.success) return { ok: false, why: 'the manifest: renderPage is missing or malformed' };
  const { renderPage } = manifest.data;
  // A bare `x` means the manifest's folder, as `./x` does.
  const written = /^([a-z][a-z0-9+.-]*:|\/|\.\/)/i.test(renderPage) ? renderPage : `./${renderPage}`;
  const isAbsolute = /^[a-z][a-z0-9+.-]*:/i.test(written);
  const page = isAbsolute ? readAbsoluteUrl(written, rules) : readUrl(written, config.url, rules);
  // on loopback nothing but the integration's own origin is admitted.
  const isInside = page.ok && loopbackAddresses(page.url.hostname) !== undefined;
  if (isInside && page.url.origin !== config.url.origin) {
    return { ok: false, why: 'renderPage: another loopback origin than the manifest' };
  }
  return page.ok ? { ok: true, renderUrl: page.url.href } : { ok: false, why: `renderPage: ${page.why}` };
}

/** Reads an absolute URL as a manifest's address must be written. */
export function readAbsoluteUrl(raw: unknown, rules: UrlRules): UrlVerdict {
  const problem = rawProblem(raw);
  if (problem !== undefined || typeof raw !== 'string') return refused(problem ?? 'not a text');
  // Raw-URL rule 3; an explicit loopback host may use HTTP and any port.
  const isPublic = /^https:\/\/(\[[^\]/]*\]|[^:/[\]%]+)(:443)?(\/.*)?$/.test(raw);
  const isLoopback =
    allowsLoopback(rules) && /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:[1-9]\d{0,4})?(\/.*)?$/.test(raw);
  if (!isPublic && !isLoopback) return refused('not https://host/path on port 443');
  if (!URL.canParse(raw)) return refused('not a URL');
  const url = new URL(raw);
  if (isOwnHost(url, rules.publicHosts)) return refused('the host is this service itself');
  if (isLoopback) return { ok: true, url };
  const host = checkHost(url.hostname);
  if (host.kind === 'refused') return refused(host.why);
  // Raw-URL rule 4: the dot makes another origin. Judged as written, since the parser takes it off an IPv4 address.
  return /^https:\/\/[^/:]*\.([:/]|$)/.test(raw) ? refused('the host ends in a dot') : { ok: true, url };
}

/** Reads a URL that may be written relative to the manifest, and keeps it on the manifest's origin. */
export function readUrl(raw: unknown, config: URL, rules: UrlRules): UrlVerdict {
  const problem = rawProblem(raw);
  if (problem !== undefined || typeof raw !== 'string') return refused(problem ?? 'not a text');
  // Raw-URL rule 5
  const isRelative = (raw.startsWith('/') && !raw.startsWith('//')) || raw.startsWith('./');
  const verdict: UrlVerdict = isRelative ? { ok: true, url: new URL(raw, config) } : readAbsoluteUrl(raw, rules);
  // Raw-URL rule 7: compared on the parsed result
  if (verdict.ok && (verdict.url.protocol !== config.protocol || verdict.url.origin !== config.origin)) {
    return refused('another origin than the manifest');
  }
  return verdict;
}

/** Raw-URL rules 1, 2 and 6, on the text as it is configured. */
function rawProblem(raw: unknown): string | undefined {
  if (typeof raw !== 'string' || raw === '') return 'not a text';
  if (raw.length > longestUrl) return `longer than ${longestUrl} characters`;
  if (!/^[\x21-\x7e]+$/.test(raw)) return 'only printable ASCII is allowed';
  if (/[\\?#@]/.test(raw)) return 'credentials, query, fragment and backslash are not allowed';
  const path = raw.startsWith('./') ? raw.slice(2) : raw;
  const hasDots = path.split('/').some((segment) => /^\.{1,2}$/.test(segment.replaceAll(/%2e/gi, '.')));
  return hasDots ? 'dot segments are not allowed' : undefined;
}

/** T-56. On loopback the port tells this service from an integration under development. */
function isOwnHost(url: URL, publicHosts: readonly string[]): boolean {
  return publicHosts.some((host) => {
    if (!URL.canParse(`http://${host}`)) throw new Error('public hosts are written as URL.host');
    const own = new URL(`http://${host}`);
    const bothLoopback = loopbackAddresses(own.hostname) !== undefined && loopbackAddresses(url.hostname) !== undefined;
    return bothLoopback ? portOf(own) === portOf(url) : own.hostname === url.hostname;
  });
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}

function refused(why: string): UrlVerdict {
  return { ok: false, why };
}

function malformed({ issues }: z.ZodError): UnusableIntegration {
  return unusable(`the manifest: ${issues[0]?.path.join('.') || 'it'} is missing or malformed`);
}

function unusable(hint: string): UnusableIntegration {
  return { ok: false, refusal: refuse('invalid-integration-configuration', { hint }) };
}
