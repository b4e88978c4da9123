import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Refusal } from '../../reasons/refusals.ts';
import { duration } from '../../runtime/spans.ts';
import { folded, literal, pictures, preformatted, table } from '../../testbed/report/blocks.ts';
import { bars, distribution } from '../../testbed/report/charts.ts';
import { html } from '../../testbed/report/html.ts';
import { reportPage } from '../../testbed/report/page.ts';
import { requireReportFile, writeReport } from '../../testbed/report/report-file.ts';

const test = suite('reports');

const attack = `"><script>alert(1)</script><img src=x onerror=alert(2)>' & \u202egnp\u0000`;

test('no text becomes markup, wherever it stands', () => {
  const page = reportPage({
    title: attack,
    verdict: { tone: 'bad', word: attack, sentence: attack },
    opening: html`<p title="${attack}">${attack}</p>`,
    sections: [
      { heading: attack, content: table([attack, attack], [[attack, attack]], attack) },
      { heading: 'More', content: [folded(attack, preformatted(attack)), literal(attack)] },
      {
        heading: 'Charts',
        content: [
          bars([{ label: attack, value: 1, written: attack }], attack),
          distribution([1], { caption: attack, write: () => attack }),
        ],
      },
      { heading: 'Pictures', content: pictures([{ png: Uint8Array.of(1, 2, 3), caption: attack }]) },
    ],
  });
  assert.not.match(page, /<script|<img src=x|onerror=alert\(2\)>(?!<)|[\p{Cc}\p{Cf}](?<!\n)/u);
  assert.ok(page.split('&lt;script&gt;alert(1)').length > 14);
  assert.match(page, /<img alt="&quot;&gt;[^"<]*" src="data:image\/png;base64,AQID">/);
  assert.match(page, /title="&quot;&gt;&lt;script/);
});

test('a page loads nothing and runs nothing', () => {
  const page = reportPage({
    title: 'T',
    verdict: { tone: 'good', word: 'kept', sentence: 'All is well.' },
    opening: undefined,
    sections: [{ heading: 'One', content: 'text' }],
  });
  assert.match(page, /default-src 'none'; style-src 'unsafe-inline'; img-src data:/);
  assert.not.match(page, /https?:|url\(|@import|<link|<nav/);
  assert.match(page, /^<!doctype html>\n<html lang="en">/);
});

test('durations are written with the two units that matter', () => {
  const written = [0, 820, 4200, 59_949, 59_960, 60_000, 200_000, 3_599_600, 7_500_000, 86_399_999, 277_200_000].map(
    duration,
  );
  assert.equal(written, [
    '0 ms',
    '820 ms',
    '4.2 s',
    '59.9 s',
    '1 min',
    '1 min',
    '3 min 20 s',
    '1 h',
    '2 h 5 min',
    '1 d',
    '3 d 5 h',
  ]);
});

test('a distribution tells its percentiles, and one that is far off does not flatten the others', () => {
  const { markup } = distribution([...Array.from({ length: 200 }, (_, at) => at + 1), 100_000]);
  assert.match(markup, /median<\/span><span>101 ms/);
  assert.match(markup, /99 %<\/span><span>199 ms/);
  assert.match(markup, /greatest<\/span><span>1 min 40 s/);
  assert.match(markup, /<span>199 ms and more<\/span>/);
  assert.ok(markup.split('<rect').length > 30);
  assert.match(distribution([]).markup, /There are none/);
  assert.match(distribution([7, 7]).markup, /height="100"/);
  assert.not.match(distribution([7, 7]).markup, /NaN|Infinity/);
});

test('the longest bar has the whole width, and none is longer or shorter than nothing', () => {
  const { markup } = bars([
    { label: 'a', value: 4 },
    { label: 'b', value: 1 },
    { label: 'c', value: -3 },
  ]);
  assert.equal(
    [...markup.matchAll(/class="fill none" width="(\S+)"/g)].map(([, width]) => width),
    ['100', '25', '0'],
  );
  assert.not.match(bars([{ label: 'a', value: 0 }]).markup, /NaN/);
});

test('a report replaces the one before as a whole, and leaves nothing next to it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-report-'));
  try {
    const path = join(folder, 'report.html');
    await writeFile(path, 'old');
    const file = await requireReportFile('--report', path);
    assert.is(await readFile(path, 'utf8'), 'old');
    await writeReport(file, 'new');
    assert.is(await readFile(path, 'utf8'), 'new');
    assert.equal(await readdir(folder), ['report.html']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a path at which no report can be written is refused in a sentence that names the option', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-report-'));
  const refusal = (path: string): Promise<string> =>
    requireReportFile('--report', path).then(
      () => 'accepted',
      (error: Refusal) => error.message,
    );
  try {
    assert.is(await refusal(folder), `--report: ${folder} is a folder`);
    assert.is(
      await refusal(join(folder, 'none', 'a.html')),
      `--report: ${folder}/none/a.html is not there, and cannot be made`,
    );
    assert.is(await refusal(''), '--report: nothing is not a file');
    assert.is(await refusal('/dev/null'), '--report: /dev/null is not a file');
    await writeFile(join(folder, 'file'), '');
    assert.is(
      await refusal(join(folder, 'file', 'a.html')),
      `--report: ${folder}/file/a.html is not a folder, or lies in none`,
    );
    assert.match(await refusal('/proc/report.html'), /^--report: \/proc\/report\.html /);
    assert.equal(await readdir(folder), ['file']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.run();
