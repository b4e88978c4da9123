import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { outlookOf, type WatchedRow } from '../../api/deadlines/frame-outlook.ts';
import { classicTraits } from '../../gateway/dialects/classic.ts';
import { nativeTraits } from '../../gateway/dialects/native.ts';
import { offlineDialect } from '../../gateway/dialects/offline/offline.ts';
import { plainDialect } from '../../gateway/dialects/plain/plain.ts';
import { trmnlDialect } from '../../gateway/dialects/trmnl/trmnl.ts';
import type { UploadRow } from '../../gateway/pictures/upload-row.ts';

const test = suite('deadlines/frame-outlook');

const row = {
  serial: 'a',
  activation: 'activated',
  dialect: 'x',
  kind: 'epd7',
  slept_at: null,
  told: null,
} as WatchedRow;

test('a dialect says whether a picture is proven in the wake that fetched it, until the last one shows it (DL-22)', () => {
  const later = (traits: typeof nativeTraits, shown?: Partial<UploadRow>) =>
    outlookOf({ row, newest: undefined, shown: shown as UploadRow | undefined }, () => traits, 0)?.provesLater;
  assert.equal(
    [nativeTraits, classicTraits].map((traits) => later(traits)),
    [false, false],
  );
  const polled = [offlineDialect, plainDialect, trmnlDialect].map(({ traits }) => traits);
  assert.equal(
    polled.map((traits) => later(traits)),
    [true, true, true],
  );
  assert.is(later(nativeTraits, { shown_at: 1, confirmed_at: 1 }), true);
  assert.is(later(classicTraits, { shown_at: 1, confirmed_at: null }), false);
});

test.run();
