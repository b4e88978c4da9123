import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  containsItself,
  type GroupMatch,
  groupsOfDevice,
  type RankedGroup,
  wonBy,
} from '../../api/jobs/group-rules.ts';

const test = suite('rules of groups');

const group = (id: string, match: GroupMatch, gives: string[] = ['paper'], givenAt = 1): RankedGroup => ({
  id,
  match,
  gives,
  givenAt,
});
const device = (meta: object) => ({ id: 'd', meta: JSON.stringify(meta) });
const hall = { place: { building: 'North', floor: '1', room: 'Hall' }, tags: ['menu'] };

test('a frame is in the groups of its building, floor, room and tags, and in the groups of those', () => {
  const groups = [
    group('building', { place: { building: 'north' } }),
    group('floor', { place: { building: 'North', floor: ' 1' } }),
    group('other', { place: { building: 'North', floor: '2' } }),
    group('tag', { tag: 'Menu' }),
    group('outer', { groups: ['inner'] }),
    group('inner', { groups: ['tag', 'gone'] }),
  ];
  assert.equal([...groupsOfDevice(device(hall), groups)].sort(), ['building', 'floor', 'inner', 'outer', 'tag']);
  assert.equal([...groupsOfDevice(device({}), groups)], []);
});

test('a group that contains itself is found, however long the way is', () => {
  for (let length = 1; length <= 30; length++) {
    const others = Array.from({ length: length - 1 }, (_, at) => group(`g${at}`, { groups: [`g${at + 1}`, 'leaf'] }));
    const last = { id: `g${length - 1}`, match: { groups: ['leaf', 'g0'] } };
    assert.ok(containsItself(last, others), `a circle of ${length}`);
    assert.not.ok(containsItself({ ...last, match: { groups: ['leaf'] } }, others), `a chain of ${length}`);
  }
  assert.ok(containsItself({ id: 'a', match: { groups: ['a'] } }, []));
});

test('a circle among other groups ends no search', () => {
  const others = [group('b', { groups: ['c'] }), group('c', { groups: ['b'] })];
  assert.not.ok(containsItself({ id: 'a', match: { groups: ['b'] } }, others));
});

test('room before floor, floor before building, place before tag, tag before a group of groups', () => {
  const order: RankedGroup[] = [
    group('room', { place: { room: 'Hall' } }),
    group('floor', { place: { building: 'North', floor: '1' } }),
    group('building', { place: { building: 'North' } }, ['paper'], 9),
    group('tag', { tag: 'menu' }, ['paper'], 99),
    group('outer', { groups: ['tag'] }, ['paper'], 999),
  ];
  for (const [at, { id }] of order.entries()) {
    assert.equal(wonBy(id, order.slice(at)), ['paper'], `${id} goes before those below it`);
    if (at > 0) assert.equal(wonBy(id, order), [], `${id} gives way to those above it`);
  }
});

test('of two of one rank the one that was given it last wins; each gift is judged by itself', () => {
  const old = group('old', { tag: 'a' }, ['paper', 'meta.sleepTime'], 1);
  const young = group('young', { tag: 'b' }, ['paper', 'meta.orientation'], 2);
  assert.equal(wonBy('old', [old, young]), ['meta.sleepTime']);
  assert.equal(wonBy('young', [old, young]), ['paper', 'meta.orientation']);
});

test('each gift has exactly one giver, whatever groups there are', () => {
  const matches: GroupMatch[] = [
    { tag: 'a' },
    { place: { building: 'b' } },
    { place: { room: 'r' } },
    { groups: ['x'] },
  ];
  for (let seed = 0; seed < 500; seed++) {
    const groups = Array.from({ length: 1 + (seed % 6) }, (_, at) =>
      group(
        `g${at}`,
        matches[(seed >> at) % 4] as GroupMatch,
        ['paper', 'meta.a', 'meta.b'].filter((_name, bit) => ((seed * 31 + at * 7) >> bit) % 2 === 1),
        (seed * (at + 1)) % 5,
      ),
    );
    for (const name of new Set(groups.flatMap(({ gives }) => gives))) {
      assert.is(groups.filter(({ id }) => wonBy(id, groups).includes(name)).length, 1, `seed ${seed}, ${name}`);
    }
  }
});

test.run();
