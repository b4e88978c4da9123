/** Stores what a person changes of an integration's settings, one part after the other. */
import { type Signal, signal } from '@preact/signals';
import { callApi } from '../../ground/call-api.ts';
import { asPaper, type Paper, putPaper } from '../../ground/paper-book.ts';
import { asProblem } from '../../ground/resource.ts';
import { t } from '../../ground/words.ts';
import { problemText } from '../../parts/states.tsx';
import { isSameValue, readPaper } from '../draft/paper-draft.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Pages send an update at every keystroke; saves this far apart stay within the API's calls a minute. */
const betweenSavesMs = 500;

/** The changes of one paper's settings that are not stored yet. */
export class SettingsSaver {
  readonly #paperId: string;
  /** The state of saving; undefined before the first change. */
  readonly state: Signal<'edited' | 'saving' | 'saved' | 'failed' | undefined> = signal(undefined);
  /** The last problem, in words for a person. */
  readonly problem: Signal<string | undefined> = signal(undefined);
  #settings: Fields = {};
  #meta: Fields = {};
  #isSaving = false;
  /** The last call of the API. Calls follow one another, since a grant may save the manifest. */
  #previous: Promise<unknown> = Promise.resolve();

  constructor(paperId: string) {
    this.#paperId = paperId;
  }

  /** Whether something that a person changed is not stored. */
  get isBusy(): boolean {
    return this.#isSaving || this.#isUnsaved || this.state.peek() === 'edited';
  }

  get #isUnsaved(): boolean {
    return Object.keys(this.#settings).length > 0 || Object.keys(this.#meta).length > 0;
  }

  /** Runs a call of the API after the one before it. */
  afterPrevious<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#previous.then(work);
    this.#previous = done.catch(() => undefined);
    return done;
  }

  /**
   * Adds a part of the settings and stores it.
   * @param settings undefined values are removed
   * @param meta fields of the rest of the paper's meta
   */
  add(settings: Fields, meta: Fields = {}): Promise<void> {
    this.#settings = { ...this.#settings, ...settings };
    this.#meta = { ...this.#meta, ...meta };
    return this.save();
  }

  /** Saves until nothing is left or the API refuses. Refused parts stay for another try. */
  async save(): Promise<void> {
    if (this.#isSaving) return;
    this.#isSaving = true;
    this.state.value = 'saving';
    try {
      while (this.#isUnsaved) {
        await new Promise((resolve) => setTimeout(resolve, betweenSavesMs));
        await this.#saveOnce();
      }
      this.problem.value = undefined;
      this.state.value = 'saved';
    } catch (error) {
      this.state.value = 'failed';
      this.problem.value = t('integration.notStored', { reason: problemText(asProblem(error)) });
    } finally {
      this.#isSaving = false;
    }
  }

  async #saveOnce(): Promise<void> {
    const [settings, meta] = [this.#settings, this.#meta];
    [this.#settings, this.#meta] = [{}, {}];
    try {
      await this.afterPrevious(() => store(this.#paperId, settings, meta));
    } catch (error) {
      this.#settings = { ...settings, ...this.#settings };
      this.#meta = { ...meta, ...this.#meta };
      throw error;
    }
  }
}

/** Returns the settings that a paper has for its integration. */
export const settingsOf = ({ meta }: Paper): Fields => (meta.pluginSettings ?? {}) as Fields;

/** Merges into the paper as it is now. Pages send everything twice, and the second time nothing differs (PAGE-17). */
async function store(paperId: string, settings: Fields, metaPart: Fields): Promise<void> {
  const paper = await readPaper(paperId);
  const { deviceId, kind, organization, meta } = paper;
  const stored = settingsOf(paper);
  if (holds(stored, settings) && holds(meta, metaPart)) return;
  const changed = { ...meta, ...metaPart, pluginSettings: { ...stored, ...settings } };
  const body = { deviceId, kind, organization, meta: changed };
  putPaper(paperId, asPaper(await callApi('POST /papers/{paperId}', { path: { paperId }, body })));
}

const holds = (stored: Fields, part: Fields): boolean =>
  Object.entries(part).every(([key, value]) => isSameValue(stored[key], value));
