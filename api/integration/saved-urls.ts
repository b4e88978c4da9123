/**
 * The URLs of a saved integration: the raw text is judged first, then the parsed URL, then the one origin of all. Pure.
 * Spec: Integration manifest rules 2 to 5.
 */

import { z } from 'zod';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { parseUrl } from '../../runtime/read-address.ts';
import { checkHost, loopbackAddresses } from '../outgoing/public-address.ts';

/** The operator's rules for URLs. `publicHosts` are this service's own, written as `URL.host` does (T-56). */
export interface UrlRules {
  readonly production: boolean;
  readonly allowLocalhost: boolean;
  readonly publicHosts: readonly string[];
}

/** A usable integration. All URLs are absolute and of one origin. */
export interface ResolvedIntegration extends ResolvedSettings {
  readonly origin: string;
  readonly settingsUrl: string;
  readonly renderUrl: string;
  readonly callbackUrl: string;
}

/**
 * The settings of an integration, and where they are changed. An integration without a settings page of its own
 * describes its fields in the manifest.
 */
export interface ResolvedSettings {
  readonly ok: true;
  readonly name: string;
  readonly configUrl: string;
  /** The settings page: absolute, and of the manifest's origin. */
  readonly settingsUrl?: string;
}

/** An integration that cannot be used, and which part is wrong. */
export interface UnusableIntegration {
  readonly ok: false;
  readonly why: Reason;
}

type ReadUrl = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly why: Reason };

const maxUrlLength = 2000;

/** The integration as the saved paper names it. Both values come from outside. */
interface SavedIntegration {
  readonly configUrl: unknown;
  readonly manifest: unknown;
}

/** The parts of a manifest that showing its settings needs. */
const settingsSchema = z.object({ name: z.string().trim().min(1).max(200), settingsPage: z.string().nullish() });

/** The part of a manifest that drawing its page needs. */
const renderSchema = z.object({ renderPage: z.string().min(1) });

/** The parts of a manifest that content push needs; pages read more of it. */
const manifestSchema = z.object({
  settingsPage: z.string(),
  renderPage: z.string(),
  capabilities: z.object({ contentPush: z.object({ callbackPath: z.string() }) }),
});

/** Explicit loopback endpoints may be allowed, but never in production. */
export function allowsLoopback(rules: UrlRules): boolean {
  return rules.allowLocalhost && !rules.production;
}

/** Resolves and checks an integration for content push. The manifest's URL and the manifest both come from outside. */
export function resolveIntegration(
  saved: SavedIntegration,
  rules: UrlRules,
): ResolvedIntegration | UnusableIntegration {
  const settings = resolveSettings(saved, rules);
  if (!settings.ok) return unusable(settings.why);
  const manifest = manifestSchema.safeParse(saved.manifest);
  if (!manifest.success) return unusable(malformed(manifest.error));
  const { settingsUrl } = settings;
  if (settingsUrl === undefined) return unusable(reasonOf('settings-page', { because: reasonOf('url-not-text') }));
  const { renderPage, capabilities } = manifest.data;
  const config = new URL(settings.configUrl);
  const render = readUrl(renderPage, config, rules);
  if (!render.ok) return unusable(reasonOf('render-page', { because: render.why }));
  const callback = readUrl(capabilities.contentPush.callbackPath, config, rules);
  if (!callback.ok) return unusable(reasonOf('callback-path', { because: callback.why }));
  return {
    ...settings,
    settingsUrl,
    origin: config.origin,
    renderUrl: render.url.href,
    callbackUrl: callback.url.href,
  };
}

const pushSchema = z.object({ capabilities: z.object({ contentPush: z.unknown().refine((push) => push != null) }) });

/** Returns whether a manifest asks for content push, well or badly. One that does not is whole without a connection. */
export const asksToPush = (manifest: unknown): boolean => pushSchema.safeParse(manifest).success;

/** Resolves and checks an integration's settings: plugin papers have some whether or not content is pushed to them. */
export function resolveSettings(
  saved: SavedIntegration,
  rules: UrlRules,
): ResolvedSettings | { readonly ok: false; readonly why: Reason } {
  const config = readAbsoluteUrl(saved.configUrl, rules);
  if (!config.ok) return { ok: false, why: reasonOf('manifest-url', { because: config.why }) };
  const manifest = settingsSchema.safeParse(saved.manifest);
  if (!manifest.success) return { ok: false, why: malformed(manifest.error) };
  const { name, settingsPage } = manifest.data;
  const found = { ok: true, name, configUrl: config.url.href } as const;
  if (settingsPage === undefined || settingsPage === null || settingsPage === '') return found;
  const settings = readUrl(settingsPage, config.url, rules);
  return settings.ok
    ? { ...found, settingsUrl: settings.url.href }
    : { ok: false, why: reasonOf('settings-page', { because: settings.why }) };
}

/**
 * Resolves the render page of an integration that nothing is pushed to. The page may be relative to its manifest, or
 * anywhere on the public network.
 */
