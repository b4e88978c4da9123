/** The outbox as the screens see it: what was sent lately and what is on its way, the same in every tab. */
import { computed, signal } from '@preact/signals';
import { Problem } from '../ground/call-api.ts';
import type { Progress } from '../ground/upload.ts';
import type { RemarkShown } from '../parts/drafts/ask-readable.ts';
import { changeKept, type KeptRow } from '../parts/drafts/kept-outbox.ts';
import { add, again, goesOn, isOpen } from '../parts/drafts/outbox.ts';
import type { Target } from './targets.ts';

/** Pictures that take turns on one frame. */
export interface Slideshow {
  /** Names it, so that it is made once however often sending it is tried. */
  readonly id: string;
  /** How often the picture changes: with each wake, with each day, or after hours. */
  readonly every: 'wake' | 'day' | number;
  /** The title of the album that is made; undefined where they join one that is there. */
  readonly title: string;
  /** The album that they join; undefined where one is made. */
  readonly albumId: string | undefined;
}

/** The step that takes a picture back. */
export type Undo =
  | { readonly kind: 'paper'; readonly paperId: string; readonly attemptId: string }
  | { readonly kind: 'device'; readonly deviceId: string; readonly uuid: string; readonly uploadId: string }
  | { readonly kind: 'album'; readonly paperId: string; readonly pictureId: string }
  | { readonly kind: 'timed'; readonly timedId: string }
  | ({ readonly kind: 'slideshow' } & UndoSlideshow);

/** The state of a frame before its slideshow, and the paper that holds the pictures. */
export interface UndoSlideshow {
  readonly deviceId: string;
  readonly albumId: string;
  readonly pictureId: string | undefined;
  /** The album was there before: it stays, and gives back only its picture. */
  readonly joins: boolean;
  readonly paperBefore: string | null;
  readonly uploadBefore: string | null;
}

/** A refusal as it is kept. */
export type KeptProblem = Pick<Problem, 'status' | 'code' | 'message' | 'hint' | 'reasons' | 'retryAfterSeconds'>;

/** One picture on its way to one target, or sent there. */
export interface Sending extends KeptRow {
  /** The id of its target. */
  readonly place: string;
  readonly name: string;
  readonly caption: string;
  readonly target: Target;
  readonly show: Slideshow | undefined;
  /** Names it at the service, however often it is tried. */
  readonly messageId: string;
  /** A small view of what is sent. */
  readonly view: string;
  readonly problem: KeptProblem | undefined;
  /** The service's remark on the file. */
  readonly told: RemarkShown;
  readonly queuedAt: number;
  /** When the service took it. */
  readonly at: number;
  /** The id under which the service reports its progress on a glass. */
  readonly sentId: string | undefined;
  /** The paper and the upload that the frame had before. */
  readonly before: { readonly paper: string | null; readonly upload: string | null };
  /** The step that takes it back; undefined where nothing does. */
  readonly undo: Undo | undefined;
}

/** How long sent pictures are listed and can be taken back. */
export const undoMs = 3_600_000;
const maxEnded = 40;

const rows = signal<readonly Sending[]>([]);

/** The newest first; of several that were sent together, the first stands on top. */
export const sendings = computed<readonly Sending[]>(() =>
  [...rows.value].sort((one, other) => other.queuedAt - one.queuedAt || one.order - other.order),
);

/** The progress of the picture that this tab is sending right now. */
export const progressOf = signal<(Progress & { readonly id: string }) | undefined>(undefined);

/** Whether the outbox has something to do. */
export const hasWork = computed(() => rows.value.some(goesOn));

/** Whether something failed for want of a connection or a service: then everything waits, and goes on by itself. */
export const isStalled = computed(() => rows.value.some((row) => goesOn(row) && row.problem !== undefined));

/** Whose rows they are: an account in an organization. */
let owner = '';
let channel: BroadcastChannel | undefined;
let changedElsewhere = (): void => undefined;

/** Registers the function that is called when another tab has changed something. */
export function onOutboxChange(run: () => void): void {
  changedElsewhere = run;
}

/** Returns the part of all rows that makes a difference to the screens: rows are read again from the store each time. */
const lookOf = (all: readonly Sending[]): string =>
  JSON.stringify(all.map(({ view, target, lease, ...row }) => [row, view.length]));

type Change = (rows: readonly Sending[]) => readonly Sending[];

/** Returns what changes the outbox of the person who is signed in now, also when somebody else is by then. */
export function boundOutbox(): (how: Change) => Promise<readonly Sending[]> {
  const whose = owner;
  return (how) => changeOf(whose, how);
}

/** Changes the outbox as one transaction over all tabs, and notifies the others. */
const changeOutbox = (how: Change): Promise<readonly Sending[]> => changeOf(owner, how);

async function changeOf(whose: string, how: Change): Promise<readonly Sending[]> {
  let isChanged = false;
  const after = await changeKept<Sending>(whose, (before) => {
    const next = how(before);
    isChanged = next !== before && (next.length !== before.length || next.some((row) => !before.includes(row)));
    return next;
  });
  if (whose !== owner) return after;
  if (lookOf(after) !== lookOf(rows.peek())) rows.value = after;
  if (isChanged) channel?.postMessage(whose);
  return after;
}

const unended = (row: Sending): boolean => isOpen(row) || Date.now() - row.queuedAt < undoMs;

/** Forgets what ended long ago, and the oldest of very many. */
function pruned(all: readonly Sending[]): readonly Sending[] {
  const ended = all.filter((row) => !isOpen(row)).sort((one, other) => other.queuedAt - one.queuedAt);
  const surplus = new Set(ended.slice(maxEnded));
  const left = all.filter((row) => unended(row) && !surplus.has(row));
  return left.length === all.length ? all : left;
}

/** Follows the outbox of somebody from now on; nobody's for an empty name. */
export async function followOutbox(whose: string): Promise<void> {
  if (whose === owner) return;
  owner = whose;
  rows.value = [];
  channel ??= typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('papergate-outbox');
  if (channel !== undefined) {
    channel.onmessage = ({ data }: MessageEvent<string>) => {
      if (data === owner && owner !== '') void changeOutbox((all) => all).then(changedElsewhere);
    };
  }
  if (whose !== '') await changeOutbox((all) => all);
}

/** Forgets what ended long ago. Only once the pictures of before are back: what was sent must not come back with them. */
export const tidyOutbox = (): Promise<unknown> => changeOutbox(pruned);

/** Puts pictures on their way. */
export const addSendings = (added: readonly Omit<Sending, 'owner'>[]): Promise<unknown> =>
  changeOutbox((all) =>
    add(
      all,
      added.map((row) => ({ ...row, owner })),
    ),
  );

/** Gives one that stopped its tries back. */
export const tryAgain = (id: string): Promise<unknown> => changeOutbox((all) => again(all, id));

/** Changes what is said of a picture. */
export const changeSending = (id: string, values: Partial<Sending>): Promise<unknown> =>
  changeOutbox((all) => all.map((one) => (one.id === id ? { ...one, ...values } : one)));

/** Takes a row away. */
export const forgetSending = (id: string): Promise<unknown> =>
  changeOutbox((all) => all.filter((one) => one.id !== id));

/** Returns what a kept refusal said. */
export const asKept = ({ status, code, message, hint, reasons, retryAfterSeconds }: Problem): KeptProblem => ({
  status,
  code,
  message,
  hint,
  reasons,
  retryAfterSeconds,
});

/** Returns a refusal that was kept. */
export const problemOfKept = (kept: KeptProblem): Problem => new Problem(kept.status, kept);
