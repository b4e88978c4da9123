/** Pages that are drawn in a process apart: the same pixels, and no harm when it lies, hangs or ends. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PageDocument } from '../../api/pages/document.ts';
import { el } from '../../api/pages/element.ts';
import { type DrawingProcess, startDrawingProcess } from '../../api/typeset/drawing-process.ts';
import { pageProcesses } from '../../api/typeset/page-process.ts';
import { type TypesetPage, typesetPage } from '../../api/typeset/typeset-page.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { ProcessGone } from '../../runtime/child-process/working-process.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { sharer } from './render-world.ts';
import { withoutSurprises } from './without-surprises.ts';

const test = suite('drawing process');

const pageOf = (text: string, language = 'en'): PageDocument => ({
  root: el('html.page', { style: { width: 200, height: 100, fontSize: 16 } }, el('p', {}, text)),
  css: '.page{background:#fff;color:#000;font-family:Inter} p{display:block;font-size:2rem}',
  language,
  width: 200,
  height: 100,
  rootSize: 16,
});

test('a page is the same wherever it is drawn, and characters without a font are reported', async () => {
  const pages = pageProcesses(systemClock, silentLogger);
  try {
    const page = pageOf('Hello שלום \u{105c0}');
    const here = await typesetPage(page);
    assert.is(here.missing, '\u{105c0}');
    assert.ok(here.rgb.some((value) => value < 64));
    const drawn = await pages.draw(page, sharer);
    assert.ok(drawn.ok);
    assert.is(drawn.missing, here.missing);
    assert.ok(Buffer.from(here.rgb).equals(drawn.rgb));
  } finally {
    pages.stop();
  }
});

test('the process gives way to the service and sees none of its secrets', async () => {
  process.env.DATABASE_PASSWORD = 'secret';
  const pages = pageProcesses(systemClock, silentLogger);
  try {
    assert.ok((await pages.draw(pageOf('Hello'), sharer)).ok);
    const pid = execFileSync('pgrep', ['-P', String(process.pid), '-f', 'page-drawer.ts'], { encoding: 'utf8' }).trim();
    assert.is(getPriority(Number(pid)), 3);
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .map((entry) => entry.split('=')[0]);
    assert.ok(names.includes('HOME') && names.includes('MALLOC_ARENA_MAX'), names.join());
    assert.not.ok(names.includes('DATABASE_PASSWORD') || names.includes('PATH'), names.join());
  } finally {
    pages.stop();
    delete process.env.DATABASE_PASSWORD;
  }
});

test('a page that makes the drawer throw has a reason, the log says why, and the next page is drawn', async () => {
  const lines: object[] = [];
  const pages = pageProcesses(systemClock, { warn: (fields) => void lines.push(fields) });
  try {
    const broken = { ...pageOf('Hello'), root: null as never };
    assert.equal(await pages.draw(broken, sharer), { ok: false, reason: reasonOf('page-drawer-ended') });
    assert.match(JSON.stringify(lines), /it ended with 1: TypeError/);
    assert.ok((await pages.draw(pageOf('Hello'), sharer)).ok);
    assert.is(lines.length, 1);
  } finally {
    pages.stop();
  }
});

const liar = new URL('./lying-drawer.ts', import.meta.url);
const toLiar = (lie: string): PageDocument => ({ ...pageOf('x', lie), width: 2, height: 2 });
const lies = [
  'no message',
  'a head that is not JSON',
  'a head that is null',
  'ready twice',
  'a head of a gigabyte',
  'a number that nobody asked',
  'a pixel too few',
  'no pixels',
  'pixels of all panels',
  'a field too much',
  'a book of missing characters',
  'no outcome',
  'crash',
];

for (const lie of lies) {
  test(`a drawer's lie ends its process alone: ${lie}`, () =>
    withoutSurprises(async () => {
      const reasons: string[] = [];
      const one = startDrawingProcess((reason) => void reasons.push(reason), liar);
      const outcome = await one.ask(toLiar(lie)).catch((error: unknown) => error);
      assert.instance(outcome, ProcessGone, String(outcome));
      assert.is(one.isGone(), true);
      assert.is(reasons.length, 1, reasons.join('\n'));
    }));
}

test('a page that hangs ends its process after ten seconds, and the log has one line a minute', () =>
  withoutSurprises(async () => {
    const limits: (() => void)[] = [];
    const after: Clock['after'] = (delayMs, run) => {
      if (delayMs === 10_000) limits.push(run);
      return { cancel: () => {} };
    };
    const lines: object[] = [];
    const logger = { warn: (fields: object, message: string) => void lines.push({ ...fields, message }) };
    const pages = pageProcesses({ ...systemClock, after }, logger, (told) => startDrawingProcess(told, liar));
    try {
      assert.ok((await pages.draw(toLiar('honest'), sharer)).ok);
      const hanging = pages.draw(toLiar('silence'), sharer);
      const next = pages.draw(toLiar('honest'), sharer);
      while (limits.length < 2) await new Promise((resolve) => setImmediate(resolve));
      limits[1]?.();
      assert.equal(await hanging, { ok: false, reason: reasonOf('page-too-slow', { seconds: 10 }) });
      assert.ok((await next).ok, 'the next page gets a new process');
      const message = 'the process that draws pages ended; another one takes its place';
      assert.equal(lines, [{ reason: 'a page took more than 10 s', leftOut: 0, message }]);
      assert.equal(await pages.draw(toLiar('crash'), sharer), { ok: false, reason: reasonOf('page-drawer-ended') });
      assert.is(lines.length, 1);
    } finally {
      pages.stop();
    }
  }));

/** A played process: pages in the language `bomb` end it, and those in `late bomb` only when it has drawn another one. */
function playedProcesses() {
  const started: { isEnded: boolean; drawn: string[] }[] = [];
  const start = (): DrawingProcess => {
    const state = { isEnded: false, drawn: [] as string[] };
    started.push(state);
    return {
      begun: async () => {},
      async ask({ language, width, height }): Promise<TypesetPage> {
        await new Promise((resolve) => setImmediate(resolve));
        const isEnd = language === 'bomb' || (language === 'late bomb' && state.drawn.length > 0);
        state.drawn.push(language);
        if (isEnd) state.isEnded = true;
        if (state.isEnded) throw new ProcessGone(true);
        return { rgb: new Uint8Array(width * height * 3), missing: '' };
      },
      isGone: () => state.isEnded,
      end: () => {
        state.isEnded = true;
      },
    };
  };
  return { started, start };
}

