/**
 * The link by which somebody came: its code stands behind the `#`, leaves the address at once, and stays in this tab until it
 * was used or is known to no longer work, so that a reload loses nothing.
 */
import { effect, signal } from '@preact/signals';

/**
 * The purpose of a link: `code` is the operator's, or makes the first organization; `invite` an invitation; `link` one of
 * an administrator or by mail; `pair` lets this device in from another one.
 */
const entryKinds = ['code', 'invite', 'link', 'pair'] as const;
export type EntryKind = (typeof entryKinds)[number];

interface Entry {
  readonly kind: EntryKind;
  readonly code: string;
}

const keptAs = 'papergate-entry';

function entryOf(text: string): Entry | undefined {
  const [, kind, code = ''] = /^#(\w+)=([\w-]+)$/.exec(text) ?? [];
  const known = entryKinds.find((one) => one === kind);
  return known === undefined ? undefined : { kind: known, code };
}

const entry = signal<Entry | undefined>(entryOf(sessionStorage.getItem(keptAs) ?? ''));

effect(() => {
  if (entry.value === undefined) sessionStorage.removeItem(keptAs);
  else sessionStorage.setItem(keptAs, `#${entry.value.kind}=${entry.value.code}`);
});

/** Returns the code of the link that was opened, if it is of this kind. */
export const entryCode = (kind: EntryKind): string | undefined =>
  entry.value?.kind === kind ? entry.value.code : undefined;

/** The kind of the link that was opened. */
export const entryKind = (): EntryKind | undefined => entry.value?.kind;

/** The link was used, no longer works, or is not wanted. */
export function forgetEntry(): void {
  entry.value = undefined;
}

/** Takes the code out of the address: an address is copied and kept. Returns what kind it is, if there is one. */
export function takeEntry(): EntryKind | undefined {
  const found = entryOf(location.hash);
  if (found === undefined) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  entry.value = found;
  return found.kind;
}
