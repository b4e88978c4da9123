/**
 * The changes that a person makes to a paper. A meta is stored as a whole, so what was typed is merged into the paper as it
 * is when it is saved; what somebody else changed meanwhile is shown before.
 */
import { type Signal, signal } from '@preact/signals';
import type { Schemas } from '../../../client/contract.ts';
import { type BodyOf, callApi } from '../../ground/call-api.ts';
import { asPaper, type Paper, putPaper } from '../../ground/paper-book.ts';
import { asProblem } from '../../ground/resource.ts';
import { hasEnded } from '../../ground/session.ts';
import { languageForFrames } from '../../ground/words.ts';
import { type Bound, bound } from '../../parts/bound.ts';

type Meta = Paper['meta'];

/** A field that somebody else changed while this person was typing. */
export interface Difference {
  readonly field: string;
  readonly before: unknown;
  readonly theirs: unknown;
  /** The value that this person typed; undefined where they did not touch the field. */
  readonly mine: { readonly value: unknown } | undefined;
}

/** Whether two values of a field are the same, as JSON. */
export const isSameValue = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const differs = (one: Meta, other: Meta): string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((field) => !isSameValue(one[field], other[field]));

/** Reads a paper as it is now. */
export const readPaper = async (paperId: string): Promise<Paper> =>
  asPaper(await callApi('GET /papers/{paperId}', { path: { paperId } }));

/** A login as it is typed, for one address. */
export type DraftLogin = BodyOf<'PUT /papers/{paperId}/logins/'>;

/** A paper that is being changed. */
export class PaperDraft {
  /** The paper as it was read when the person began. */
  readonly base: Signal<Paper>;
  /** The changes to its meta; a field that is undefined is taken out. */
  readonly changes: Signal<Meta> = signal({});
  /** The changes by somebody else, while the person is asked about them. */
  readonly differences: Signal<readonly Difference[] | undefined> = signal(undefined);
  readonly isSaving: Signal<boolean> = signal(false);
  /** The logins that the addresses of a paper need before it is made; the service keeps those of a saved paper. */
  readonly logins: Signal<readonly DraftLogin[]> = signal([]);
  /** Whether one of its calendars could be read when it was tried last. */
  readonly hasReadCalendar: Signal<boolean> = signal(false);
  /** The fields of its recipe; undefined until they were read. */
  readonly recipeFields: Signal<readonly Schemas['RecipeField'][] | undefined> = signal(undefined);
  /** The paper as it was when the differences were shown. */
  #seen: Paper | undefined;

  constructor(paper: Paper) {
    this.base = signal(paper);
  }

  /** The field as it stands on the screen. */
  get(field: string): unknown {
    return Object.hasOwn(this.changes.value, field) ? this.changes.value[field] : this.base.value.meta[field];
  }

  /** The field as text; empty where it is not a text. */
  text(field: string): string {
    const value = this.get(field);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  }

  /** The field as text to be typed; what is emptied leaves the meta. */
  typed(field: string, type?: string): Bound<string> {
    return bound(this.text(field), (text) => {
      const isNumber = type === 'number' && Number.isFinite(Number(text));
      this.set(field, text === '' ? undefined : isNumber ? Number(text) : text);
    });
  }

  /** Whether the field has a value, the mark; when it is unset, the field is left out. */
  mark(field: string, mark: string): Bound<boolean> {
    return bound(this.get(field) === mark, (isSet) => this.set(field, isSet ? mark : undefined));
  }

  /** The whole meta as it stands on the screen. */
  get meta(): Meta {
    return { ...this.base.value.meta, ...this.changes.value };
  }

  set(field: string, value: unknown): void {
    const others = Object.fromEntries(Object.entries(this.changes.peek()).filter(([name]) => name !== field));
    this.changes.value = isSameValue(this.base.peek().meta[field], value) ? others : { ...others, [field]: value };
  }

  /** Forgets what was typed and shows the paper as it is. */
  async drop(): Promise<void> {
    this.#restart(await readPaper(this.base.peek().id));
  }

  /**
   * Saves what was typed.
   * @param theirs fields in which the other person's value is kept, once the differences were shown
   * @returns false when the person has to choose first
   */
  async save(theirs: ReadonlySet<string> = new Set()): Promise<boolean> {
    this.isSaving.value = true;
    try {
      for (;;) {
        const fresh = await readPaper(this.base.peek().id);
        if (this.#tell(fresh)) return false;
        if (await this.#write(fresh, theirs)) return true;
      }
    } finally {
      this.isSaving.value = false;
    }
  }

  /** Writes over the paper as it was just read; false when somebody was faster. */
  async #write(fresh: Paper, theirs: ReadonlySet<string>): Promise<boolean> {
    const typed = Object.entries(this.changes.peek()).filter(([field]) => !theirs.has(field));
    const { id, organization, deviceId, kind, updatedAt: unchangedSince } = fresh;
    const meta = { ...fresh.meta, ...Object.fromEntries(typed) };
    const body: BodyOf<'POST /papers/{paperId}'> = { organization, deviceId, kind, meta, unchangedSince };
    try {
      this.#restart(asPaper(await callApi('POST /papers/{paperId}', { path: { paperId: id }, body })));
      return true;
    } catch (error) {
      if (asProblem(error).code !== 'changed-meanwhile') throw error;
      return false;
    }
  }

  /** Notes what somebody else changed since this person last saw the paper; false when nothing changed. */
  #tell(fresh: Paper): boolean {
    const base = this.base.peek().meta;
    if (differs(this.#seen?.meta ?? base, fresh.meta).length === 0) return false;
    const typed = this.changes.peek();
    this.differences.value = differs(base, fresh.meta).map((field) => ({
      field,
      before: base[field],
      theirs: fresh.meta[field],
      mine: Object.hasOwn(typed, field) ? { value: typed[field] } : undefined,
    }));
    this.#seen = fresh;
    return true;
  }

  #restart(fresh: Paper): void {
    this.base.value = fresh;
    this.changes.value = {};
    this.differences.value = undefined;
    this.#seen = undefined;
    putPaper(fresh.id, fresh);
  }
}

/**
 * Returns a paper that is not made yet. Its id is empty. A person's language is the one that they chose here, and their
 * zone that of their browser, until they choose otherwise.
 */
export function newPaperDraft(kind: string, organization: string): PaperDraft {
  const meta = { language: languageForFrames(), timezone: Intl.DateTimeFormat().resolvedOptions().timeZone };
  const now = new Date().toISOString();
  const paper = { id: '', title: '', author: '', kind, organization, deviceId: null, draft: false, meta };
  return new PaperDraft({ ...paper, createdAt: now, updatedAt: now });
}

const begun = new Map<string, PaperDraft>();

addEventListener('beforeunload', (event) => {
  // What was typed is kept when the session has ended, wherever the person signs in.
  if (hasEnded.peek()) return;
  if ([...begun.values()].some(({ changes }) => Object.keys(changes.peek()).length > 0)) event.preventDefault();
});

/** Returns the draft of a person's changes to a paper, which stays while they look at something else. */
export function draftFor(paper: Paper): PaperDraft {
  const found = begun.get(paper.id) ?? new PaperDraft(paper);
  begun.set(paper.id, found);
  return found;
}
