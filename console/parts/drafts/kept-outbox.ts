/** The browser's store of the outbox, which all tabs share. A browser without one keeps it in its page. */
import type { DBSchema, IDBPDatabase } from 'idb';
import type { OutboxRow } from './outbox.ts';

/** A row as it is kept, with whose it is. */
export interface KeptRow extends OutboxRow {
  readonly owner: string;
}

interface Schema extends DBSchema {
  rows: { key: string; value: KeptRow };
}

let opening: Promise<IDBPDatabase<Schema>> | undefined;
/** The rows of a browser that keeps nothing; undefined while it does. */
let inPage: readonly KeptRow[] | undefined;

async function open(): Promise<IDBPDatabase<Schema>> {
  const { openDB } = await import('idb');
  return openDB<Schema>('papergate-outbox', 1, {
    upgrade(database) {
      database.createObjectStore('rows', { keyPath: 'id' });
    },
    terminated() {
      opening = undefined;
    },
  });
}

function store(): Promise<IDBPDatabase<Schema>> {
  opening ??= open();
  opening.catch(() => (opening = undefined));
  return opening;
}

/** Changes what is kept of an owner in one transaction over all tabs, and returns it. */
export async function changeKept<Row extends KeptRow>(
  owner: string,
  how: (rows: readonly Row[]) => readonly Row[],
): Promise<readonly Row[]> {
  if (inPage === undefined) {
    try {
      return await changeStored(owner, how);
    } catch {
      inPage = [];
    }
  }
  const after = how(inPage.filter((row) => row.owner === owner) as unknown as readonly Row[]);
  inPage = [...inPage.filter((row) => row.owner !== owner), ...after];
  return after;
}

async function changeStored<Row extends KeptRow>(
  owner: string,
  how: (rows: readonly Row[]) => readonly Row[],
): Promise<readonly Row[]> {
  const writing = (await store()).transaction('rows', 'readwrite');
  const before = (await writing.store.getAll()).filter((row) => row.owner === owner) as unknown as readonly Row[];
  const after = how(before);
  const writes = after.filter((row) => !before.includes(row)).map((row) => writing.store.put(row));
  const deletes = before
    .filter(({ id }) => after.every((row) => row.id !== id))
    .map(({ id }) => writing.store.delete(id));
  await Promise.all([...writes, ...deletes, writing.done]);
  return after;
}

/** Returns what is kept of an owner. */
export const readOutbox = (owner: string): Promise<readonly KeptRow[]> => changeKept(owner, (rows) => rows);

/** Forgets everything of owners whose name begins with this text. */
export async function forgetOutboxOf(prefix: string): Promise<void> {
  inPage = inPage?.filter(({ owner }) => !owner.startsWith(prefix));
  const writing = (await store()).transaction('rows', 'readwrite');
  const theirs = (await writing.store.getAll()).filter(({ owner }) => owner.startsWith(prefix));
  await Promise.all([...theirs.map(({ id }) => writing.store.delete(id)), writing.done]);
}
