/** Work that waits for room begins when a work ends, and nobody has to look for it again. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { worksUnderWay } from '../../api/delivery/works-under-way.ts';

const test = suite('works under way');

/** Works that end when the test ends them. */
function openWorks() {
  const room = worksUnderWay<string>();
  const ends = new Map<string, () => void>();
  let ended = 0;
  return {
    room,
    ended: () => ended,
    begin(id: string, organizationId: string): void {
      const work = new Promise<void>((resolve) => ends.set(id, resolve));
      room.begin(id, organizationId, work, () => ended++);
    },
    async end(id: string): Promise<void> {
      ends.get(id)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('what found no room is next when a work of its organization ends, the one that waits longest first', async () => {
  const { room, begin, end, ended } = openWorks();
  for (let at = 0; at < 16; at++) begin(`a${at}`, 'a');
  assert.is(room.mayBegin('a16', 'a'), false);
  for (const id of ['a16', 'a17']) room.wait(id, 'a', id);
  assert.is(room.next(), undefined);
  await end('a3');
  assert.is(ended(), 1);
  assert.is(room.next(), 'a16');
  begin('a16', 'a');
  assert.is(room.next(), undefined, 'the room is full again');
  assert.ok(room.isAnyWaiting());
});

test('an organization that waits holds up no other one', () => {
  const { room, begin } = openWorks();
  for (let at = 0; at < 16; at++) begin(`a${at}`, 'a');
  room.wait('a16', 'a', 'a16');
  room.wait('b0', 'b', 'b0');
  assert.is(room.next(), 'b0');
  assert.is(room.next(), undefined);
});

test('a work that is due again while it is under way waits for its own end', async () => {
  const { room, begin, end } = openWorks();
  begin('a0', 'a');
  room.wait('a0', 'a', 'once more');
  assert.is(room.next(), undefined);
  await end('a0');
  assert.is(room.next(), 'once more');
  assert.not(room.isAnyWaiting());
});

test('what was under way when a look at what is due began may not begin by that look, also when it has ended', async () => {
  const { room, begin, end } = openWorks();
  begin('a0', 'a');
  const look = room.look();
  assert.is(look.mayBegin('a0', 'a'), false);
  assert.ok(look.mayBegin('a1', 'a'));
  await end('a0');
  assert.is(look.mayBegin('a0', 'a'), false, 'it was read as it was before its end');
  assert.ok(room.look().mayBegin('a0', 'a'));
  for (let at = 1; at <= 16; at++) begin(`a${at}`, 'a');
  assert.is(room.look().mayBegin('a0', 'a'), false, 'the room is full');
});

test('waiting work is forgotten when everything is looked for again', () => {
  const { room } = openWorks();
  room.wait('a0', 'a', 'a0');
  room.forgetWaiting();
  assert.is(room.next(), undefined);
});

test('what waits of an organization that is not read again stays', () => {
  const { room, begin } = openWorks();
  for (let at = 0; at < 16; at++) begin(`a${at}`, 'a');
  room.wait('a16', 'a', 'a16');
  room.wait('b0', 'b', 'b0');
  room.forgetWaiting(['a']);
  assert.is(room.next(), undefined, 'of the one there is no room, and of the other nothing waits');
  assert.ok(room.isAnyWaiting());
  room.forgetWaiting();
  assert.not.ok(room.isAnyWaiting());
});

test('an organization is free when it has room and no work waiting, whatever others have waiting', async () => {
  const { room, begin, end } = openWorks();
  for (let at = 0; at < 16; at++) for (const owner of ['a', 'b']) begin(`${owner}${at}`, owner);
  room.wait('b16', 'b', 'b16');
  assert.not.ok(room.isFree('a'));
  await end('a0');
  assert.ok(room.isFree('a'));
  room.wait('a16', 'a', 'a16');
  assert.not.ok(room.isFree('a'));
});

test.run();
