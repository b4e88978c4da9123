/** Dates in the names of files. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dateInName } from '../../api/images/capture-date.ts';

const test = suite('capture dates');

const half = '2024-05-12T14:30:00';
const day = '2024-05-12T00:00:00';

const dated: Readonly<Record<string, string>> = {
  'IMG_20240512_143000.jpg': half,
  'IMG_20240512_143000_1.jpg': half,
  'IMG20240512143000.jpg': half,
  'PXL_20240512_143000123.jpg': half,
  'PXL_20240512_143000123.MP.jpg': half,
  'MVIMG_20240512_143000.jpg': half,
  '20240512_143000.heic': half,
  '20240512_143000(0).jpg': half,
  '20240512143000.jpg': half,
  '2024-05-12 14.30.00.jpg': half,
  '2024-05-12 14.30.00-1.jpg': half,
  '2024-05-12_14-30-00.jpg': half,
  '2024-05-12T14:30:00.jpg': half,
  'Screenshot_20240512-143000.png': half,
  'Screenshot_20240512_143000_Chrome.jpg': half,
  'Screenshot_2024-05-12-14-30-00-123_com.android.chrome.jpg': half,
  'Screenshot 2024-05-12 at 14.30.00.png': half,
  'Screenshot 2024-05-12 at 2.30.00\u202fPM.png': half,
  'Screenshot from 2024-05-12 14-30-00.png': half,
  'Bildschirmfoto 2024-05-12 um 14.30.00.png': half,
  "Capture d'écran 2024-05-12 à 14.30.00.png": half,
  'WhatsApp Image 2024-05-12 at 14.30.00.jpeg': half,
  'WhatsApp Image 2024-05-12 at 2.30.00 PM (1).jpeg': half,
  'photo_2024-05-12_14-30-00.jpg': half,
  'signal-2024-05-12-143000.jpg': half,
  'signal-2024-05-12-143000_002.jpeg': half,
  '2023/may/IMG_20240512_143000.jpg': half,
  'C:\\2023-01-01\\IMG_20240512_143000.jpg': half,
  'Screenshot 2024-05-12 at 12.00.00 AM.png': '2024-05-12T00:00:00',
  '1715524200000.jpg': half,
  'FB_IMG_1715524200000.jpg': half,
  'mmexport1715524200000.jpg': half,
  'IMG-20240512-WA0001.jpg': day,
  'IMG-20240512-WA0001(2).jpg': day,
  'IMG_20240512.jpg': day,
  '2024-05-12.jpg': day,
  '2024_05_12 Birthday.jpg': day,
  '2024-05-12 (99).jpg': day,
  '20241399 2024-05-12.jpg': day,
};

const undated = [
  '20240512.jpg',
  'DSC_2024.jpg',
  'IMG_4032.HEIC',
  'DSC20240512.jpg',
  'P1010001.jpg',
  '2024.jpg',
  '2024-13-12.jpg',
  '2024-02-30.jpg',
  '2024-05-1234.jpg',
  '12024-05-12.jpg',
  '2024-05.12.jpg',
  '20240512143.jpg',
  '202405121430001234567.jpg',
  '4006381333931.jpg',
  '17155242000001.jpg',
  '1715524200.jpg',
  '0049-2012-12-12345.jpg',
  '10240512_143000.jpg',
  'a 1920x1080.png',
  'C0FFEE00-2024-4512-9999-123456789abc.jpg',
  '',
  '.',
  '/',
];

test('the names that phones, screenshots and messengers give have their date', () => {
  for (const [name, taken] of Object.entries(dated)) assert.is(dateInName(name), taken, name);
});

test('a number is not a date', () => {
  for (const name of undated) assert.is(dateInName(name), undefined, name);
});

test('a time that no clock shows leaves the day', () => {
  assert.is(dateInName('2024-05-12 25.30.00.jpg'), day);
  assert.is(dateInName('Screenshot 2024-05-12 at 14.30.00 PM.png'), day);
  assert.is(dateInName('20240512_256000.jpg'), undefined);
});

test('a long name is looked at in its beginning', () => {
  assert.is(dateInName(`${'2024-'.repeat(50_000)}.jpg`), undefined);
  assert.is(dateInName(`${'x'.repeat(300)}2024-05-12.jpg`), undefined);
});

test.run();
