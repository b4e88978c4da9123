/** The pictures that are about to be sent. They outlive the screen: nothing is lost by looking elsewhere. */

import { type Signal, signal } from '@preact/signals';
import { Problem } from '../../ground/call-api.ts';
import type { RemarkShown } from './ask-readable.ts';
import { askReadable } from './ask-readable.ts';
import { type Crop, type Size, wholeCrop } from './crop.ts';
import { type FileFacts, type FileTrouble, inspectFile, maxFileBytes, maxPixels } from './inspect-file.ts';
import { atOnce, type ShowTimes } from './show-times.ts';

/** The intents that people choose among; the service has more for pages. */
export const offeredIntents = ['auto', 'photo', 'vivid', 'lowNoise', 'text'] as const;
export type OfferedIntent = (typeof offeredIntents)[number];

/** A decoded picture and what is to become of it. */
export interface Draft {
  readonly id: number;
  readonly name: string;
  readonly picture: HTMLCanvasElement | ImageBitmap;
  readonly size: Size;
  /** Drawings and screenshots are sent without loss: their flat areas stay flat. */
  readonly isLossless: boolean;
  /** What the service said of the file, where it had to read it. */
  readonly told: RemarkShown;
  readonly crop: Signal<Crop>;
  readonly caption: Signal<string>;
  readonly intent: Signal<OfferedIntent>;
  /** The ids of the targets. */
  readonly targets: Signal<readonly string[]>;
  readonly times: Signal<ShowTimes>;
}

/** A file that was not taken, and why. */
export interface RefusedFile {
  readonly id: number;
  readonly name: string;
  readonly trouble: FileTrouble;
}

export const drafts = signal<readonly Draft[]>([]);
/** The id of the picture that is worked on. */
export const chosenDraft = signal(0);
export const refusedFiles = signal<readonly RefusedFile[]>([]);
/** The number of files that are being read. */
export const filesOpening = signal(0);

let lastId = 0;

const messageIds = new Map<string, { readonly id: string; readonly of: string }>();

/**
 * Returns the name under which a picture is sent to an album: the same when it is tried again, so that it comes once,
 * and another when it was changed meanwhile.
 */
export function messageIdOf({ id, crop, caption, intent }: Draft, place: string): string {
  const of = JSON.stringify([crop.peek(), caption.peek(), intent.peek()]);
  const key = `${id} ${place}`;
  const known = messageIds.get(key);
  if (known?.of === of) return known.id;
  const made = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0'));
  messageIds.set(key, { id: made.join(''), of });
  return made.join('');
}

/** A decoded picture is kept no larger than this a side: twice the largest panel. */
const maxSide = 3_200;

/** Takes files in, one after the other; those that cannot be taken are told, and the others are there. */
export async function addFiles(files: readonly File[]): Promise<void> {
  filesOpening.value += files.length;
  for (const file of files) {
    const opened = await openFile(file).catch((): FileTrouble => 'broken');
    filesOpening.value -= 1;
    const id = ++lastId;
    if (typeof opened === 'string') {
      refusedFiles.value = [...refusedFiles.value, { id, name: file.name, trouble: opened }];
      continue;
    }
    drafts.value = [...drafts.value, newDraft(id, file.name, opened)];
    if (!drafts.value.some((draft) => draft.id === chosenDraft.value)) chosenDraft.value = id;
  }
}

interface Opened extends Pick<Draft, 'picture' | 'isLossless' | 'told'> {}

function newDraft(id: number, name: string, opened: Opened): Draft {
  const { width, height } = opened.picture;
  const [crop, caption] = [signal(wholeCrop), signal('')];
  const [intent, targets] = [signal<OfferedIntent>('auto'), signal<readonly string[]>([])];
  return { id, name, size: [width, height], ...opened, crop, caption, intent, targets, times: signal(atOnce) };
}

/** Takes a picture away. */
export function removeDraft(id: number): void {
  const at = drafts.value.findIndex((draft) => draft.id === id);
  drafts.value = drafts.value.filter((draft) => draft.id !== id);
  if (chosenDraft.value === id) chosenDraft.value = (drafts.value[at] ?? drafts.value[at - 1])?.id ?? 0;
}

/** Decodes a file upright; its bytes decide, whatever its name says. */
async function openFile(file: File): Promise<Opened | FileTrouble> {
  if (file.size > maxFileBytes) return 'large';
  const facts = inspectFile(new Uint8Array(await file.arrayBuffer()));
  if (facts.kind === 'pdf' || facts.kind === 'video') return facts.kind;
  if ((facts.pixels ?? 0) > maxPixels) return 'large';
  // The service tells a file whose end alone is missing from half a picture.
  if (facts.isCut) return openElsewhere(file, facts.kind);
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' });
    if (bitmap.width * bitmap.height > maxPixels) return 'large';
    return { picture: keepSmall(bitmap), isLossless: facts.kind === 'png' || facts.kind === 'gif', told: {} };
  } catch {
    return facts.kind === 'other' ? 'other' : openElsewhere(file, facts.kind);
  }
}

/** Has the service read a file that this browser does not: some read HEIC and some do not. */
async function openElsewhere(file: File, kind: FileFacts['kind']): Promise<Opened | FileTrouble> {
  try {
    const { blob, ...told } = await askReadable(file);
    return { picture: keepSmall(await createImageBitmap(blob)), isLossless: false, told };
  } catch (error) {
    const isRefused = error instanceof Problem && error.status < 500;
    return !isRefused && kind === 'heic' ? 'heic' : 'broken';
  }
}

/** Keeps what panels can show of a large picture: a phone's memory holds few whole ones. */
function keepSmall(bitmap: ImageBitmap): ImageBitmap | HTMLCanvasElement {
  const scale = maxSide / Math.max(bitmap.width, bitmap.height);
  if (scale >= 1) return bitmap;
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext('2d');
  if (context === null) return bitmap;
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas;
}
