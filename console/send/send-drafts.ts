/** Sends pictures, and remembers what was sent until the glass shows it. */

import { signal } from '@preact/signals';
import { callApi, type Problem } from '../ground/call-api.ts';
import { type FleetDevice, fleet, rereadDevice } from '../ground/fleet.ts';
import { asProblem } from '../ground/resource.ts';
import { fileOf, type RemarkShown } from '../parts/drafts/ask-readable.ts';
import { type Draft, messageIdOf, removeDraft } from '../parts/drafts/drafts.ts';
import { pictureOf } from '../parts/drafts/draw-crop.ts';
import { isTimed, timeFields } from '../parts/drafts/show-times.ts';
import { readTimed } from '../parts/timed-list.tsx';
import { askPreviews, bytesOfPreview, OtherSize } from './ask-preview.ts';
import { type Target, targets } from './targets.ts';

/** One picture on its way to one target. */
export interface Sending {
  readonly id: number;
  readonly name: string;
  /** A small view of what was sent. */
  readonly view: string;
  readonly target: Target;
  readonly state: 'sending' | 'sent' | 'failed' | 'waits';
  readonly problem: Problem | undefined;
  /** The service says that the frames have these very pixels already. */
  readonly isSame: boolean;
  /** What it said of the file. */
  readonly told: RemarkShown;
  readonly at: number;
  /** What was on each glass before, by device. */
  readonly before: ReadonlyMap<string, string | null>;
}

/** Everything that was sent since the console was opened, the newest first. */
export const sendings = signal<readonly Sending[]>([]);

let lastSending = 0;

const change = (id: number, values: Partial<Sending>): void => {
  sendings.value = sendings.value.map((one) => (one.id === id ? { ...one, ...values } : one));
};

/**
 * Sends each picture to its targets. What fails stays a draft with the targets that failed; the others are done.
 * @returns how many pictures went out, and how many did not
 */
export async function sendDrafts(drafts: readonly Draft[]): Promise<{ sent: number; failed: number }> {
  let [sent, failed] = [0, 0];
  for (const draft of drafts) {
    const wanted = targets.peek().filter(({ id }) => draft.targets.peek().includes(id));
    const left: string[] = [];
    for (const target of wanted) if (!(await sendOne(draft, target))) left.push(target.id);
    if (left.length === 0 && wanted.length > 0) removeDraft(draft.id);
    else draft.targets.value = left;
    if (left.length === 0) sent += 1;
    else failed += 1;
  }
  return { sent, failed };
}

async function sendOne(draft: Draft, target: Target): Promise<boolean> {
  const id = ++lastSending;
  const before = new Map(target.frames.map((device) => [device, fleet.peek().get(device)?.glass?.uploadId ?? null]));
  const since = { told: draft.told, at: Date.now(), before };
  const entry = { id, name: draft.name, view: '', target, problem: undefined, isSame: false, ...since };
  sendings.value = [{ ...entry, state: 'sending' }, ...sendings.value];
  try {
    const { view, isSame, told } = await deliver(draft, target);
    const waits = isTimed(draft.times.peek());
    change(id, { state: waits ? 'waits' : 'sent', view, isSame, ...(told.remark !== undefined && { told }) });
    if (waits) void readTimed().catch(() => undefined);
    for (const device of target.frames) void rereadDevice(device);
    return true;
  } catch (error) {
    change(id, { state: 'failed', problem: asProblem(error) });
    return false;
  }
}

/** Sends one picture; the preview goes with an own image, so that the glass shows exactly what was seen. */
async function deliver(draft: Draft, given: Target): Promise<Pick<Sending, 'view' | 'isSame' | 'told'>> {
  const intent = draft.intent.peek();
  const { target, picture, view } = await prepared(draft, given);
  const file = fileOf(picture, draft.name);
  if (target.paper?.isAlbum === true) {
    const told = await callApi('POST /papers/{paperId}/pictures/', {
      path: { paperId: target.paper.id },
      query: { messageId: messageIdOf(draft, target.paper.id) },
      form: { picture: file, caption: draft.caption.peek().trim(), intent },
    });
    return { view, isSame: false, told };
  }
  const times = timeFields(draft.times.peek());
  if (target.paper !== null) {
    const told = await callApi('POST /papers/uploadSingleImage/{paperId}', {
      path: { paperId: target.paper.id },
      form: { ...times, picture: [file], settings: JSON.stringify({ optimize: { enabled: true, intent } }) },
    });
    return { view, isSame: told.skippedUpload, told };
  }
  const told = await callApi('POST /devices/uploadSingleImage/{deviceId}', {
    path: { deviceId: target.deviceId },
    form: { ...times, picture: [file], pictureDevice: fileOf(bytesOfPreview(view), 'ready.png') },
  });
  return { view, isSame: told.iotUpload?.skippedUpload === true, told };
}

/** Makes the picture and its preview; a second time where the device's own images turn out to have another size. */
async function prepared(
  draft: Draft,
  target: Target,
  isAgain = false,
): Promise<{ target: Target; picture: Blob; view: string }> {
  const intent = draft.intent.peek();
  const picture = await pictureOf(draft, target.size);
  try {
    const view = (await askPreviews(target, picture, [intent]))[intent] ?? '';
    return { target, picture, view };
  } catch (error) {
    const corrected = targets.peek().find(({ id }) => id === target.id);
    if (!(error instanceof OtherSize) || corrected === undefined || isAgain) throw error;
    return prepared(draft, corrected, true);
  }
}

/** Forgets what was sent, once nobody needs to look at it. */
export function forgetSending(id: number): void {
  sendings.value = sendings.value.filter((one) => one.id !== id);
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
