import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mergeOptimize, readOptimizeOptions, readOptimizeTag } from '../../api/inks/read-optimize-tag.ts';

const test = suite('read optimize tag');

test('a bare intent and the JSON form are understood, anything else is ignored', () => {
  const table: [content: string, read: ReturnType<typeof readOptimizeTag>][] = [
    ['readable', { enabled: true, intent: 'readable' }],
    [' vivid ', { enabled: true, intent: 'vivid' }],
    ['{"enabled":false}', { enabled: false }],
    ['{"intent":"lowNoise","palette":"spectra6"}', { enabled: true, intent: 'lowNoise', palette: 'spectra6' }],
    [
      '{"paletteName":"a","intent":"unknown","options":{"serpentine":true}}',
      { enabled: true, palette: 'a', serpentine: true },
    ],
    ['{"ditheringType":"ordered"}', { enabled: true, method: 'ordered' }],
    ['{"ditherOptions":{"errorDiffusionMatrix":"jarvis"}}', { enabled: true, kernel: 'jarvisJudiceNinke' }],
    ['{"kernel":"__proto__","method":"constructor","intent":"toString"}', { enabled: true }],
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

test("a paper's meta says the same, counts before the page, and neither switches dithering on again", () => {
  assert.equal(readOptimizeOptions('photo'), { enabled: true, intent: 'photo' });
  assert.equal(readOptimizeOptions({ intent: 'text', kernel: 'atkinson' }), {
    enabled: true,
    intent: 'text',
    kernel: 'atkinson',
  });
  for (const nothing of [undefined, null, 7, 'louder', ['photo']]) assert.is(readOptimizeOptions(nothing), undefined);
  const page = { enabled: false, intent: 'vivid', palette: 'spectra6' } as const;
  assert.equal(mergeOptimize(page, { enabled: true, intent: 'photo' }), {
    enabled: false,
    intent: 'photo',
    palette: 'spectra6',
  });
  assert.equal(mergeOptimize(page, undefined), page);
  assert.equal(mergeOptimize(undefined, page), page);
});

test.run();
