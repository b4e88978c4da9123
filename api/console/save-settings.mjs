// @ts-check
/** Stores a person's changes of a paper's settings, one part after the other. */
import { call, sentence } from './call-api.mjs';

/**
 * @typedef {{ deviceId: string, kind: string, organization: string, title: string, meta: Record<string, unknown> }} Paper
 * @typedef {object} SaverDeps
 * @property {string} paperId
 * @property {(state: string) => void} state how it stands, in a word or two
 * @property {(text: string | undefined) => void} problem
 */

/** Pages send an update at every keystroke; saves this far apart stay within the API's calls a minute. */
const betweenSavesMs = 500;

/** @param {SaverDeps} deps */
export function settingsSaver({ paperId, state, problem }) {
  /** Parts of the settings, and of the rest of the meta, that are not stored yet. @type {Record<string, unknown>} */
  let unsaved = {};
  /** @type {Record<string, unknown>} */
  let unsavedMeta = {};
  let saving = false;
  /** The last call of the API. Calls follow one another, since a grant may save the manifest. */
  /** @type {Promise<unknown>} */
  let previous = Promise.resolve();

  const isUnsaved = () => Object.keys(unsaved).length > 0 || Object.keys(unsavedMeta).length > 0;

  /**
   * @template Result
   * @param {() => Promise<Result>} work
   * @returns {Promise<Result>}
   */
  function afterPrevious(work) {
    const done = previous.then(work);
    previous = done.catch(() => {});
    return done;
  }

  /** Saves until nothing is left or the API refuses. Refused parts stay for another try. */
  async function save() {
    if (saving) return;
    saving = true;
    state('Saving…');
    try {
      while (isUnsaved()) {
        await new Promise((resolve) => setTimeout(resolve, betweenSavesMs));
        const [part, meta] = [unsaved, unsavedMeta];
        unsaved = {};
        unsavedMeta = {};
        await afterPrevious(() => store(paperId, part, meta)).catch((error) => {
          unsaved = { ...part, ...unsaved };
          unsavedMeta = { ...meta, ...unsavedMeta };
          throw error;
        });
      }
      problem(undefined);
      state('Saved');
    } catch (error) {
      state('Not saved');
      problem(sentence('The settings were not saved. ', error));
    } finally {
      saving = false;
    }
  }

  return {
    afterPrevious,
    again: save,
    isBusy: () => saving || isUnsaved(),
    /**
     * @param {Record<string, unknown>} part of the settings; what is undefined is taken out
     * @param {Record<string, unknown>} [metaPart] of the rest of the paper's meta
     */
    add(part, metaPart = {}) {
      unsaved = { ...unsaved, ...part };
      unsavedMeta = { ...unsavedMeta, ...metaPart };
      return save();
    },
  };
}

/**
 * Merges into the paper as it is now. Pages send everything twice, and the second time nothing differs (PAGE-17).
 * @param {string} paperId
 * @param {Record<string, unknown>} part
 * @param {Record<string, unknown>} metaPart
 */
async function store(paperId, part, metaPart) {
  /** @type {Paper} */
  const { deviceId, kind, organization, meta } = await call('GET', `/papers/${paperId}`);
  const stored = /** @type {Record<string, unknown>} */ (meta.pluginSettings ?? {});
  if (isSame(stored, part) && isSame(meta, metaPart)) return;
  const changed = { ...meta, ...metaPart, pluginSettings: { ...stored, ...part } };
  await call('POST', `/papers/${paperId}`, { deviceId, kind, organization, meta: changed });
}

/**
 * @param {Record<string, unknown>} stored
 * @param {Record<string, unknown>} part
 */
function isSame(stored, part) {
  return Object.entries(part).every(([key, value]) => JSON.stringify(stored[key]) === JSON.stringify(value));
}
