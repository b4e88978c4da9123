/** Documents to print: the guarded browser makes a PDF of A4, on one sheet for a month of one frame. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { IntervalRow } from '../../api/record/intervals.ts';
import { recordPage } from '../../api/record/record-page.ts';
import { recordRows } from '../schemas/record-rows.ts';
import { withRendering } from './render-world.ts';

const test = suite('documents to print');
const hourMs = 3_600_000;

/** A page with so many intervals, of papers with this title. */
function pageOf(count: number, title: string): string {
  const intervals = Array.from({ length: count }, (_, at) => {
    const [row] = recordRows('o', 'epd7-00000000beef', at * hourMs).wall_intervals;
    return { ...row, title } as IntervalRow;
  });
  const stretch = { organizationId: 'o', serial: 'epd7-00000000beef', from: 0, to: count * hourMs + 1 };
  const head = { number: 2 * count, hash: 'ab'.repeat(32) };
  const facts = { organization: 'Müller & Söhne', stretch, intervals, head, publicKey: 'cd'.repeat(32), madeAt: 0 };
  return recordPage(facts, { language: 'de', timeZone: 'Europe/Berlin' });
}

/** The sheets of a PDF, as it counts them itself. */
const sheetsOf = (pdf: Buffer): number => Number(/\/Count (\d+)/.exec(pdf.toString('latin1'))?.[1]);

test('a month of one frame is one sheet of A4, and more go on', () =>
  withRendering(async (rendering) => {
    for (const [count, sheets] of [
      [0, 1],
      [31, 1],
      [45, 1],
      [300, 2],
    ] as const) {
      const printed = await rendering.printDocument(pageOf(count, 'Speisekarte'), ['o', 'p']);
      if (!printed.ok) throw new Error(String(printed.reason));
      assert.is(printed.pdf.subarray(0, 5).toString(), '%PDF-');
      assert.ok(sheetsOf(printed.pdf) >= sheets, `${count} lines: ${sheetsOf(printed.pdf)}`);
      if (sheets === 1) assert.is(sheetsOf(printed.pdf), 1, `${count} lines`);
    }
  }));

test('titles of people are texts on the page, and load nothing', () =>
  withRendering(async (rendering) => {
    const html = pageOf(1, '<img src="http://127.0.0.1:9/x"><script>document.title = "taken"</script>');
    assert.not.match(html, '<script>');
    assert.not.match(html, '<img');
    const printed = await rendering.printDocument(html, ['o', 'p']);
    assert.ok(printed.ok);
  }));

test.run();
