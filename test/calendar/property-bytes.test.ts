/** Properties that declare how their own bytes are encoded. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeFeed } from '../../api/calendar/decode-feed.ts';
import { feedSieve } from '../../api/calendar/sieve-feed.ts';
import { calendar, event, shown } from './world.ts';

const test = suite('bytes of properties');

/** Returns the summaries that are shown of an event, read as it is and after the sieve. */
async function summary(...lines: string[]): Promise<string> {
  const text = calendar(event('UID:1', 'DTSTART:20260328T080000Z', ...lines));
  const sieve = feedSieve(Date.parse('2026-03-27T12:00:00Z'));
  sieve.take(Buffer.from(text));
  const [as, after] = [await shown(text), await shown(decodeFeed(sieve.end()))];
  assert.equal(as, after);
  return as.map((one) => one.replace(/ 2026-.*$/, '')).join(' | ');
}

test('quoted-printable text is read, in its character set, over soft breaks and folds', async () => {
  for (const written of [
    'SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Gr=C3=BCne Tonne',
    'SUMMARY;CHARSET=UTF-8;ENCODING=quoted-printable:Gr=c3=bcne Tonne',
    'SUMMARY;ENCODING="QUOTED-PRINTABLE":Gr=C3=BCne Tonne',
    'SUMMARY;QUOTED-PRINTABLE:Gr=C3=BCne Tonne',
    'SUMMARY;ENCODING=QUOTED-PRINTABLE:Grüne=20Tonne',
    'SUMMARY;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:Gr=FCne Tonne',
    'SUMMARY;ENCODING=QUOTED-PRINTABLE:Gr=FCne Tonne',
    'SUMMARY;CHARSET=nobody-knows;ENCODING=QUOTED-PRINTABLE:Gr=C3=BCne Tonne',
    'SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Gr=C3=BC=\r\nne Tonne',
    'SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Gr=C3=\r\n=BCne=\r\n=20=\r\nTonne',
    'SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Gr=C3=BC\r\n ne Tonne',
    'SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Gr=C3=BCne Tonne=',
    `SUMMARY;ENCODING=BASE64;CHARSET=UTF-8:${Buffer.from('Grüne Tonne').toString('base64')}`,
    `SUMMARY;ENCODING=B:${Buffer.from('Grüne Tonne').toString('base64')}`,
  ]) {
    assert.is(await summary(written), 'Grüne Tonne', written);
  }
});

test('a soft break may go on with what looks like a property, and text that is not quoted stays as it is', async () => {
  assert.is(await summary('SUMMARY;ENCODING=QUOTED-PRINTABLE:A=\r\nUID:7', 'LOCATION:B'), 'AUID:7');
  assert.is(await summary('SUMMARY:1 + 1 =', 'LOCATION:B'), '1 + 1 =');
  assert.is(await summary('SUMMARY:Gr=C3=BCn'), 'Gr=C3=BCn');
  assert.is(await summary('SUMMARY;ENCODING=QUOTED-PRINTABLE:1 = 2 =ZZ'), '1 = 2 =ZZ');
  assert.is(await summary('SUMMARY;ENCODING=QUOTED-PRINTABLE:A\\, B=0D=0AC'), 'A, B C');
  assert.is(await summary('DESCRIPTION;ENCODING=QUOTED-PRINTABLE:x=\r\nSTATUS:CANCELLED', 'SUMMARY:A'), 'A');
});

test('a character set that properties name is that of bytes that are not UTF-8', async () => {
  const text = calendar(event('UID:1', 'DTSTART:20260328T080000Z', 'SUMMARY;CHARSET=ISO-8859-2:Śmieci'));
  const bytes = Buffer.from(text.replace('Ś', '\xa6'), 'latin1');
  assert.match((await shown(decodeFeed(bytes))).join(), /^Śmieci /);
});

test.run();
