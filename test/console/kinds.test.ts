/** Kinds of paper in the console: what it says of each is what the service does with it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  composedKinds,
  draftableKind,
  isAlbum,
  type PaperKind,
  paperKinds,
  showsUploads,
} from '../../api/papers/kinds.ts';
import { isDraftable, offeredKinds, partKinds, traitsOf } from '../../console/ground/paper-kinds.ts';

const test = suite('kinds of paper in the console');

const kinds = Object.keys(paperKinds) as PaperKind[];

test('the console knows of each kind what the service does with it', () => {
  for (const kind of kinds) {
    const traits = traitsOf(kind);
    assert.is(traits.isComposed, composedKinds.includes(kind), kind);
    assert.is(traits.isAlbum, isAlbum(kind), kind);
    assert.is(isDraftable(kind), draftableKind.safeParse(kind).success, kind);
    // Pictures for a printer's paper come from what prints.
    assert.is(traits.takesPictures, kind !== 'printer' && (showsUploads(kind) || isAlbum(kind)), kind);
    // What is drawn from its settings needs some, unless there is always a picture of it.
    if (isDraftable(kind)) assert.is(traits.needs.length > 0, paperKinds[kind].notSetUp !== null, kind);
  }
  assert.equal([isDraftable('of-a-client'), traitsOf('of-a-client').needs], [false, []]);
});

test('a part is offered by itself, and is not made of other papers', () => {
  assert.ok(partKinds.length > 3);
  for (const kind of partKinds) assert.is(offeredKinds.includes(kind) && !traitsOf(kind).isComposed, true, kind);
});

test.run();
