/** The browser's store of drafts: their files, and what was set for each, by whose they are. */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { RemarkShown } from './ask-readable.ts';
import type { DraftSettings } from './drafts.ts';

/** A draft as it is kept, besides its file. */
export interface KeptDraft {
  readonly key: string;
  readonly owner: string;
  readonly name: string;
  readonly addedAt: number;
  readonly told: RemarkShown;
  readonly settings: DraftSettings;
}

interface Schema extends DBSchema {
  drafts: { key: string; value: KeptDraft };
  files: { key: string; value: { readonly key: string; readonly file: Blob } };
}

/** A draft that nobody came back to for this long is removed. */
const maxAgeMs = 14 * 86_400_000;
const stores = ['drafts', 'files'] as const;

let opening: Promise<IDBPDatabase<Schema>> | undefined;

function store(): Promise<IDBPDatabase<Schema>> {
  opening ??= openDB<Schema>('papergate-drafts', 1, {
    upgrade(database) {
      for (const name of stores) database.createObjectStore(name, { keyPath: 'key' });
    },
    terminated() {
      opening = undefined;
    },
  });
  // A browser that has none now may have one later: a window without a store is closed.
  opening.catch(() => (opening = undefined));
  return opening;
}

/** Returns the drafts of an owner, the oldest first; what is too old is removed. */
export async function readKept(owner: string): Promise<readonly KeptDraft[]> {
  const all = await (await store()).getAll('drafts');
  for (const { key, addedAt } of all) if (addedAt < Date.now() - maxAgeMs) await forgetKept(key);
  const mine = all.filter((one) => one.owner === owner && one.addedAt >= Date.now() - maxAgeMs);
  return mine.sort((one, other) => one.addedAt - other.addedAt);
}

/** Returns the file of a draft. */
export async function readKeptFile(key: string): Promise<Blob | undefined> {
  return (await (await store()).get('files', key))?.file;
}

/** Keeps a draft with its file. It fails where there is no room. */
export async function keepWithFile(draft: KeptDraft, file: Blob): Promise<void> {
  const writing = (await store()).transaction(stores, 'readwrite');
  await Promise.all([
    writing.objectStore('files').put({ key: draft.key, file }),
    writing.objectStore('drafts').put(draft),
    writing.done,
  ]);
}

/** Keeps what was set for a draft whose file is kept; one that was removed meanwhile stays removed. */
export async function keepSettings(draft: KeptDraft): Promise<void> {
  const writing = (await store()).transaction('drafts', 'readwrite');
  if ((await writing.store.getKey(draft.key)) !== undefined) await writing.store.put(draft);
  await writing.done;
}

/** Forgets a draft. */
export async function forgetKept(key: string): Promise<void> {
  const writing = (await store()).transaction(stores, 'readwrite');
  await Promise.all([...stores.map((name) => writing.objectStore(name).delete(key)), writing.done]);
}

/** Returns the keys of all drafts whose owner begins with this text. */
export async function keptOf(prefix: string): Promise<readonly string[]> {
  const all = await (await store()).getAll('drafts');
  return all.filter(({ owner }) => owner.startsWith(prefix)).map(({ key }) => key);
}
