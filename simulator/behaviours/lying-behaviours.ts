/** Behaviours of frames that report what is not true, or download less than they are offered. */
import { type AnyFrame, type Behaviour, withEffects } from '../dialects/any-frame.ts';
import { connectTo } from '../dialects/classic/classic-state.ts';
import { report, shown } from '../dialects/native/native-picture.ts';
import { after, type FrameEffect, only, type Publish, type Step } from '../frame/frame.ts';

const maxReplayed = 4;

/** Reports the picture as shown, but downloads nothing and shows nothing. */
export const liar: Behaviour = (below) => (state, event) => {
  const step = below(state, event);
  if (!fetchesPicture(step.state) || !step.effects.some((effect) => effect.do === 'download')) return step;
  const kept = step.effects.filter((effect) => effect.do !== 'download');
  return after(only(step.state, ...kept), lie(step.state));
};

/** Breaks every download off in the middle of the body. */
export const halfDownload: Behaviour = (below) => (state, event) =>
  withEffects(below(state, event), (effect, step) =>
    isOfPicture(effect, step.state) ? [{ ...effect, part: 'half' }] : [effect],
  );

/** Loses the link in the middle of every first download; a second request is answered. */
export const tornDownload: Behaviour = (below) => (state, event) =>
  withEffects(below(state, event), (effect, step) =>
    isOfPicture(effect, step.state) && effect.from === undefined ? [{ ...effect, part: 'half' }] : [effect],
  );

/** Sends its reports of earlier wakes again after each greeting. */
export const replayer: Behaviour = (below) => (state, event) => {
  const step = below(state, event);
  const said = step.effects.filter((effect): effect is Publish => effect.do === 'publish');
  const reports = said.filter((effect) => /\/(report|updatestate)$/.test(effect.topic));
  const greets = said.some((effect) => /\/(hello|activateepaper)$/.test(effect.topic));
  const again = greets ? state.earlierReports : [];
  const earlierReports = [...state.earlierReports, ...reports].slice(-maxReplayed);
  return only({ ...step.state, earlierReports }, ...step.effects, ...again);
};

/** Disappears after its first work without bye or DISCONNECT, and never wakes again, like a frame without its battery. */
export const silent: Behaviour = (below) => (state, event) =>
  withEffects(below(state, event), (effect, step) => {
    if (effect.do === 'sleep') return [{ ...effect, seconds: 'for ever' }];
    if (effect.do === 'disconnect') return step.state.asleep ? [] : [effect];
    return effect.do === 'publish' && effect.topic.endsWith('/bye') ? [] : [effect];
  });

/** Has a stuck panel, whose picture never changes; the firmware cannot notice. */
export const stuck: Behaviour = (below) => (state, event) => {
  const step = below(state, event);
  return { ...step, state: { ...step.state, glass: state.glass } };
};

/** Returns whether an effect downloads a whole file, rather than the answer to a call of a frame that polls. */
function isOfPicture(
  effect: FrameEffect,
  state: AnyFrame,
): effect is Extract<FrameEffect, { do: 'download' }> & { part: 'whole' } {
  const isFile = effect.do === 'download' && effect.part === 'whole';
  if (!isFile) return false;
  if (state.dialect === 'offline') return state.phase.name === 'asking';
  return state.dialect !== 'trmnl' || state.phase.name === 'fetching';
}

/** Returns whether the download that begins is that of a picture; no behaviour lies about firmware. */
function fetchesPicture(state: AnyFrame): boolean {
  if (state.dialect === 'trmnl') return state.phase.name === 'fetching';
  if (state.dialect === 'offline') return state.phase.name === 'asking';
  return state.dialect === 'native' ? state.work?.doing === 'downloading' : state.phase.name === 'probing';
}

function lie(state: AnyFrame): Step<AnyFrame> {
  if (state.dialect === 'classic') {
    const claimed = { ...state, fileVersion: state.cycle.t ?? state.fileVersion };
    return connectTo(claimed, { name: 'saying', says: 'update_ok' });
  }
  if (state.dialect !== 'native' || state.work === undefined) return only(state);
  const { picture } = state.work;
  const fetched = report(state, picture, 'fetched');
  return after(fetched, shown(fetched.state, picture, { file: new Uint8Array(0), sha256: picture.sha256 }));
}
