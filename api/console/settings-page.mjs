// @ts-check
/** The script of the page with a paper's settings: it handles the login, calls the API, and shows its answers. */
import { readPatch } from '../integration/settings-frame/read-frame-message.mjs';
import { showSettingsForm } from '../integration/settings-frame/settings-form.mjs';
import { hostSettingsFrame } from '../integration/settings-frame/settings-host.mjs';
import { call, forgetKey, hasKey, keepKey, sentence } from './call-api.mjs';
import { settingsSaver } from './save-settings.mjs';

/**
 * @typedef {import('./save-settings.mjs').Paper} Paper
 * @typedef {{ name: string, configUrl: string, settingsPage?: string, messageSourcePrefix: string,
 *   payload: { settings: Record<string, unknown>, meta: { pluginManifest: Record<string, unknown> } } }} Settings
 */

const paperId = /\/papers\/([0-9a-f]{24})\/settings/.exec(location.pathname)?.[1] ?? '';
const integrationPath = `/v1/integration-papers/papers/${paperId}`;
const libraryPath = `${import.meta.url.slice(0, import.meta.url.lastIndexOf('/') + 1)}jedison.mjs`;

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const frame = /** @type {HTMLIFrameElement} */ (element('frame'));
const keyField = /** @type {HTMLInputElement} */ (element('key'));
const inAddress = /** @type {HTMLInputElement} */ (element('in-address'));

const saver = settingsSaver({
  paperId,
  state(text) {
    for (const id of ['state', 'form-state']) element(id).textContent = text;
  },
  problem: (text) => showProblem(text, { again: text !== undefined }),
});

/**
 * @param {string | undefined} text
 * @param {{ again?: boolean }} [more]
 */
function showProblem(text, { again = false } = {}) {
  element('problem').hidden = text === undefined;
  /** @type {HTMLElement} */ (element('problem').querySelector('p')).textContent = text ?? '';
  element('again').hidden = !again;
}

/** The form holds something that nobody saved. */
let isEdited = false;

async function open() {
  showProblem(undefined);
  try {
    const problem = await takeReturned();
    /** @type {[Settings, Paper]} */
    const [settings, paper] = await Promise.all([
      call('GET', `${integrationPath}/settings-page`),
      call('GET', `/papers/${paperId}`),
    ]);
    await show(settings, paper);
    if (problem !== undefined) showProblem(problem);
  } catch (error) {
    const { isLogin } = /** @type {{ isLogin?: boolean }} */ (error);
    // Without a key the console's session was asked for; that there is none is no mistake of the person.
    const hadKey = hasKey();
    if (isLogin) forgetKey();
    element('login').hidden = !isLogin;
    element('forget').hidden = !hasKey();
    if (!isLogin) showProblem(sentence('The settings cannot be shown. ', error));
    else if (hadKey) showProblem('This key or token is not valid here.');
  }
}

/** The query with which a login elsewhere sent the person back. It leaves the address at once. */
const returned = (() => {
  const { searchParams } = new URL(location.href);
  history.replaceState(null, '', location.pathname);
  return {
    tempToken: searchParams.get('tempToken') ?? searchParams.get('integrationTempToken'),
    settings: searchParams.get('settings') ?? searchParams.get('integrationSettings'),
  };
})();

/**
 * Merges the settings that came back. Without the token that was sent along they may be anybody's and are left alone
 * (T-57).
 * @returns {Promise<string | undefined>} why they were not taken
 */
async function takeReturned() {
  const { tempToken, settings } = returned;
  if (tempToken === null || settings === null) return undefined;
  const refused = 'What the other site sent back was not taken. ';
  const read = readPatch(readJson(settings));
  if (read.kind !== 'settings') return refused + (read.kind === 'refused' ? read.why : '');
  try {
    await call('POST', `/v1/papers/${paperId}/plugin-redirect-redeem`, { tempToken });
  } catch (error) {
    if (/** @type {{ isLogin?: boolean }} */ (error).isLogin === true) throw error;
    returned.tempToken = null;
    return sentence(refused, error);
  }
  returned.tempToken = null;
  await saver.add(read.patch);
  return undefined;
}

