/**
 * Keeps drafts over a reload, a lost connection and a closed lid; and reports when the browser has no room for them.
 */
import { effect, signal } from '@preact/signals';
import { addDraft, type Draft, type DraftSettings, drafts, filesOpening, newDraft } from './drafts.ts';
import { isTrouble } from './file-trouble.ts';
import type { KeptDraft } from './kept-drafts.ts';
import { forgetOutboxOf, readOutbox } from './kept-outbox.ts';
import { openFile } from './open-file.ts';
import { fateOf } from './outbox.ts';

/** The drafts that a reload would lose, by their keys. */
export const unkept = signal<ReadonlySet<string>>(new Set());
/** Whether the drafts of before are back. */
export const areRestored = signal(false);

/** The store is loaded when it is first needed. */
const keptDrafts = () => import('./kept-drafts.ts');

const settleMs = 300;
let owner = '';
/** The functions that end the watch over each draft. */
const watched = new Map<string, () => void>();
/** The drafts whose file is kept, or is being kept. */
const keeping = new Map<string, Promise<boolean>>();

const settingsOf = (draft: Draft): DraftSettings => ({
  crop: draft.crop.value,
  otherCrops: draft.otherCrops.value,
  caption: draft.caption.value,
  captionAt: draft.captionAt.value,
  intent: draft.intent.value,
  targets: draft.targets.value,
  times: draft.times.value,
});

function rowOf(draft: Draft, settings: DraftSettings): KeptDraft {
  const { key, name, addedAt, told } = draft;
  return { key, owner, name, addedAt, told, settings };
}

/**
 * Keeps the drafts of somebody from now on, and brings back those of before. Drafts of somebody else are put away.
 * @param whose an account in an organization, or a guest's link
 */
export function keepDraftsOf(whose: string): void {
  if (whose === owner) return;
  owner = whose;
  areRestored.value = false;
  for (const stop of watched.values()) stop();
  watched.clear();
  keeping.clear();
  unkept.value = new Set();
  drafts.value = [];
  if (whose !== '') void restore(whose);
}

/** Keeps the drafts at hand under another name: somebody goes on with a new link. */
export function keepDraftsAs(whose: string): void {
  if (owner === '' || drafts.peek().length === 0) {
    keepDraftsOf(whose);
    return;
  }
  owner = whose;
  for (const draft of drafts.peek()) void keepAgain(rowOf(draft, settingsOf(draft)));
}

async function restore(whose: string): Promise<void> {
  try {
    const { readKept, forgetKept } = await keptDrafts();
    const [rows, outbox] = [await readKept(whose), await readOutbox(whose)];
    const inHand = rows.filter(({ key }) => fateOf(key, outbox) === 'in-hand');
    filesOpening.value += inHand.length;
    for (const row of inHand) {
      if (whose === owner) await openKept(row);
      filesOpening.value -= 1;
    }
    // What was sent as its page ended is not kept any longer; what is on its way is opened when its turn comes.
    for (const { key } of rows) if (fateOf(key, outbox) === 'gone') await forgetKept(key);
  } catch {
    // A browser without a store starts with none; what is added is marked as not kept.
  }
  if (whose === owner) areRestored.value = true;
}

/** Opens a draft that is kept, alongside the others; undefined where its file is gone or cannot be read. */
async function openKept(
  { key, name, addedAt, told, settings }: KeptDraft,
  isGoing = false,
): Promise<Draft | undefined> {
  const { readKeptFile, forgetKept } = await keptDrafts();
  const file = await readKeptFile(key);
  const opened = file && (await openFile(file).catch(() => undefined));
  const isThere = drafts.peek().find((draft) => draft.key === key);
  if (isThere !== undefined) return isThere;
  if (opened === undefined || isTrouble(opened)) {
    // What the service was to look at stays kept while it is away.
    if (opened === undefined || typeof opened === 'string') await forgetKept(key);
    return undefined;
  }
  keeping.set(key, Promise.resolve(true));
  const draft = newDraft({ key, name, addedAt }, { ...opened, told }, settings);
  draft.going.value = isGoing;
  addDraft(draft);
  return draft;
}

/** Returns a draft, which is opened where this page does not have it; undefined where it is gone. */
export async function bringDraft(key: string, isGoing: boolean): Promise<Draft | undefined> {
  const isThere = drafts.peek().find((draft) => draft.key === key);
  if (isThere !== undefined) return isThere;
  const row = await (await keptDrafts()).readKept(owner).then((rows) => rows.find((one) => one.key === key));
  return row && openKept(row, isGoing);
}

/** Keeps each draft from the moment it is there until it is taken away. */
effect(() => {
  const all = drafts.value;
  if (owner === '') return;
  for (const draft of all) if (!watched.has(draft.key)) watched.set(draft.key, watchDraft(draft));
  const keys = new Set(all.map(({ key }) => key));
  for (const [key, stop] of watched) {
    if (keys.has(key)) continue;
    stop();
    watched.delete(key);
    void forget(key);
  }
});

function watchDraft(draft: Draft): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isFirst = true;
  const stop = effect(() => {
    const row = rowOf(draft, settingsOf(draft));
    clearTimeout(timer);
    if (isFirst && !keeping.has(draft.key)) keeping.set(draft.key, keep(draft, row));
    else if (!isFirst) timer = setTimeout(() => void keepAgain(row), settleMs);
    isFirst = false;
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}

async function keep(draft: Draft, row: KeptDraft): Promise<boolean> {
  try {
    await (await keptDrafts()).keepWithFile(row, draft.file);
    return true;
  } catch {
    if (watched.has(draft.key)) unkept.value = new Set(unkept.peek()).add(draft.key);
    return false;
  }
}

async function keepAgain(row: KeptDraft): Promise<void> {
  if (!(await keeping.get(row.key))) return;
  await (await keptDrafts()).keepSettings(row).catch(() => undefined);
}

async function forget(key: string): Promise<void> {
  const wasKept = await keeping.get(key);
  keeping.delete(key);
  unkept.value = new Set([...unkept.peek()].filter((one) => one !== key));
  if (wasKept) await (await keptDrafts()).forgetKept(key).catch(() => undefined);
}

/** Writes down what is set for a draft, and waits until it and its file are kept: its page may be gone in a moment. */
export async function keepNow(draft: Draft): Promise<void> {
  await keepAgain(rowOf(draft, settingsOf(draft)));
}

/** Returns how many drafts of an account this browser keeps, whatever the organization. */
export async function countKept(accountId: string): Promise<number> {
  try {
    return (await (await keptDrafts()).keptOf(`${accountId} `)).length;
  } catch {
    return 0;
  }
}

/** Removes all drafts of an account from this browser, and the list of what it sent. */
export async function forgetDraftsOf(accountId: string): Promise<void> {
  keepDraftsOf('');
  try {
    await forgetOutboxOf(`${accountId} `);
    const { keptOf, forgetKept } = await keptDrafts();
    for (const key of await keptOf(`${accountId} `)) await forgetKept(key);
  } catch {
    // Without a store nothing is kept.
  }
}
