/**
 * The state of a frame after its power failed: the flash as it was, no memory, and a panel that stopped in the middle
 * of a draw.
 */
import type { AnyFrame } from './any-frame.ts';
import { freshCycle } from './classic/classic-state.ts';
import { withTornFile } from './trmnl/trmnl-picture.ts';
import type { TrmnlState } from './trmnl/trmnl-state.ts';

/** Returns the frame without power; the event `woken` starts it again. */
export function losePower(before: AnyFrame): AnyFrame {
  const state = breakDraw(before);
  if (state.dialect === 'trmnl') return loseTrmnlPower(state);
  const off = { asleep: true } as const;
  // Its settings and its tag are in flash; the file that was being written is not valid before it is whole.
  if (state.dialect === 'offline') return { ...state, ...off, told: undefined, phase: { name: 'asleep' } };
  if (state.dialect === 'native') {
    const forgotten = { linkUp: false, work: undefined, next: undefined, unsaid: [], answeredCommands: [] } as const;
    return { ...state, ...forgotten, ...off };
  }
  return { ...state, ...off, phase: { name: 'asleep' }, cycle: freshCycle };
}

/** Returns the frame after its draw stopped in the middle; a frame that was not drawing stays as it was. */
export function breakDraw(state: AnyFrame): AnyFrame {
  const broken = { shows: 'nothing' } as const;
  if (state.dialect === 'native') {
    // The frame deletes its note of what is on the glass before it draws the first pixel, so that a broken draw claims
    // nothing.
    return state.work?.doing === 'drawing' ? { ...state, picture: undefined, glass: broken } : state;
  }
  if (state.dialect === 'offline') {
    const isDrawing = state.phase.name === 'drawing' || state.phase.name === 'drawing an error';
    return isDrawing ? { ...state, glass: broken } : state;
  }
  if (state.dialect === 'trmnl') {
    const glass = state.isStuck ? state.glass : broken;
    return state.phase.name === 'drawing' ? { ...state, believed: broken, glass } : state;
  }
  // The file of the fielded frame is in place before it draws (W-12).
  return state.phase.name === 'drawing' ? { ...state, picture: state.phase.plan.keep, glass: broken } : state;
}

/** Its flash keeps the file that was being written, torn; the memory that survives sleep is lost. */
function loseTrmnlPower(state: TrmnlState): TrmnlState {
  const { phase } = state;
  const off = {
    asleep: true,
    remembered: undefined,
    isCached: false,
    lastWakeMs: 0,
    phase: { name: 'asleep' },
  } as const;
  return { ...(phase.name === 'writing' ? withTornFile(state, phase.told) : state), ...off };
}
