/** How the fielded frame fetches and draws a picture: two GETs, few questions asked (sections 6, 7; W-07 to W-13, W-40). */
import { fileBytes } from '../firmware-protocol/framebuffer.ts';
import type { Panel } from '../firmware-protocol/panels.ts';
import { type ClassicState, type ClassicStep, connectTo, type DrawPlan, vanish } from './classic-state.ts';
import { type FrameEvent, mostDraws, only, refreshed, sha256Of, trace } from './frame.ts';

const mostRounds = 6;
const headersMs = 10_000;

/** Leaves the broker and asks for the picture's address, only to see whether it redirects (W-07, W-13). */
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

/** The probe's headers came. Only a 301 to an absolute address is followed (W-08). */
export function download(
  state: ClassicState,
  probed: { round: number; url: string },
  event: Extract<FrameEvent, { kind: 'probed' }>,
): ClassicStep {
  const moved = event.status === 301 && event.location !== undefined && /^https?:\/\//.test(event.location);
  const url = moved && event.location !== undefined ? event.location : probed.url;
  const phase = { name: 'downloading', round: probed.round, url } as const;
  // W-10: no patience runs out while the body stalls
  return only({ ...state, phase }, { do: 'download', url, part: 'whole', headersMs, bodyMs: undefined });
}

/** A round without an answer: again, and after the last one an error text replaces the old picture (W-40). */
export function nextRound(state: ClassicState, failed: { round: number; url: string }, why: string): ClassicStep {
  if (failed.round < mostRounds) return probe(state, failed.url, failed.round + 1);
  const step = draw(state, {
    glass: { shows: 'screen', screen: 'download failed' },
    keep: state.picture,
    says: 'update_failed',
  });
  return { state: step.state, effects: [trace('failed', { why }), ...step.effects] };
}

/** Takes what came, whatever it is. */
export function takeBody(
  state: ClassicState,
  phase: { round: number; url: string },
  event: Extract<FrameEvent, { kind: 'downloaded' }>,
): ClassicStep {
  const { status, body, complete, lengthKnown } = event;
  if (status !== 200) return redrawOld(state, status);
  // W-09: without a length the file cannot be created; the frame erases its picture store and tries again
  if (!lengthKnown) return nextRound({ ...state, picture: undefined }, phase, 'no Content-Length');
  // W-12: a truncated body is drawn as far as it came
  const file = drawable(state.panel, body);
  const keep = { file, sha256: sha256Of(file) };
  const step = draw(state, { glass: { shows: 'picture', ...keep }, keep, says: 'update_ok' });
  return {
    state: step.state,
    effects: [trace(complete ? 'fetched' : 'truncated', { bytes: body.length }), ...step.effects],
  };
}

/** W-11: the old picture again, under the new version; only a frame without any says that it failed. */
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

/** W-30: turned while drawing, it draws again; the fifth broken draw is a failure. */
export function finishDrawing(state: ClassicState, plan: DrawPlan, draws: number, turned: boolean): ClassicStep {
  if (turned && draws < mostDraws) {
    const phase = { name: 'drawing', plan, draws: draws + 1 } as const;
    return only({ ...state, phase }, { do: 'draw', seconds: state.panel.refreshSeconds });
  }
  const says = turned && plan.says !== undefined ? 'update_failed' : plan.says;
  const drawn = turned ? state : { ...refreshed(state, plan.glass), picture: plan.keep };
  if (says === undefined) return vanish(drawn, state.cycle.sleepSeconds);
  const fileVersion = says === 'update_ok' ? (state.cycle.t ?? state.fileVersion) : state.fileVersion;
  return connectTo({ ...drawn, fileVersion }, { name: 'saying', says });
}

/** A body as the panel reads it: cut to its file, what is missing filled with white. A bitmap's pixel offset counts. */
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
