import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isConcerned } from './changed-files.ts';
import { nameOf, testFiles } from './choose-files.ts';

const test = suite('changed files');
const names = testFiles().map(nameOf);
const roomsFor = (...changed: string[]): string[] => [
  ...new Set(names.filter((name) => isConcerned(name, changed)).map((name) => name.split(/[./]/)[0] ?? '')),
];
const house = ['background', 'documents', 'emitters', 'plain-columns', 'style', 'tidy'];

test('a change of nothing, or of documents, is held against the rules of the house', () => {
  assert.equal(roomsFor().sort(), house);
  assert.equal(roomsFor('docs/papers.md').sort(), house);
});

test('a change is tried by the tests of its rooms, and by whole ways through the service', () => {
  assert.equal(roomsFor('api/alerts/channels.ts').sort(), [...house, 'alerts', 'journeys'].sort());
  assert.equal(roomsFor('console/papers/paper.tsx').sort(), [...house, 'console', 'journeys', 'papers'].sort());
  assert.ok(names.filter((name) => name.startsWith('journeys/') && isConcerned(name, ['api/x.ts'])).length === 3);
});

test('a test that was changed is played alone', () => {
  const changed = ['test/http/access.test.ts'];
  assert.equal(
    names.filter((name) => name.startsWith('http/') && isConcerned(name, changed)),
    ['http/access.test.ts'],
  );
});

test.run();
