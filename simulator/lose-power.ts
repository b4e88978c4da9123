/** What a frame is after its power failed: flash as it was, memory gone, and a panel that stopped in the middle of a draw. */
import type { AnyFrame } from './behaviours.ts';
import { freshCycle } from './classic-state.ts';

/** The frame without power; it starts with `woken` when it is back. */
export function losePower(state: AnyFrame): AnyFrame {
  const off = { asleep: true, glass: state.glass } as const;
  if (state.dialect === 'native') {
    // The mark of what is on the glass goes before the first pixel of the next picture: a broken draw claims nothing.
    const broken =
      state.work?.doing === 'drawing' ? ({ picture: undefined, glass: { shows: 'nothing' } } as const) : {};
    const forgotten = { linkUp: false, work: undefined, next: undefined, unsaid: [], answeredCommands: [] } as const;
    return { ...state, ...forgotten, ...off, ...broken };
  }
  const { phase } = state;
  // The fielded frame's file is in place before it draws (W-12).
  const broken = phase.name === 'drawing' ? ({ picture: phase.plan.keep, glass: { shows: 'nothing' } } as const) : {};
  return { ...state, ...off, ...broken, phase: { name: 'asleep' }, cycle: freshCycle };
}
