/** Places of work that strangers share: nobody waits for another's hundred (T-60). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FairShares, fairShares, type Place, type ShareLimits, type Sharer } from '../../runtime/fair-shares.ts';

const test = suite('fair shares');

interface Played {
  readonly shares: FairShares;
  /** Names of the works that have begun, in order. */
  readonly begun: string[];
  /** Asks for a place. The work goes on until it is ended by its name. */
  ask(name: string, sharer: Sharer, signal?: AbortSignal): Promise<void>;
  end(name: string): Promise<void>;
  place(name: string): Place;
}

function played(limits: ShareLimits): Played {
  const shares = fairShares(limits);
  const begun: string[] = [];
  const places = new Map<string, Place>();
  const ends = new Map<string, () => void>();
  const asked = new Map<string, Promise<void>>();
  return {
    shares,
    begun,
    ask(name, sharer, signal) {
      const work = (place: Place) => {
        begun.push(name);
        places.set(name, place);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      };
      const done = shares.run(sharer, work, signal);
      asked.set(name, done);
      done.catch(() => {});
      return done;
    },
    async end(name) {
      ends.get(name)?.();
      await asked.get(name);
    },
    place(name) {
      const place = places.get(name);
      assert.ok(place, `${name} has not begun`);
      return place;
    },
  };
}

test('a place goes to a sharer that has none, however many works of another came before', async () => {
  const { ask, begun, end } = played({ atOnce: 2 });
  for (const at of [1, 2, 3, 4]) ask(`many ${at}`, ['many']);
  ask('one', ['one']);
  assert.equal(begun, ['many 1', 'many 2']);
  await end('many 1');
  assert.equal(begun.at(-1), 'one');
  await end('many 2');
  await end('one');
  assert.equal(begun, ['many 1', 'many 2', 'one', 'many 3', 'many 4']);
});

test('who has the same number of places takes turns', async () => {
  const { ask, begun, end } = played({ atOnce: 1 });
  for (const at of [1, 2, 3]) for (const owner of ['a', 'b', 'c']) ask(`${owner}${at}`, [owner]);
  for (let at = 0; at < 9; at++) await end(begun[at] ?? '');
  assert.equal(begun, ['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3']);
});

test('within an organization its connections share, and the works of one keep their order', async () => {
  const { ask, begun, end } = played({ atOnce: 1 });
  for (const at of [1, 2, 3]) ask(`x${at}`, ['home', 'x']);
  ask('y1', ['home', 'y']);
  ask('z1', ['away', 'z']);
  for (let at = 0; at < 5; at++) await end(begun[at] ?? '');
  assert.equal(begun, ['x1', 'z1', 'y1', 'x2', 'x3']);
});

test('one sharer has at most its share, whatever is free', async () => {
  const { ask, begun, end } = played({ atOnce: 4, ofOne: 2 });
  for (const at of [1, 2, 3]) ask(`a${at}`, ['a']);
  assert.equal(begun, ['a1', 'a2']);
  ask('b1', ['b']);
  assert.equal(begun.at(-1), 'b1');
  await end('a1');
  assert.equal(begun.at(-1), 'a3');
});

test('what waits can be taken back, and its place in the queue goes with it', async () => {
  const { ask, begun, end, shares } = played({ atOnce: 1 });
  const patience = new AbortController();
  ask('a1', ['a']);
  const given = ask('b1', ['b'], patience.signal);
  ask('c1', ['c']);
  patience.abort(new Error('the caller left'));
  const error = await given.catch((reason: Error) => reason);
  assert.is(error instanceof Error && error.message, 'the caller left');
  assert.is(shares.waiting(), 1);
  await end('a1');
  assert.equal(begun, ['a1', 'c1']);
  const late = await ask('d1', ['d'], patience.signal).catch((reason: Error) => reason);
  assert.ok(late instanceof Error, 'a signal that was given before');
  await end('c1');
  assert.is(shares.running() + shares.waiting(), 0);
});

test('a work that steps aside leaves its place, and its sharer leaves the last one to others', async () => {
  const { ask, begun, end, place, shares } = played({ atOnce: 2, aside: { inAll: 3, ofOne: 2 } });
  for (const at of [1, 2, 3, 4, 5]) ask(`slow ${at}`, ['slow']);
  assert.ok(place('slow 1').stepAside());
  assert.ok(place('slow 1').stepAside(), 'it is aside already');
  // One is aside now: of the two places the other one's is the last.
  assert.equal(begun, ['slow 1', 'slow 2']);
  ask('quick', ['quick']);
  assert.equal(begun.at(-1), 'quick');
  assert.ok(place('slow 2').stepAside());
  await end('quick');
  assert.equal(begun, ['slow 1', 'slow 2', 'quick', 'slow 3']);
  assert.not.ok(place('slow 3').stepAside(), 'two of one may be aside');
  for (const name of ['slow 1', 'slow 2', 'slow 3']) await end(name);
  await end('slow 4');
  await end('slow 5');
  assert.is(shares.running(), 0);
});

test('a failed work gives its place back and tells its own caller alone', async () => {
  const shares = fairShares({ atOnce: 1 });
  const failed = shares.run(['a'], () => Promise.reject(new Error('broken'))).catch((error: Error) => error.message);
  const done = shares.run(['b'], async () => 'fine');
  assert.equal([await failed, await done], ['broken', 'fine']);
  await shares.idle();
  assert.is(shares.running(), 0);
});

test.run();
