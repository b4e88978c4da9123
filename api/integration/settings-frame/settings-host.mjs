// @ts-check
/**
 * The host's half of the settings page's protocol: an ES module for browsers, without dependencies. It listens to one
 * window of one origin, and sends to that origin alone.
 */
import { hostNames, readFrameMessage } from './read-frame-message.mjs';

/**
 * The dependencies of a hosting page. `settingsUrl` is absolute and of another origin; `payload` is the INIT payload
 * with `settings` and `meta.pluginSettings`; `window` is the hosting page's own.
 * @typedef {object} SettingsFrameDeps
 * @property {Window} window
 * @property {HTMLIFrameElement} frame without `src`
 * @property {string} settingsUrl
 * @property {string} sourcePrefix `PAPERGATE_MESSAGE_SOURCE_PREFIX`
 * @property {Record<string, unknown>} payload
 * @property {() => Promise<string>} requestGrant rejects with an error whose message the settings page may show
 * @property {(patch: Record<string, unknown>) => void} saveSettings a part of the settings, to be merged and stored
 * @property {(why: string) => void} refused a message that broke the protocol's rules, in words for a person
 * @property {{ redirectUrl: string, tempToken: string }} [redirect] where a login elsewhere may send the person back
 * to,
 *   with the token that makes what comes back count
 */

/** A page logs in elsewhere by a popup of its own (PAGE-20). It neither leaves its frame nor moves the hosting page. */
const sandbox = 'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-same-origin';

/** The number of distinct connection requests of one loaded page: it bounds grants and remembered requests. */
const maxRequests = 100;

/**
 * Loads a settings page into a frame and serves it until `stop`.
 * @param {SettingsFrameDeps} deps
 * @throws {Error} for a URL that must not be framed
 */
export function hostSettingsFrame(deps) {
  const { window, frame, settingsUrl, sourcePrefix } = deps;
  const origin = framedOrigin(settingsUrl, window.location.origin);
  const names = hostNames(sourcePrefix);
  /** @type {Record<string, unknown>} */
  let settings = asRecord(deps.payload.settings);

  let stopped = false;

  /** @param {object} message */
  const post = (message) => {
    if (!stopped) frame.contentWindow?.postMessage(message, origin);
  };

  // INIT goes out in today's form under both names, then in the form that most pages read (PAGE-14).
  const init = () => {
    const meta = { ...asRecord(deps.payload.meta), pluginSettings: settings };
    const payload = { ...deps.payload, settings, meta };
    // The redirect goes out before INIT: some pages take it for settings and would forget the real ones over it (PAGE-16).
    if (deps.redirect !== undefined) {
      for (const source of names) post({ source, type: 'REDIRECT', payload: deps.redirect });
      post({ cmd: 'redirect', data: deps.redirect });
    }
    for (const source of names) post({ source, type: 'INIT', payload });
    post({ cmd: 'message', data: payload });
  };
  const connect = connectionAnswers(deps, post);

  /** @param {MessageEvent} event */
  const hear = (event) => {
    if (event.source === null || event.source !== frame.contentWindow || event.origin !== origin) return;
    const message = readFrameMessage(event.data, sourcePrefix);
    if (message?.kind === 'ready') init();
    else if (message?.kind === 'height') frame.style.height = `${message.heightPx}px`;
    else if (message?.kind === 'connect') connect(message);
    else if (message?.kind === 'refused') deps.refused(message.why);
    else if (message?.kind === 'settings') {
      // A message may hold a part of the settings or all of them; settings that it leaves out stay (PAGE-17).
      settings = { ...settings, ...message.patch };
      deps.saveSettings(message.patch);
    }
  };

  window.addEventListener('message', hear);
  frame.addEventListener('load', init); // PAGE-18
  frame.setAttribute('sandbox', sandbox);
  frame.setAttribute('referrerpolicy', 'no-referrer');
  frame.src = settingsUrl;
  return {
    /** Ends the host's half. The answer to a grant that is still under way is not sent. */
    stop() {
      stopped = true;
      window.removeEventListener('message', hear);
      frame.removeEventListener('load', init);
      frame.removeAttribute('src');
    },
  };
}

/**
 * Answers connection requests: one grant for each requestId, however often and under whichever name it comes, since a
 * new grant ends the one before. Pages ask under both names; each name is answered once and a replay not at all.
 * @param {Pick<SettingsFrameDeps, 'requestGrant' | 'refused'>} deps
 * @param {(message: object) => void} post
 */
function connectionAnswers({ requestGrant, refused }, post) {
  /** @type {Map<string, { readonly names: Set<string>, readonly outcome: Promise<{ grant: string } | { error: string }> }>} */
  const asked = new Map();
  /** @type {Promise<unknown>} */
  let previous = Promise.resolve();

  const ask = () => {
    const outcome = previous.then(requestGrant).then(
      (grant) => ({ grant }),
      (error) => ({ error: error instanceof Error ? error.message : 'The connection could not be made' }),
    );
    previous = outcome;
    return outcome;
  };

  /** @param {{ requestId: string, answerAs: string }} request */
  return ({ requestId, answerAs }) => {
    const known = asked.get(requestId);
    if (known === undefined && asked.size >= maxRequests) {
      refused('The settings page asked for too many connections. Load this page again.');
      return;
    }
    const request = known ?? { names: new Set(), outcome: ask() };
    asked.set(requestId, request);
    if (request.names.has(answerAs)) return;
    request.names.add(answerAs);
    // An answer holds nothing that a page could take for settings (PAGE-16).
    request.outcome.then((answer) =>
      post({ source: answerAs, type: 'CONNECTION_GRANT', payload: { requestId, ...answer } }),
    );
  };
}

/**
 * Returns the exact origin of a page that may be framed. A page of the host's own origin could remove its sandbox.
 * @param {string} settingsUrl
 * @param {string} ownOrigin
 */
function framedOrigin(settingsUrl, ownOrigin) {
  const { protocol, hostname, username, password, origin } = new URL(settingsUrl);
  const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback)) throw new Error('A settings page needs HTTPS');
  if (username !== '' || password !== '') throw new Error('The address of a settings page must not hold credentials');
  if (origin === ownOrigin) throw new Error('A settings page needs an origin of its own');
  return origin;
}

/**
 * @param {unknown} value
 * @returns {Record<string, unknown>}
 */
function asRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