export function resolveRenderPage(
  saved: SavedIntegration,
  rules: UrlRules,
): { readonly ok: true; readonly renderUrl: string } | { readonly ok: false; readonly why: Reason } {
  const config = readAbsoluteUrl(saved.configUrl, rules);
  if (!config.ok) return { ok: false, why: reasonOf('manifest-url', { because: config.why }) };
  const manifest = renderSchema.safeParse(saved.manifest);
  if (!manifest.success) return { ok: false, why: reasonOf('manifest-field', { field: 'renderPage' }) };
  const { renderPage } = manifest.data;
  // A bare `x` names a file in the manifest's folder, as `./x` does.
  const written = /^([a-z][a-z0-9+.-]*:|\/|\.\/)/i.test(renderPage) ? renderPage : `./${renderPage}`;
  const isAbsolute = /^[a-z][a-z0-9+.-]*:/i.test(written);
  const page = isAbsolute ? readAbsoluteUrl(written, rules) : readUrl(written, config.url, rules);
  // On loopback only the integration's own origin is admitted.
  const isInside = page.ok && loopbackAddresses(page.url.hostname) !== undefined;
  if (isInside && page.url.origin !== config.url.origin) {
    return { ok: false, why: reasonOf('render-page', { because: reasonOf('other-loopback') }) };
  }
  return page.ok
    ? { ok: true, renderUrl: page.url.href }
    : { ok: false, why: reasonOf('render-page', { because: page.why }) };
}

/** Reads an absolute URL by the rules for a manifest's address. */
export function readAbsoluteUrl(raw: unknown, rules: UrlRules): ReadUrl {
  const problem = rawProblem(raw);
  if (problem !== undefined || typeof raw !== 'string') return refused(problem ?? reasonOf('url-not-text'));
  // Raw-URL rule 3 allows port 443 alone in production, else any port; an explicit loopback host may use HTTP too
  //
  const written = /^https:\/\/(?:\[[^\]/]*\]|[^:/[\]%]+)(?::(443|[1-9]\d{0,4}))?(?:\/.*)?$/.exec(raw);
  const isPublic = written !== null && (!rules.production || written[1] === undefined || written[1] === '443');
  const isLoopback =
    allowsLoopback(rules) && /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:[1-9]\d{0,4})?(\/.*)?$/.test(raw);
  if (!isPublic && !isLoopback)
    return refused(rules.production ? reasonOf('url-not-https-443') : reasonOf('url-not-https'));
  const url = parseUrl(raw);
  if (url === undefined) return refused(reasonOf('not-a-url'));
  if (isOwnHost(url, rules.publicHosts)) return refused(reasonOf('url-this-service'));
  if (isLoopback) return { ok: true, url };
  const host = checkHost(url.hostname);
  if (host.kind === 'refused') return refused(host.why);
  // A trailing dot would make another origin (raw-URL rule 4). The text is judged as written, because the parser takes
  // the dot off an IPv4 address.
  return /^https:\/\/[^/:]*\.([:/]|$)/.test(raw) ? refused(reasonOf('url-ends-in-dot')) : { ok: true, url };
}

/** Reads a URL that may be written relative to the manifest, and keeps it on the manifest's origin. */
export function readUrl(raw: unknown, config: URL, rules: UrlRules): ReadUrl {
  const problem = rawProblem(raw);
  if (problem !== undefined || typeof raw !== 'string') return refused(problem ?? reasonOf('url-not-text'));
  // A relative URL begins with one slash or with `./` (raw-URL rule 5).
  const isRelative = (raw.startsWith('/') && !raw.startsWith('//')) || raw.startsWith('./');
  const read: ReadUrl = isRelative ? { ok: true, url: new URL(raw, config) } : readAbsoluteUrl(raw, rules);
  // Origins are compared after parsing (raw-URL rule 7).
  if (read.ok && (read.url.protocol !== config.protocol || read.url.origin !== config.origin)) {
    return refused(reasonOf('other-origin'));
  }
  return read;
}

/** Judges the text as it is configured (raw-URL rules 1, 2 and 6). */
function rawProblem(raw: unknown): Reason | undefined {
  if (typeof raw !== 'string' || raw === '') return reasonOf('url-not-text');
  if (raw.length > maxUrlLength) return reasonOf('url-too-long', { most: maxUrlLength });
  if (!/^[\x21-\x7e]+$/.test(raw)) return reasonOf('url-not-ascii');
  if (/[\\?#@]/.test(raw)) return reasonOf('url-holds-more');
  const path = raw.startsWith('./') ? raw.slice(2) : raw;
  const hasDots = path.split('/').some((segment) => /^\.{1,2}$/.test(segment.replaceAll(/%2e/gi, '.')));
  return hasDots ? reasonOf('url-dot-segments') : undefined;
}

/**
 * A URL must not name this service itself (T-56). On loopback the port distinguishes it from an integration under
 * development.
 */
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

function refused(why: Reason): ReadUrl {
  return { ok: false, why };
}

function malformed({ issues }: z.ZodError): Reason {
  return reasonOf('manifest-field', { field: issues[0]?.path.join('.') || 'it' });
}

function unusable(why: Reason): UnusableIntegration {
  return { ok: false, why };
}
