// @ts-check
/** The script of the page that hosts a settings page: the person's login, what the API says, and what is shown of it. */
import { hostSettingsFrame } from '../integration/settings-frame/settings-host.mjs';

/**
 * @typedef {{ name: string, configUrl: string, settingsPage: string, messageSourcePrefix: string,
 *   payload: Record<string, unknown> }} SettingsPage
 * @typedef {{ title: string, kind: string, organization: string, deviceId: string, meta: Record<string, unknown> }} Paper
 */

const keyName = 'papergate-key';
/** Pages send an update at every keystroke; saved this far apart they stay within the API's calls a minute. */
const betweenSavesMs = 500;
const paperId = location.pathname.split('/')[3] ?? '';
const integrationPath = `/v1/integration-papers/papers/${paperId}`;

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const frame = /** @type {HTMLIFrameElement} */ (element('frame'));
const keyField = /** @type {HTMLInputElement} */ (element('key'));

/** Parts of the settings that are not stored yet. @type {Record<string, unknown>} */
let unsaved = {};
let saving = false;
/** What was asked of the API last; one thing after the other, since a grant may save the manifest. */
/** @type {Promise<unknown>} */
let previous = Promise.resolve();

/**
 * Calls the API as the person. Bearer only, no cookie: a foreign page has nothing to act with (T-57).
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>}
 */
async function call(method, path, body) {
  const key = sessionStorage.getItem(keyName) ?? '';
  /** @type {Record<string, string>} */
  const headers = /^[0-9a-f]{64}$/.test(key) ? { 'x-api-key': key } : { authorization: `Bearer ${key}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const answer = await fetch(path, {
    method,
    headers,
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error('Papergate cannot be reached.');
  });
  const said = await answer.json().catch(() => ({}));
  if (answer.ok) return said;
  const absent = answer.status === 404 ? 'The paper is not there, or it is not yours' : undefined;
  const problem = new Error(absent ?? said.message ?? `The service answered ${answer.status}`);
  throw Object.assign(problem, { hint: said.hint, isLogin: answer.status === 401 });
}

/**
 * @template Result
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
function inTurn(work) {
  const done = previous.then(work);
  previous = done.catch(() => {});
  return done;
}

/**
 * @param {string} what
 * @param {unknown} error
 */
function sentence(what, error) {
  const { message, hint } = /** @type {{ message: string, hint?: string }} */ (error);
  const said = message.replace(/\.?$/, '.');
  return `${what}${said}${hint === undefined ? '' : ` ${hint.replace(/^./, (first) => first.toUpperCase()).replace(/\.?$/, '.')}`}`;
}

/**
 * @param {string | undefined} text
 * @param {{ again?: boolean }} [more]
 */
function showProblem(text, { again = false } = {}) {
  element('problem').hidden = text === undefined;
  /** @type {HTMLElement} */ (element('problem').querySelector('p')).textContent = text ?? '';
  element('again').hidden = !again;
}

async function open() {
  showProblem(undefined);
  try {
    /** @type {[SettingsPage, Paper]} */
    const [page, paper] = await Promise.all([
      call('GET', `${integrationPath}/settings-page`),
      call('GET', `/papers/${paperId}`),
    ]);
    show(page, paper);
  } catch (error) {
    const { isLogin } = /** @type {{ isLogin?: boolean }} */ (error);
    if (isLogin) sessionStorage.removeItem(keyName);
    element('login').hidden = !isLogin;
    element('forget').hidden = isLogin === true;
    showProblem(isLogin ? 'This key or token is not valid here.' : sentence('The settings cannot be shown. ', error));
  }
}

/**
 * @param {SettingsPage} page
 * @param {Paper} paper
 */
function show(page, paper) {
  const { origin, protocol, hostname } = new URL(page.settingsPage);
  // Two policies hold at once: from here on no other origin is framed. A policy cannot name an IPv6 address.
  const policy = document.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = `frame-src ${hostname.startsWith('[') ? protocol : origin}`;
  document.head.append(policy);

  document.title = `${page.name} · Papergate`;
  element('title').textContent = page.name;
  element('subtitle').textContent = `Settings for the paper “${paper.title}”`;
  element('origin').textContent = `This part comes from ${origin}`;
  element('login').hidden = true;
  element('forget').hidden = false;
  element('frame-box').hidden = false;
  hostSettingsFrame({
    window,
    frame,
    settingsUrl: page.settingsPage,
    sourcePrefix: page.messageSourcePrefix,
    payload: page.payload,
    requestGrant: () => inTurn(() => requestGrant(page)),
    saveSettings(patch) {
      unsaved = { ...unsaved, ...patch };
      void save();
    },
    refused: (why) => showProblem(`The settings page sent something that was not taken. ${why}`),
  });
}

/** @param {SettingsPage} page */
async function requestGrant({ configUrl, settingsPage }) {
  try {
    const { grant } = await call('POST', `${integrationPath}/grants`, { configUrl, settingsPage });
    showProblem(undefined);
    return grant;
  } catch (error) {
    showProblem(sentence('The integration could not be connected. ', error));
    throw error;
  }
}

/** Stores what is not stored yet, until nothing is left or the API refuses; what was refused stays for another try. */
async function save() {
  if (saving) return;
  saving = true;
  element('state').textContent = 'Saving…';
  try {
    while (Object.keys(unsaved).length > 0) {
      await new Promise((resolve) => setTimeout(resolve, betweenSavesMs));
      const part = unsaved;
      unsaved = {};
      await inTurn(() => storeSettings(part)).catch((error) => {
        unsaved = { ...part, ...unsaved };
        throw error;
      });
    }
    showProblem(undefined);
    element('state').textContent = 'Saved';
  } catch (error) {
    element('state').textContent = 'Not saved';
    showProblem(sentence('The settings were not saved. ', error), { again: true });
  } finally {
    saving = false;
  }
}

/**
 * Merges into the paper as it is now. Pages say everything twice, so that the second time nothing is different (P-17).
 * @param {Record<string, unknown>} part
 */
async function storeSettings(part) {
  /** @type {Paper} */
  const { deviceId, kind, organization, meta } = await call('GET', `/papers/${paperId}`);
  const stored = /** @type {Record<string, unknown>} */ (meta.pluginSettings ?? {});
  if (Object.entries(part).every(([key, value]) => JSON.stringify(stored[key]) === JSON.stringify(value))) return;
  const pluginSettings = { ...stored, ...part };
  await call('POST', `/papers/${paperId}`, { deviceId, kind, organization, meta: { ...meta, pluginSettings } });
}

element('login').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem(keyName, keyField.value.trim());
  keyField.value = '';
  void open();
});
element('forget').addEventListener('click', () => {
  sessionStorage.removeItem(keyName);
  location.reload();
});
element('again').addEventListener('click', () => void save());
addEventListener('beforeunload', (event) => {
  if (saving || Object.keys(unsaved).length > 0) event.preventDefault();
});
if (sessionStorage.getItem(keyName) !== null) void open();
