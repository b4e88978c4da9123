/** Receipts by email (ML-6, FI-6). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { receiptLetter, receiptRate } from '../../api/picture-mail/mail-receipt.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { handClock } from '../integration/integration-world.ts';

const test = suite('receipts by email');

const answer = { to: 'grandma@example.org', subject: 'At the lake', messageId: '<2@a>', references: ['<1@a>'] };
const hungAt = Date.UTC(2026, 0, 10, 8, 14);
const facts = { timeZone: 'Europe/Berlin', place: 'Küche', count: 2, hungAt, now: hungAt, leftOut: [] };

test('a receipt answers in the thread, in the language of the organization', () => {
  const letter = receiptLetter('r1', answer, { ...facts, language: 'de' });
  assert.equal(letter?.answers, { messageId: '<2@a>', references: ['<1@a>', '<2@a>'] });
  assert.is(letter?.subject, 'Re: At the lake');
  assert.match(letter?.text ?? '', /^Ihre 2 Bilder hängen seit 0?9:14 in „Küche“\.\n/);
  const leftOut = [{ name: 'a.mov', reason: reasonOf('album-source-left-out-video') }];
  const later = receiptLetter('r2', answer, { ...facts, language: 'en', count: 0, leftOut });
  assert.match(later?.text ?? '', /^Left out: a\.mov \(videos cannot be shown\)\.\n/);
  assert.is(receiptLetter('r3', answer, { ...facts, language: 'en', count: 0 }), undefined);
});

test('a sender gets five receipts in an hour at most', () => {
  const clock = handClock();
  const rate = receiptRate(clock);
  const asked = () => Array.from({ length: 7 }, () => rate.mayAnswer('grandma@example.org')).filter(Boolean).length;
  assert.is(asked(), 5);
  assert.ok(rate.mayAnswer('anna@example.org'));
  clock.passes(3_600_000);
  assert.is(asked(), 5);
});

test.run();
