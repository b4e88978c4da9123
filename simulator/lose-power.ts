/**
 * The state of a frame after its power failed: the flash as it was, no memory, and a panel that stopped in the middle
 * of a draw.
 */
import type { AnyFrame } from './behaviours.ts';
import { freshCycle } from './classic-state.ts';
import { withTornFile } from './trmnl-picture.ts';
import type { TrmnlState } from './trmnl-state.ts';

/** Returns the frame without power; the event `woken` starts it again. */
export function losePower(state: AnyFrame): AnyFrame {
  if (state.dialect === 'trmnl') return loseTrmnlPower(state);
  const off = { asleep: true, glass: state.glass } as const;
  if (state.dialect === 'native') {
    // The frame deletes its note of what is on the glass before it draws the first pixel, so that a broken draw claims
    // nothing.
    const broken =
      state.work?.doing === 'drawing' ? ({ picture: undefined, glass: { shows: 'nothing' } } as const) : {};
    const forgotten = { linkUp: false, work: undefined, next: undefined, unsaid: [], answeredCommands: [] } as const;
    return { ...state, ...forgotten, ...off, ...broken };
  }
  const { phase } = state;
  // The file of the fielded frame is in place before it draws (W-12).
  const broken = phase.name === 'drawing' ? ({ picture: phase.plan.keep, glass: { shows: 'nothing' } } as const) : {};
  return { ...state, ...off, ...broken, phase: { name: 'asleep' }, cycle: freshCycle };
}

/** Its flash keeps the file that was being written, torn; what it kept through its sleep is gone. */
function loseTrmnlPower(state: TrmnlState): TrmnlState {
  const { phase } = state;
  const off = {
    asleep: true,
    remembered: undefined,
    isCached: false,
    lastWakeMs: 0,
    phase: { name: 'asleep' },
  } as const;
  if (phase.name === 'writing') return { ...withTornFile(state, phase.told), ...off };
  if (phase.name !== 'drawing') return { ...state, ...off };
  const broken = { shows: 'nothing' } as const;
  return { ...state, ...off, believed: broken, glass: state.isStuck ? state.glass : broken };
}
