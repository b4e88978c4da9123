// @ts-check
/**
 * The host's half of the settings page's protocol: an ES module for browsers, without dependencies. It hears one window
 * of one origin, and speaks to that origin alone (T-40).
 */
import { hostNames, readFrameMessage } from './read-frame-message.mjs';

/**
 * What a hosting page hands in. `settingsUrl` is absolute and of another origin; `payload` is the INIT payload with
 * `settings` and `meta.pluginSettings`; `window` is the hosting page's own.
 * @typedef {object} SettingsFrameEdges
 * @property {Window} window
 * @property {HTMLIFrameElement} frame without `src`
 * @property {string} settingsUrl
 * @property {string} sourcePrefix `PAPERGATE_MESSAGE_SOURCE_PREFIX`
 * @property {Record<string, unknown>} payload
 * @property {() => Promise<string>} requestGrant rejects with an error whose message the settings page may show
 * @property {(patch: Record<string, unknown>) => void} saveSettings a part of the settings, to be merged and stored
 * @property {(why: string) => void} refused a message that broke the protocol's rules, in words for a person
 */

/** P-20: pages log in elsewhere by a popup of their own. They neither leave their frame nor move this page. */
const sandbox = 'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-same-origin';

/** Distinct connection requests of one loaded page; a bound on grants and on what is remembered. */
const mostRequests = 100;

/**
 * Loads a settings page into a frame and serves it until `stop`.
 * @param {SettingsFrameEdges} edges
 * @throws {Error} for a URL that must not be framed
 */
export function hostSettingsFrame(edges) {
  const { window, frame, settingsUrl, sourcePrefix } = edges;
  const origin = framedOrigin(settingsUrl, window.location.origin);
  const names = hostNames(sourcePrefix);
  /** @type {Record<string, unknown>} */
  let settings = asRecord(edges.payload.settings);

  let stopped = false;

  /** @param {object} message */
  const post = (message) => {
    if (!stopped) frame.contentWindow?.postMessage(message, origin);
  };

  // P-14, P-19: today's form under both names, then the form that most pages read
  const init = () => {
    const meta = { ...asRecord(edges.payload.meta), pluginSettings: settings };
    const payload = { ...edges.payload, settings, meta };
    for (const source of names) post({ source, type: 'INIT', payload });
    post({ cmd: 'message', data: payload });
  };
  const connect = connectionAnswers(edges, post);

  /** @param {MessageEvent} event */
  const hear = (event) => {
    if (event.source === null || event.source !== frame.contentWindow || event.origin !== origin) return;
    const message = readFrameMessage(event.data, sourcePrefix);
    if (message?.kind === 'ready') init();
    else if (message?.kind === 'height') frame.style.height = `${message.heightPx}px`;
    else if (message?.kind === 'connect') connect(message);
    else if (message?.kind === 'refused') edges.refused(message.why);
    else if (message?.kind === 'settings') {
      // P-17: a part or the whole; what is missing in it stays
      settings = { ...settings, ...message.patch };
      edges.saveSettings(message.patch);
    }
  };

  window.addEventListener('message', hear);
  frame.addEventListener('load', init); // P-18
  frame.setAttribute('sandbox', sandbox);
  frame.setAttribute('referrerpolicy', 'no-referrer');
  frame.src = settingsUrl;
  return {
    /** Ends it; a grant that is still under way reaches nobody. */
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
 * @param {Pick<SettingsFrameEdges, 'requestGrant' | 'refused'>} edges
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
    if (known === undefined && asked.size >= mostRequests) {
      refused('The settings page asked for too many connections. Load this page again.');
      return;
    }
    const request = known ?? { names: new Set(), outcome: ask() };
    asked.set(requestId, request);
    if (request.names.has(answerAs)) return;
    request.names.add(answerAs);
    // P-16: nothing in here looks like settings
    request.outcome.then((answer) =>
      post({ source: answerAs, type: 'CONNECTION_GRANT', payload: { requestId, ...answer } }),
    );
  };
}

/**
 * The exact origin of a page that may be framed. A page of the host's own origin could take its sandbox away.
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
