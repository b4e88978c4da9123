/** What was sent lately, and how far each picture is. */
import { signal } from '@preact/signals';
import type { Problem } from '../ground/call-api.ts';
import type { FleetDevice } from '../ground/fleet.ts';
import type { Progress } from '../ground/upload.ts';
import type { RemarkShown } from '../parts/drafts/ask-readable.ts';
import type { Target } from './targets.ts';

/** What is to be done to take a picture back. */
export type Undo =
  | { readonly kind: 'paper'; readonly paperId: string; readonly attemptId: string }
  | { readonly kind: 'device'; readonly deviceId: string; readonly uuid: string; readonly uploadId: string }
  | { readonly kind: 'album'; readonly paperId: string; readonly pictureId: string }
  | { readonly kind: 'timed'; readonly timedId: string }
  | ({ readonly kind: 'slideshow' } & UndoSlideshow);

/** What a frame had before its slideshow, and the paper that holds the pictures. */
export interface UndoSlideshow {
  readonly deviceId: string;
  readonly albumId: string;
  readonly paperBefore: string | null;
  readonly uploadBefore: string | null;
}

/** One picture on its way to one target. */
export interface Sending {
  /** The key of its draft and the place. */
  readonly id: string;
  readonly name: string;
  /** A small view of what was sent. */
  readonly view: string;
  readonly target: Target;
  /** `offline` goes on by itself; `timed` is kept by the service until its time. */
  readonly state: 'queued' | 'sending' | 'offline' | 'sent' | 'timed' | 'failed' | 'undone';
  readonly progress: Progress | undefined;
  readonly problem: Problem | undefined;
  /** The service says that the frames have these very pixels already. */
  readonly isSame: boolean;
  /** What it said of the file. */
  readonly told: RemarkShown;
  readonly at: number;
  /** What was on each glass before, by device. */
  readonly before: ReadonlyMap<string, string | null>;
  /** Others of its album are shown before it. */
  readonly isLater: boolean;
  /** What takes it back; undefined where nothing does. */
  readonly undo: Undo | undefined;
}

/** The newest first. */
export const sendings = signal<readonly Sending[]>([]);

/** Puts a picture on the list, in place of an earlier try. */
export function noteSending(sending: Sending): void {
  sendings.value = [sending, ...sendings.peek().filter(({ id }) => id !== sending.id)];
}

/** Changes what is said of a picture. */
export function changeSending(id: string, values: Partial<Sending>): void {
  sendings.value = sendings.peek().map((one) => (one.id === id ? { ...one, ...values } : one));
}

/** Forgets what was sent, once nobody needs to look at it. */
export function forgetSending(id: string): void {
  sendings.value = sendings.peek().filter((one) => one.id !== id);
}

/** The time after which an unchanged glass that has nothing due shows what was sent: its pixels were the same. */
const settledMs = 15_000;

/**
 * Whether a frame says that it shows what was sent: its glass changed since, or had these pixels, and nothing newer is
 * due. `glass.level` says how well it is proven.
 */
export function isShown(sending: Sending, device: FleetDevice, now: number): boolean {
  if (sending.state !== 'sent' || device.glass === null || device.due !== null) return false;
  const isNew = device.glass.uploadId !== sending.before.get(device.id);
  return isNew || sending.isSame || (device.why === null && now - sending.at > settledMs);
}