/** @param {string} text */
function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * @param {Settings} found
 * @param {Paper} paper
 */
async function show(found, paper) {
  document.title = `${found.name} · Papergate`;
  element('title').textContent = found.name;
  element('subtitle').textContent = `Settings for the paper “${paper.title}”`;
  element('login').hidden = true;
  element('forget').hidden = !hasKey();
  await showForm(found, paper);
  if (found.settingsPage !== undefined) await showFrame(found, found.settingsPage);
}

/**
 * @param {Settings} found
 * @param {Paper} paper
 */
async function showForm({ payload }, { meta }) {
  const changed = () => {
    isEdited = true;
    element('form-state').textContent = 'Not saved yet';
  };
  const form = await showSettingsForm({
    container: element('fields'),
    loadLibrary: async () => (await import(libraryPath)).default,
    changed,
    manifest: payload.meta.pluginManifest,
    settings: payload.settings,
  });
  element('nothing').hidden = form !== undefined;
  inAddress.checked = meta.settingsInAddress === true;
  inAddress.addEventListener('change', changed);
  element('settings').hidden = false;
  element('settings').addEventListener('submit', (event) => {
    event.preventDefault();
    void save(form);
  });
}

/** @param {Awaited<ReturnType<typeof showSettingsForm>>} form */
async function save(form) {
  try {
    /** @type {Paper} */
    const { meta } = await call('GET', `/papers/${paperId}`);
    const stored = /** @type {Record<string, unknown>} */ (meta.pluginSettings ?? {});
    const part = form === undefined ? {} : form.changes(stored);
    if (part === undefined) return;
    isEdited = false;
    const isAsked = inAddress.checked !== (meta.settingsInAddress === true);
    await saver.add(part, isAsked ? { settingsInAddress: inAddress.checked } : {});
  } catch (error) {
    showProblem(sentence('The settings were not saved. ', error));
  }
}

/**
 * @param {Settings} found
 * @param {string} settingsUrl
 */
async function showFrame(found, settingsUrl) {
  const { origin, protocol, hostname } = new URL(settingsUrl);
  // Two policies hold at once: from here on no other origin is framed. A policy cannot name an IPv6 address.
  const policy = document.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = `frame-src ${hostname.startsWith('[') ? protocol : origin}`;
  document.head.append(policy);

  element('origin').textContent = `This part comes from ${origin}`;
  element('frame-box').hidden = false;
  // Without the token a page works as before, except for logins that send the person away.
  const token = await call('POST', `/v1/papers/${paperId}/plugin-redirect-token`).catch(() => undefined);
  const redirectUrl = `${location.origin}${location.pathname}`;
  hostSettingsFrame({
    window,
    frame,
    settingsUrl,
    sourcePrefix: found.messageSourcePrefix,
    payload: found.payload,
    ...(token !== undefined && { redirect: { redirectUrl, tempToken: token.tempToken } }),
    requestGrant: () => saver.afterPrevious(() => requestGrant(found, settingsUrl)),
    saveSettings: (patch) => void saver.add(patch),
    refused: (why) => showProblem(`The settings page sent something that was not taken. ${why}`),
  });
}

/**
 * @param {Settings} found
 * @param {string} settingsPage
 */
async function requestGrant({ configUrl }, settingsPage) {
  try {
    const { grant } = await call('POST', `${integrationPath}/grants`, { configUrl, settingsPage });
    showProblem(undefined);
    return grant;
  } catch (error) {
    showProblem(sentence('The integration could not be connected. ', error));
    throw error;
  }
}

element('login').addEventListener('submit', (event) => {
  event.preventDefault();
  keepKey(keyField.value.trim());
  keyField.value = '';
  void open();
});
element('forget').addEventListener('click', () => {
  forgetKey();
  location.reload();
});
element('again').addEventListener('click', () => void saver.again());
addEventListener('beforeunload', (event) => {
  if (isEdited || saver.isBusy()) event.preventDefault();
});
void open();
