/** Keeps the list of what was sent, for as long as it can be taken back: a phone puts pages away, and people reload them. */
import { effect } from '@preact/signals';
import { drafts } from '../parts/drafts/drafts.ts';
import { keepSent, readSent } from '../parts/drafts/kept-sent.ts';
import { type Sending, sendings } from './sendings.ts';
import { undoMs } from './undo.ts';

type KeptSending = Omit<Sending, 'before'> & { readonly before: readonly (readonly [string, string | null])[] };

const maxKept = 20;
let owner = '';
let stop: (() => void) | undefined;

/** Brings back what somebody sent, and keeps it from now on. What another one sent is put away. */
export function keepSendingsOf(whose: string): void {
  if (whose === owner) return;
  stop?.();
  owner = whose;
  sendings.value = restored(readSent(whose));
  stop = effect(() => keep(sendings.value.filter(isWhole)));
}

/** What is still on its way comes back with its picture, and is not kept a second time. */
const isWhole = ({ id, state }: Sending): boolean =>
  (state === 'sent' || state === 'timed') && !drafts.value.some(({ key }) => id.startsWith(`${key} `));

function restored(rows: unknown): readonly Sending[] {
  if (!Array.isArray(rows)) return [];
  return (rows as readonly KeptSending[])
    .filter(({ at }) => Date.now() - at < undoMs)
    .map((row) => ({ ...row, progress: undefined, problem: undefined, undo: row.undo, before: new Map(row.before) }));
}

function keep(all: readonly Sending[]): void {
  const rows = all.slice(0, maxKept).map((one): KeptSending => ({ ...one, before: [...one.before] }));
  // The pictures take most of the room; the words and the way back do without.
  if (!keepSent(owner, rows))
    keepSent(
      owner,
      rows.map((row) => ({ ...row, view: '' })),
    );
}
