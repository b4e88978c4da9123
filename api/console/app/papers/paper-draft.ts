/**
 * What a person changes of a paper. A meta is stored as a whole, so what was typed is merged into the paper as it is when
 * it is saved; what somebody else changed meanwhile is shown before.
 */
import { type Signal, signal } from '@preact/signals';
import type { PaperShown } from '../../../routes/papers/show-paper.ts';
import { callApi } from '../call-api.ts';
import { asProblem } from '../resource.ts';
import { asPaper, type Paper, putPaper } from './paper-book.ts';

type Meta = Paper['meta'];

/** A field that somebody else changed while this person was typing. */
export interface Difference {
  readonly field: string;
  readonly before: unknown;
  readonly theirs: unknown;
  /** What this person typed; undefined where they did not touch the field. */
  readonly mine: { readonly value: unknown } | undefined;
}

/** A paper that is being changed. */
export interface PaperDraft {
  /** The paper as it was read when the person began. */
  readonly base: Signal<Paper>;
  /** What they changed of its meta; a field that is undefined is taken out. */
  readonly changes: Signal<Meta>;
  /** What somebody else changed, while the person is asked about it. */
  readonly differences: Signal<readonly Difference[] | undefined>;
  readonly isSaving: Signal<boolean>;
  /** The field as it stands on the screen. */
  get(field: string): unknown;
  /** The field as text; empty where it is none. */
  text(field: string): string;
  set(field: string, value: unknown): void;
  /** Forgets what was typed and shows the paper as it is. */
  drop(): Promise<void>;
  /**
   * Saves what was typed.
   * @param theirs fields in which the other person's value is kept, once the differences were shown
   * @returns false when the person has to choose first
   */
  save(theirs?: ReadonlySet<string>): Promise<boolean>;
}

/** Whether two values of a field are the same, as JSON tells them. */
export const isSameValue = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const differs = (one: Meta, other: Meta): string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((field) => !isSameValue(one[field], other[field]));

function differencesOf(before: Meta, theirs: Meta, typed: Meta): Difference[] {
  return differs(before, theirs).map((field) => ({
    field,
    before: before[field],
    theirs: theirs[field],
    mine: Object.hasOwn(typed, field) ? { value: typed[field] } : undefined,
  }));
}

/** Saves what was typed over the paper as it was just read; false when somebody was faster. */
async function store(fresh: Paper, typed: Meta): Promise<Paper | false> {
  const { id, organization, deviceId, kind, updatedAt: unchangedSince } = fresh;
  const body = { organization, deviceId, kind, meta: { ...fresh.meta, ...typed }, unchangedSince };
  try {
    return asPaper(await callApi<PaperShown>(`/papers/${id}`, { method: 'POST', body }));
  } catch (error) {
    if (asProblem(error).code === 'changed-meanwhile') return false;
    throw error;
  }
}

const read = async (id: string): Promise<Paper> => asPaper(await callApi<PaperShown>(`/papers/${id}`));

/** Begins to change a paper. */
export function draftOf(paper: Paper): PaperDraft {
  const base = signal(paper);
  const changes = signal<Meta>({});
  const differences = signal<readonly Difference[] | undefined>(undefined);
  const isSaving = signal(false);
  /** The paper as it was when the differences were shown. */
  let seen: Paper | undefined;

  const get = (field: string): unknown =>
    Object.hasOwn(changes.value, field) ? changes.value[field] : base.value.meta[field];

  const restart = (fresh: Paper): void => {
    base.value = fresh;
    changes.value = {};
    differences.value = undefined;
    seen = undefined;
    putPaper(fresh.id, fresh);
  };

  /** Notes what somebody else changed since this person last saw the paper; false when that is nothing. */
  const tell = (fresh: Paper): boolean => {
    if (differs((seen ?? base.peek()).meta, fresh.meta).length === 0) return false;
    differences.value = differencesOf(base.peek().meta, fresh.meta, changes.peek());
    seen = fresh;
    return true;
  };

  async function save(theirs: ReadonlySet<string> = new Set()): Promise<boolean> {
    isSaving.value = true;
    try {
      for (;;) {
        const fresh = await read(paper.id);
        if (tell(fresh)) return false;
        const typed = Object.entries(changes.peek()).filter(([field]) => !theirs.has(field));
        const stored = await store(fresh, Object.fromEntries(typed));
        if (stored !== false) {
          restart(stored);
          return true;
        }
      }
    } finally {
      isSaving.value = false;
    }
  }

  return {
    base,
    changes,
    differences,
    isSaving,
    get,
    text(field) {
      const value = get(field);
      return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    },
    set(field, value) {
      const others = Object.fromEntries(Object.entries(changes.peek()).filter(([name]) => name !== field));
      changes.value = isSameValue(base.peek().meta[field], value) ? others : { ...others, [field]: value };
    },
    drop: async () => restart(await read(paper.id)),
    save,
  };
}
