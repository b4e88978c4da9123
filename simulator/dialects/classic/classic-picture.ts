/**
 * The fetching and drawing of a picture by the fielded frame: two GETs with few checks (sections 6 and 7 of the frame
 * wire).
 */
import { fileBytes } from '../../../firmware-protocol/framebuffer.ts';
import type { Panel } from '../../../firmware-protocol/panels.ts';
import { refreshed } from '../../frame/battery.ts';
import { digestOf, maxDraws, only, type SimulatedEvent, trace } from '../../frame/frame.ts';
import { type ClassicState, type ClassicStep, connectTo, type DrawPlan, vanish } from './classic-state.ts';

const maxRounds = 6;
const headersMs = 10_000;

/** Leaves the broker and requests the picture's address, only to learn whether it redirects (W-07). */
export function fetchPicture(state: ClassicState, url: string): ClassicStep {
  const begun = probe(state, state.urlPrefix + url, 1);
  return {
    state: begun.state,
    effects: [trace('fetching', { t: state.cycle.t ?? 0 }), { do: 'disconnect' }, ...begun.effects],
  };
}

function probe(state: ClassicState, url: string, round: number): ClassicStep {
  const phase = { name: 'probing', round, url } as const;
  return only({ ...state, phase }, { do: 'download', url, part: 'headers', headersMs, bodyMs: undefined });
}

/** Downloads after the probe's headers. The frame follows only a 301 to an absolute address (W-08). */
export function download(
  state: ClassicState,
  probed: { round: number; url: string },
  event: Extract<SimulatedEvent, { kind: 'probed' }>,
): ClassicStep {
  const moved = event.status === 301 && event.location !== undefined && /^https?:\/\//.test(event.location);
  const url = moved && event.location !== undefined ? event.location : probed.url;
  const phase = { name: 'downloading', round: probed.round, url } as const;
  // The frame waits for ever while the body stalls (W-10).
  return only({ ...state, phase }, { do: 'download', url, part: 'whole', headersMs, bodyMs: undefined });
}

/**
 * Begins another round after one without an answer; after the last round an error text replaces the old picture (W-40).
 */
export function nextRound(state: ClassicState, failed: { round: number; url: string }, why: string): ClassicStep {
  if (failed.round < maxRounds) return probe(state, failed.url, failed.round + 1);
  const step = draw(state, {
    glass: { shows: 'screen', screen: 'download failed' },
    keep: state.picture,
    says: 'update_failed',
  });
  return { state: step.state, effects: [trace('failed', { why }), ...step.effects] };
}

/** Takes any answer as the picture, with hardly a check. */
export function takeAnswer(
  state: ClassicState,
  phase: { round: number; url: string },
  event: Extract<SimulatedEvent, { kind: 'downloaded' }>,
): ClassicStep {
  const { status, body, complete, lengthKnown } = event;
  if (status !== 200) return redrawOld(state, status);
  // Without a length the file cannot be created; the frame erases its picture store and tries again (W-09).
  if (!lengthKnown) return nextRound({ ...state, picture: undefined }, phase, 'no Content-Length');
  // A truncated body is drawn as far as it came (W-12).
  const file = drawable(state.panel, body);
  const keep = { file, sha256: digestOf(file) };
  const step = draw(state, { glass: { shows: 'picture', ...keep }, keep, says: 'update_ok' });
  return {
    state: step.state,
    effects: [trace(complete ? 'fetched' : 'truncated', { bytes: body.length }), ...step.effects],
  };
}

/** Draws the old picture again under the new version; only a frame without a picture reports a failure (W-11). */
function redrawOld(state: ClassicState, status: number): ClassicStep {
  const refused = trace('refused', { status });
  const keep = state.picture;
  if (keep === undefined) return connectTo(state, { name: 'saying', says: 'update_failed' }, refused);
  const step = draw(state, { glass: { shows: 'picture', ...keep }, keep, says: 'update_ok' });
  return { state: step.state, effects: [refused, ...step.effects] };
}

export function draw(state: ClassicState, plan: DrawPlan): ClassicStep {
  return only(
    { ...state, phase: { name: 'drawing', plan, draws: 1 } },
    { do: 'draw', seconds: state.panel.refreshSeconds },
  );
}

/** Ends a draw. A frame that was turned while drawing draws again; the fifth broken draw is a failure (W-30). */
export function finishClassicDrawing(state: ClassicState, plan: DrawPlan, draws: number, turned: boolean): ClassicStep {
  if (turned && draws < maxDraws) {
    const phase = { name: 'drawing', plan, draws: draws + 1 } as const;
    return only({ ...state, phase }, { do: 'draw', seconds: state.panel.refreshSeconds });
  }
  const says = turned && plan.says !== undefined ? 'update_failed' : plan.says;
  const drawn = turned ? state : { ...refreshed(state, plan.glass), picture: plan.keep };
  if (says === undefined) return vanish(drawn, state.cycle.sleepSeconds);
  const fileVersion = says === 'update_ok' ? (state.cycle.t ?? state.fileVersion) : state.fileVersion;
  return connectTo({ ...drawn, fileVersion }, { name: 'saying', says });
}

/**
 * Returns a body as the panel reads it: cut to the size of a file, or filled up with white. A bitmap's pixel offset
 * counts.
 */
function drawable(panel: Panel, body: Uint8Array): Uint8Array {
  const isBitmap = body.length >= 14 && body[0] === 0x42 && body[1] === 0x4d;
  const start = isBitmap ? Math.min(new DataView(body.buffer, body.byteOffset).getUint32(0x0a, true), 4096) : 4;
  const wanted = start + fileBytes(panel) - 4;
  if (body.length === wanted) return body;
  const white = panel.colours[panel.foreignCodeDrawnAs]?.code ?? 0;
  const file = new Uint8Array(wanted).fill((white << 4) | white);
  file.set(body.subarray(0, wanted));
  return file;
}
