/** The pictures that are about to be sent. They outlive the screen, and where the browser has room for them a reload too. */

import { type Signal, signal } from '@preact/signals';
import { type Crop, type Size, wholeCrop } from './crop.ts';
import type { CaptionPlace } from './draw-crop.ts';
import { isTrouble, type OpenTrouble } from './file-trouble.ts';
import { type Opened, openFile } from './open-file.ts';
import { atOnce, type ShowTimes } from './show-times.ts';

/** The intents that people choose among; the service has more for pages. */
export const offeredIntents = ['auto', 'photo', 'vivid', 'lowNoise', 'text'] as const;
export type OfferedIntent = (typeof offeredIntents)[number];

/** The settings of one picture that those after it take over. */
interface Carried {
  readonly intent: OfferedIntent;
  readonly times: ShowTimes;
  readonly captionAt: CaptionPlace;
}

/** The settings of a picture: what is kept besides its file. */
export interface DraftSettings extends Carried {
  readonly crop: Crop;
  /** The crops of panels of other shapes than the first, where they were corrected. */
  readonly otherCrops: Readonly<Record<string, Crop>>;
  readonly caption: string;
  readonly targets: readonly string[];
}

type Settings = { readonly [Name in keyof DraftSettings]: Signal<DraftSettings[Name]> };

/** A decoded picture and what is to become of it. */
export interface Draft extends Opened, Settings {
  /** Its permanent name: for its file in the browser's store, and at the service for what is sent of it. */
  readonly key: string;
  readonly name: string;
  /** The settings that were made for this very picture, and are not taken from one before it. */
  readonly own: Set<keyof Carried>;
  readonly addedAt: number;
  /** Whether it is on its way: the outbox says so. */
  readonly going: Signal<boolean>;
}

/** A file that was not taken, and why. */
export interface RefusedFile {
  readonly id: string;
  readonly name: string;
  readonly trouble: OpenTrouble;
}

export const drafts = signal<readonly Draft[]>([]);
/** The key of the picture that is worked on. */
export const chosenDraft = signal('');
export const refusedFiles = signal<readonly RefusedFile[]>([]);
/** The number of files that are being read. */
export const filesOpening = signal(0);

/** Returns a name that nothing else has. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** A short name of what a text says. */
function digestOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16);
}

/**
 * Returns the name under which a picture is sent to an album: the same when it is tried again, so that it comes once,
 * and another when it was changed meanwhile.
 */
export function messageIdOf({ key, crop, otherCrops, caption, captionAt, intent }: Draft, place: string): string {
  const of = [crop.peek(), otherCrops.peek(), caption.peek(), captionAt.peek(), intent.peek(), place];
  return `${key}-${digestOf(JSON.stringify(of))}`;
}

/** The panels that share a crop. */
const shapeOf = ([width, height]: Size): string => (width / height).toFixed(3);

/** Returns the crop of a picture for a panel: that of the first panel unless its own was corrected. */
export const cropFor = ({ crop, otherCrops }: Draft, panel: Size): Crop =>
  otherCrops.value[shapeOf(panel)] ?? crop.value;

/** Sets the crop for a panel; that of the first one counts for all that have none of their own. */
export function setCrop({ crop, otherCrops }: Draft, panel: Size, next: Crop, isFirst: boolean): void {
  const { [shapeOf(panel)]: before, ...others } = otherCrops.peek();
  if (!isFirst) otherCrops.value = { ...others, [shapeOf(panel)]: next };
  else {
    crop.value = next;
    if (before !== undefined) otherCrops.value = others;
  }
}

/** Sets something for a picture, and for those after it that have nothing of their own. */
export function setFromHere<Name extends keyof Carried>(draft: Draft, name: Name, value: Carried[Name]): void {
  draft.own.add(name);
  const all = drafts.peek();
  for (const one of [draft, ...all.slice(all.indexOf(draft) + 1)]) {
    if (one === draft || !one.own.has(name)) (one[name] as Signal<Carried[Name]>).value = value;
  }
}

/** Takes files in, one after the other; those that cannot be taken are named, and the others are there. */
export async function addFiles(files: readonly File[]): Promise<void> {
  filesOpening.value += files.length;
  for (const file of files) {
    const opened = await openFile(file).catch((): OpenTrouble => 'broken');
    filesOpening.value -= 1;
    if (isTrouble(opened)) {
      refusedFiles.value = [...refusedFiles.value, { id: newKey(), name: file.name, trouble: opened }];
      continue;
    }
    const last = drafts.peek().at(-1);
    const addedAt = Math.max(Date.now(), (last?.addedAt ?? 0) + 1);
    addDraft(newDraft({ key: newKey(), name: file.name, addedAt }, opened, carriedFrom(last)));
  }
}

/** Puts a picture after the others. */
export function addDraft(draft: Draft): void {
  drafts.value = [...drafts.peek(), draft];
  const isChosen = drafts.peek().some(({ key, going }) => key === chosenDraft.peek() && !going.peek());
  if (!isChosen && !draft.going.peek()) chosenDraft.value = draft.key;
}

function carriedFrom(draft: Draft | undefined): Partial<DraftSettings> {
  if (draft === undefined) return {};
  const { intent, times, captionAt } = draft;
  return { intent: intent.peek(), times: times.peek(), captionAt: captionAt.peek() };
}

/** Makes a draft of a picture that was opened. */
export function newDraft(
  named: Pick<Draft, 'key' | 'name' | 'addedAt'>,
  opened: Opened,
  settings: Partial<DraftSettings> = {},
): Draft {
  return {
    ...named,
    ...opened,
    own: new Set(),
    crop: signal(settings.crop ?? wholeCrop),
    otherCrops: signal(settings.otherCrops ?? {}),
    caption: signal(settings.caption ?? ''),
    captionAt: signal(settings.captionAt ?? 'bottom'),
    intent: signal(settings.intent ?? 'auto'),
    targets: signal(settings.targets ?? []),
    times: signal(settings.times ?? atOnce),
    going: signal(false),
  };
}

/** Takes a picture away. */
export function removeDraft(key: string): void {
  const at = drafts.peek().findIndex((draft) => draft.key === key);
  const gone = drafts.peek()[at];
  drafts.value = drafts.peek().filter((draft) => draft.key !== key);
  gone?.picture.close();
  const left = drafts.peek();
  if (chosenDraft.peek() === key) chosenDraft.value = (left[at] ?? left[at - 1])?.key ?? '';
}

/** The pictures that are still worked on, without those that are on their way. */
export const draftsInHand = (): readonly Draft[] => drafts.value.filter(({ going }) => !going.value);
