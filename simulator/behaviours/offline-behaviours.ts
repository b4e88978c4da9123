/** Behaviours of the people around a frame with the vendor's offline firmware. */
import { type Behaviour, withEffects } from '../dialects/any-frame.ts';
import { only, trace } from '../frame/frame.ts';

const pressedEvery = 4;
const localEvery = 8;
const resetAt = 10;

/** Is pressed twice in the middle of some sleeps: the set-up is left out. */
export const pressedTwice: Behaviour = (below) => (before, event) => {
  const isPressed =
    event.kind === 'woken' && event.reason === 'button' && before.dialect === 'offline' && before.boots > 0;
  const step = below(isPressed ? { ...before, isPressedTwice: true } : before, event);
  return withEffects(step, (effect) => {
    const isTimed = effect.do === 'sleep' && typeof effect.seconds === 'number' && effect.wake === 'timer';
    if (!isTimed || step.state.boots % pressedEvery !== pressedEvery - 1) return [effect];
    return [{ ...effect, seconds: Number(effect.seconds) / 2, wake: 'button' }];
  });
};

/** Stands for a picture that no server knows. */
const sentByPhone = { shows: 'screen', screen: 'no picture' } as const;

/** Shows a picture that came over Bluetooth, without a timer, until somebody presses its button and enters the address. */
export const bluetoothPicture: Behaviour = (below) => (before, event) => {
  if (event.kind !== 'woken' || before.dialect !== 'offline') return below(before, event);
  if (event.reason === 'button' && before.isLocal) return below({ ...before, isLocal: false, validator: '' }, event);
  if (before.boots === 0 || before.boots % localEvery !== 0) return below(before, event);
  const local = { ...before, isLocal: true, glass: sentByPhone, boots: before.boots + 1 };
  return only(local, trace('picture over Bluetooth'), { do: 'sleep', seconds: 'until button', wake: 'button' });
};

/** Is reset by five presses: address and login are gone. */
export const factoryReset: Behaviour = (below) => (before, event) => {
  if (event.kind !== 'woken' || before.dialect !== 'offline' || before.boots !== resetAt) return below(before, event);
  const reset = { ...before, login: undefined, validator: '', factoryResets: before.factoryResets + 1 };
  return below(reset, event);
};
