/** The notice on a frame that has nothing to show yet, in the language of its paper. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { noticeOf } from '../../api/delivery-state/wanted-of-paper.ts';
import type { WantedPicture } from '../../api/drawing/wanted-picture.ts';
import { notSetUp } from '../../api/papers/kinds.ts';
import { panels } from '../../firmware-protocol/panels.ts';
import { type Reason, reasonOf } from '../../reasons/reason.ts';

const test = suite('notices on the glass');

const [panel] = Object.values(panels);
if (panel === undefined) throw new Error('there is no panel');
const wanted: WantedPicture = {
  sharer: ['home', 'paper'],
  paperId: 'paper',
  shown: { kind: 'page', id: 'paper' },
  edition: 1,
  panel,
  orientation: 'landscape',
  serial: 'epd7-000000000001',
};

/** Title and text of a notice about a paper. */
function saidOf(reason: Reason, meta: Readonly<Record<string, unknown>>): (string | undefined)[] {
  const { notice } = noticeOf(wanted, reason, JSON.stringify(meta));
  return [notice?.title, notice?.text];
}

test('the exact reason is said in English, and also where a language has no words', () => {
  for (const language of [undefined, 'en-GB', 'fi', 'constructor', 7]) {
    assert.equal(
      saidOf(notSetUp.text, { language }),
      ['Nothing to show yet', 'the paper has no text yet: write one (meta.text)'],
      String(language),
    );
  }
});

test('in another language the kind of the reason is said', () => {
  const [title, missing] = saidOf(notSetUp.calendar, { language: 'fr-CA' });
  assert.match(String(title), /Rien/);
  assert.match(String(missing), /Papergate/);
  const [, failed] = saidOf(reasonOf('no-slide', { because: ['refused'] }), { language: 'fr' });
  assert.match(String(failed), /Papergate/);
  assert.is.not(failed, missing);
});

test('a playlist that has not begun says when, by the clock of its own zone', () => {
  const begins = reasonOf('playlist-begins', { time: '2026-07-03T22:30:00.000Z' });
  const meta = { language: 'pl', timezone: 'Europe/Warsaw' };
  assert.match(String(saidOf(begins, meta)[1]), /4 lip.*00:30/);
  assert.match(String(saidOf(begins, { timezone: 'Europe/Warsaw' })[1]), /4 Jul.*00:30/);
  assert.match(String(saidOf(begins, { language: 'pl', timezone: 'Nowhere' })[1]), /3 lip.*22:30/);
});

test.run();
