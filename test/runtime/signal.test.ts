import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSignal } from '../../runtime/signal.ts';

const test = suite('signals');

test('a signal reaches its listener at once, and what comes before it is lost', () => {
  const heard: string[] = [];
  const signal = createSignal<string>();
  signal.emit('too early');
  signal.listen((value) => heard.push(value));
  signal.emit('now');
  assert.equal(heard, ['now']);
});

test('a second listener is refused: the first one would hear nothing any longer', () => {
  const heard: string[] = [];
  const signal = createSignal<string>();
  signal.listen((value) => heard.push(value));
  assert.throws(() => signal.listen(() => {}), /has one listener/);
  signal.emit('still');
  assert.equal(heard, ['still']);
});

test.run();
