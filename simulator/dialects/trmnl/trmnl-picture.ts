/** How a frame that polls handles what it is sent: the answer, the download, and the files in its flash. */
import { digestOf, type FramePicture, type Glass, only, type SimulatedEvent, trace } from '../../frame/frame.ts';
import {
  type AnswerOfServer,
  drawTrmnl,
  pictureCall,
  storedSleep,
  type TrmnlFile,
  type TrmnlNext,
  type TrmnlState,
  type TrmnlStep,
  trmnlSleeps,
  withOutcome,
} from './trmnl-state.ts';

/** The most bytes of a picture on boards without much memory. */
export const trmnlPictureBytes = 90_000;
const dayMs = 86_400_000;
/** The firmware takes files whose names begin alike for older versions of the same picture. */
const alikeCharacters = 13;
/** How long it takes to write a file to flash, milliseconds. */
const writeMs = 700;

type Said = Readonly<Record<string, unknown>>;

/**
 * Takes the answer to a display call. The sleep that it carries is stored at once, whatever follows.
 * @returns the step, or how an answer without a picture ends
 */
export function takeDisplayAnswer(
  before: TrmnlState,
  said: Said,
): { readonly step: TrmnlStep } | { readonly failed: 'fails' | 'ignored'; readonly state: TrmnlState } {
  const { does } = before;
  const status = said.status ?? 0;
  if (status === 500 && does.isWipedBy500) {
    const wiped = { ...withOutcome(before, undefined, 'error'), key: undefined, refreshRate: 5 };
    return { step: trmnlSleeps(wiped, 5, trace('wiped')) };
  }
  if (status !== 0) {
    const odd = withOutcome({ ...before, refreshRate: 5 }, undefined, 'error');
    return { step: trmnlSleeps(odd, 5, trace('not registered', { status: String(status) })) };
  }
  const state = { ...before, refreshRate: Math.max(0, Math.trunc(Number(said.refresh_rate ?? 0)) || 0) };
  const told: AnswerOfServer = { name: String(said.filename ?? ''), url: String(said.image_url ?? '') };
  if (told.url === '') return { failed: does.failedDownload, state };
  return { step: show(state, told) };
}

function show(state: TrmnlState, told: AnswerOfServer): TrmnlStep {
  const { does, remembered } = state;
  const file = does.keepsPictures ? state.flash.find(({ name }) => name === told.name) : undefined;
  const isSame = does.skipsSameName && remembered === told.name;
  if (isSame && (file !== undefined || !does.keepsPictures))
    return keep({ ...state, isCached: file !== undefined }, told);
  if (file === undefined) {
    const fetching = { ...state, isCached: false, phase: { name: 'fetching', told } } as const;
    return only(fetching, trace('fetching', { name: told.name }), pictureCall(state, told.url));
  }
  // Whatever lies in flash under the name is drawn.
  const cached = { ...state, isCached: true };
  const end: TrmnlNext = { go: 'drawn', name: told.name };
  if (isWholePng(file.picture.file)) return drawTrmnl(cached, { shows: 'picture', ...file.picture }, end);
  return drawGarbage(cached, told);
}

/** The picture is on the glass as far as the firmware knows: nothing is drawn. */
function keep(state: TrmnlState, { name }: AnswerOfServer): TrmnlStep {
  return trmnlSleeps(
    { ...withOutcome(state, name, 'kept'), apiFailures: 0 },
    storedSleep(state),
    trace('kept', { name }),
  );
}

/** Draws whatever the decoder made of an undecodable file, and counts that as a success. */
function drawGarbage(state: TrmnlState, { name }: AnswerOfServer): TrmnlStep {
  const glass: Glass = { shows: 'screen', screen: 'garbled' };
  const swallowed = { ...withOutcome(state, name, 'swallowed'), remembered: name, apiFailures: 0 };
  return drawTrmnl(swallowed, glass, { go: 'sleep', seconds: storedSleep(state) }, trace('garbled', { name }));
}

/** The outcome of a download as the firmware sees it. */
export type TrmnlDownload =
  | { readonly outcome: 'taken'; readonly state: TrmnlState; readonly picture: FramePicture }
  | { readonly outcome: 'failed'; readonly state: TrmnlState; readonly why: string; readonly isUnanswered?: true }
  /** It is not a picture, and the firmware does not notice: nothing is drawn. */
  | { readonly outcome: 'nothing'; readonly state: TrmnlState };

/** Takes the end of a download. */
export function takePicture(
  state: TrmnlState,
  told: AnswerOfServer,
  event: Extract<SimulatedEvent, { kind: 'downloaded' | 'download failed' }>,
): TrmnlDownload {
  const { does } = state;
  if (event.kind === 'download failed')
    return { outcome: 'failed', state, why: `GET failed: ${event.why}`, isUnanswered: true };
  const { status, body, complete, type } = event;
  if (status !== 200 && status !== 301) {
    return { outcome: 'failed', state, why: `GET failed, code: ${status}`, isUnanswered: true };
  }
  if (body.length === 0) return { outcome: 'failed', state, why: 'Receiving failed. No data received' };
  if (body.length > trmnlPictureBytes) return { outcome: 'failed', state, why: 'file size too big' };
  if (!complete && !does.takesTorn) return { outcome: 'failed', state, why: 'Receiving failed; incomplete download' };
  if (type !== 'image/png') {
    if (does.noticesGarbage) return { outcome: 'failed', state, why: 'error parsing image file' };
    return { outcome: 'nothing', state: withOutcome(state, told.name, 'swallowed') };
  }
  if (does.noticesGarbage && !isWholePng(body)) return { outcome: 'failed', state, why: 'error parsing image file' };
  return { outcome: 'taken', state, picture: { file: body, sha256: digestOf(body) } };
}

/** Writes the picture to flash, if the version keeps pictures, and then draws it. */
export function writePicture(state: TrmnlState, told: AnswerOfServer, picture: FramePicture): TrmnlStep {
  const isWhole = isWholePng(picture.file);
  const kept = state.does.keepsPictures ? withFile(state, { name: told.name, picture, at: state.nowMs }) : state;
  if (!isWhole) return drawGarbage(kept, told);
  const phase = { name: 'writing', told, picture } as const;
  return only({ ...kept, phase }, { do: 'timer', name: 'written', afterMs: writeMs });
}

/** Puts a file into flash. Older ones of the same picture, and those of yesterday, are deleted. */
function withFile(state: TrmnlState, file: TrmnlFile): TrmnlState {
  const start = file.name.slice(0, alikeCharacters);
  const others = state.flash.filter(
    ({ name, at }) => name.slice(0, alikeCharacters) !== start && file.at <= at + dayMs,
  );
  return { ...state, flash: [...others, file] };
}

/** The state after power was lost while a file was being written: half of it is there, under its name. */
export function withTornFile(state: TrmnlState, { name }: AnswerOfServer): TrmnlState {
  const flash = state.flash.map((file) => {
    if (file.name !== name) return file;
    const half = file.picture.file.slice(0, Math.floor(file.picture.file.length / 2));
    return { ...file, picture: { ...file.picture, file: half } };
  });
  return { ...state, flash };
}

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const pngEnd = Buffer.from([0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]);

/** Returns whether a file is a PNG from its first to its last byte. */
export function isWholePng(file: Uint8Array): boolean {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  return bytes.subarray(0, pngStart.length).equals(pngStart) && bytes.subarray(-pngEnd.length).equals(pngEnd);
}
