import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fieldsBefore, metaBefore, metaWith, proofOfSettings } from '../../api/jobs/frame-change.ts';

const test = suite('changes of jobs');

const settings = (meta: Record<string, unknown>, addTags: string[] = [], removeTags: string[] = []) =>
  ({ kind: 'settings', meta, addTags, removeTags }) as const;

const values = [undefined, 'a', 3600, true, { building: 'A', room: '1' }, ['x', 'y'], { deep: { er: [1] } }];
const names = ['sleepTime', 'orientation', 'place', 'tags', 'own', 'other'];

/** Every meta that seeds make of few names and values. */
function someMeta(seed: number): Record<string, unknown> {
  const fields = names.map((name, at) => [name, values[(seed * (at + 3) + (seed >> at)) % values.length]] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

test('undoing gives back exactly what was there before', () => {
  for (let seed = 0; seed < 1500; seed++) {
    const before = someMeta(seed);
    const wanted = someMeta(seed * 7 + 1);
    const meta: Record<string, unknown> = { ...wanted, ...(seed % 3 === 0 && { [names[seed % 6] ?? 'own']: null }) };
    const change = settings(meta, seed % 2 === 0 ? ['new'] : [], seed % 5 === 0 ? ['x'] : []);
    const given = metaWith(JSON.stringify(before), change);
    const fields = fieldsBefore(JSON.stringify(before), given);
    const back = metaBefore(JSON.stringify(given), JSON.parse(JSON.stringify(fields)));
    assert.equal(back.meta, before, `seed ${seed}`);
    assert.equal(back.kept, []);
  }
});

test('what somebody changed since stays, and the rest goes back', () => {
  const before = { sleepTime: '3600', orientation: 'portrait' };
  const given = metaWith(JSON.stringify(before), settings({ sleepTime: '600', orientation: 'landscape' }));
  const fields = fieldsBefore(JSON.stringify(before), given);
  const back = metaBefore(JSON.stringify({ ...given, sleepTime: '900', name: 'Hall' }), fields);
  assert.equal(back.meta, { sleepTime: '900', orientation: 'portrait', name: 'Hall' });
  assert.equal(back.kept, ['sleepTime']);
});

test('of a place only the parts that are named are written, and an empty one is taken away', () => {
  const meta = JSON.stringify({ place: { building: 'A', floor: '2', room: '17' } });
  assert.equal(metaWith(meta, settings({ place: { building: 'B' } })).place, { building: 'B', floor: '2', room: '17' });
  assert.equal(metaWith(meta, settings({ place: { floor: null, room: '' } })).place, { building: 'A' });
  assert.is(metaWith(meta, settings({ place: { building: null, floor: null, room: null } })).place, undefined);
  assert.is(metaWith(meta, settings({ place: null })).place, undefined);
});

test('tags are added and removed, and each stands once', () => {
  const meta = JSON.stringify({ tags: ['menu', 'old'] });
  assert.equal(metaWith(meta, settings({}, ['menu', 'new'], ['old'])).tags, ['menu', 'new']);
  assert.is(metaWith(meta, settings({}, [], ['menu', 'old'])).tags, undefined);
  assert.equal(fieldsBefore(meta, metaWith(meta, settings({}, ['menu']))), []);
});

test('what is to be proven follows from the fields', () => {
  assert.is(proofOfSettings(settings({ place: { building: 'A' } }, ['x'])), 'none');
  assert.is(proofOfSettings(settings({ sleepTime: '600' })), 'contact');
  assert.is(proofOfSettings(settings({ sleepTime: '600', orientation: 'portrait' })), 'glass');
});

test.run();
