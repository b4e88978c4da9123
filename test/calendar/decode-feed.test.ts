/** Character sets of feeds: by mark, by header, by the bytes; and lines folded within a character. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeFeed } from '../../api/calendar/decode-feed.ts';
import { calendar, event, shown } from './world.ts';

const test = suite('character sets of feeds');

const words = 'Müllabfuhr Öl';
const feed = calendar(event('UID:1', 'DTSTART;VALUE=DATE:20260328', `SUMMARY:${words}`));
const latin = Buffer.from(feed, 'latin1');
const mark = Buffer.from([0xef, 0xbb, 0xbf]);
const wide = Buffer.from(`\ufeff${feed}`, 'utf16le');

test('A-26: the header tells the character set, by any label that browsers know', () => {
  for (const type of [
    'text/calendar; charset=iso-8859-1',
    'text/calendar;CHARSET="ISO-8859-1"',
    "text/calendar; charset = 'Latin1' ; method=PUBLISH",
    'text/calendar; charset=x-of-mine; charset=windows-1252',
  ]) {
    assert.is(decodeFeed(latin, type), feed, type);
  }
  const others: Record<string, [bytes: number[], text: string]> = {
    'windows-1251': [[0xcf, 0xf0, 0xe8], 'При'],
    'iso-8859-2': [[0xb1, 0xb6], 'ąś'],
    shift_jis: [[0x93, 0xfa, 0x96, 0x7b], '日本'],
    gbk: [[0xc1, 0xaa, 0xcd, 0xa8], '联通'],
    'euc-kr': [[0xc7, 0xd1], '한'],
    big5: [[0xa4, 0xa4], '中'],
  };
  for (const [label, [bytes, expected]] of Object.entries(others)) {
    assert.is(decodeFeed(Buffer.from(bytes), `text/calendar; charset=${label}`), expected, label);
  }
});

test('A-26: a mark goes before the header, and UTF-16 is known without one', () => {
  for (const type of ['', 'text/calendar; charset=iso-8859-1', 'text/calendar; charset=utf-16be']) {
    assert.is(decodeFeed(Buffer.concat([mark, Buffer.from(feed)]), type), feed, type);
    assert.is(decodeFeed(wide, type).replace('\ufeff', ''), feed, type);
    assert.is(decodeFeed(Buffer.from(wide).swap16(), type).replace('\ufeff', ''), feed, type);
    assert.is(decodeFeed(wide.subarray(2), type), feed, type);
    assert.is(decodeFeed(Buffer.from(wide).swap16().subarray(2), type), feed, type);
  }
  // A header that says UTF-16 of bytes that are none.
  assert.is(decodeFeed(Buffer.from(feed), 'text/calendar; charset=utf-16'), feed);
});

test('A-26: what nobody declares is UTF-8, or else windows-1252; an unknown label does not count', () => {
  for (const type of [undefined, '', 'text/calendar', 'text/calendar; charset=none-such', 'text/calendar; charset=']) {
    assert.is(decodeFeed(latin, type), feed, type);
    assert.is(decodeFeed(Buffer.from(feed), type), feed, type);
  }
  assert.is(decodeFeed(Buffer.from([0x80, 0x20, 0x93, 0x94])), '€ “”');
  assert.is(decodeFeed(latin, 'text/calendar; charset=utf-8'), feed);
  // One description that was cut within a character does not spoil the others.
  const cut = Buffer.concat([Buffer.from(feed), Buffer.from('ü').subarray(0, 1)]);
  assert.is(decodeFeed(cut), `${feed}\ufffd`);
});

test('A-26: lines are joined before bytes become characters, whatever ends and folds them', async () => {
  for (const end of ['\r\n', '\n', '\r', '\r\r\n', '\r\n\r\n']) {
    for (const fold of [' ', '\t']) {
      const folded = Buffer.from(feed.replaceAll('\r\n', end));
      const at = folded.indexOf(Buffer.from('ü')) + 1;
      const parts = [folded.subarray(0, at), Buffer.from(end + fold), folded.subarray(at)];
      const text = decodeFeed(Buffer.concat(parts));
      assert.equal(await shown(text), [`${words} 2026-03-28/2026-03-29`], JSON.stringify(end + fold));
    }
  }
  // A character beyond the first plane, folded between its two halves.
  const smile = calendar(event('UID:1', 'DTSTART;VALUE=DATE:20260328', 'SUMMARY:😀!'));
  const halves = smile.replace('\ud83d', '\ud83d\r\n ');
  assert.equal(await shown(decodeFeed(Buffer.from(`\ufeff${halves}`, 'utf16le'))), ['😀! 2026-03-28/2026-03-29']);
});

test('T-53: feeds of nothing but line ends are decoded in one pass', () => {
  const begun = process.hrtime.bigint();
  for (const ends of ['\n', '\r\n', '\r\n ', '\n\n\n\n\n\n\n\n ']) decodeFeed(Buffer.alloc(4 * 1024 * 1024, ends));
  assert.ok(process.hrtime.bigint() - begun < 3_000_000_000n);
});

test.run();
