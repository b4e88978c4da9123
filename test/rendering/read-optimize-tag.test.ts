import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readOptimizeTag } from '../../api/rendering/read-optimize-tag.ts';

const test = suite('read optimize tag');

test('a bare intent and the JSON form are understood, anything else is ignored', () => {
  const table: [content: string, read: ReturnType<typeof readOptimizeTag>][] = [
    ['readable', { enabled: true, intent: 'readable' }],
    [' vivid ', { enabled: true, intent: 'vivid' }],
    ['{"enabled":false}', { enabled: false }],
    ['{"intent":"lowNoise","palette":"spectra6"}', { enabled: true, intent: 'lowNoise', palette: 'spectra6' }],
    ['{"paletteName":"a","intent":"unknown","options":{"serpentine":true}}', { enabled: true, palette: 'a' }],
    ['{"palette":7,"enabled":"no"}', { enabled: true }],
    ['{}', { enabled: true }],
    ['', undefined],
    ['louder', undefined],
    ['{"intent":', undefined],
    ['[1]', undefined],
    [`{"palette":"${'x'.repeat(5000)}"}`, undefined],
  ];
  for (const [content, read] of table) assert.equal(readOptimizeTag(content), read, content.slice(0, 40));
});

test.run();