test('a page whose process ends is drawn once more where an earlier page may have ended it, and not for ever', async () => {
  const { started, start } = playedProcesses();
  const pages = pageProcesses(systemClock, silentLogger, start);
  const draw = async (language: string) => (await pages.draw(pageOf('x', language), sharer)).ok;
  assert.equal([await draw('bomb'), started.length], [false, 1], 'it was the only one');
  assert.equal([await draw('en'), await draw('late bomb'), started.length], [true, true, 3]);
  assert.equal([await draw('bomb'), started.length], [false, 4]);
  pages.stop();
  assert.ok(started.every(({ isEnded }) => isEnded));
  assert.is(await draw('en'), false, 'after its end nothing is drawn');
  assert.is(started.length, 4);
});

test('a process is kept for some time after a page, and no organization keeps others waiting', async () => {
  const { started, start } = playedProcesses();
  const timers = new Set<() => void>();
  const after: Clock['after'] = (delayMs, run) => {
    if (delayMs === 20_000) timers.add(run);
    return { cancel: () => void timers.delete(run) };
  };
  const pages = pageProcesses({ ...systemClock, after }, silentLogger, start);
  assert.is(started.length, 0, 'no process before the first page');
  const many = Array.from({ length: 20 }, (_, at) => pages.draw(pageOf('x', `theirs ${at}`), ['theirs', 'paper']));
  await pages.draw(pageOf('x', 'ours'), ['ours', 'paper']);
  assert.ok((started[0]?.drawn.length ?? 0) <= 3, started[0]?.drawn.join());
  await Promise.all(many);
  assert.equal([started.length, timers.size], [1, 1]);
  for (const run of timers) run();
  assert.is(started[0]?.isEnded, true);
  assert.ok((await pages.draw(pageOf('x', 'later'), sharer)).ok);
  assert.is(started.length, 2);
  pages.stop();
});

test.run();
