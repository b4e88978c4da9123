import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BrowserProcess, launchBrowser } from '../../api/browser/browser-process.ts';
import { findBrowser } from '../../api/browser/find-browser.ts';
import { textPage } from '../../api/pages/text-page.ts';
import { createRendering } from '../../api/rendering/rendering.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { Refusal } from '../../reasons/refusals.ts';
import { wordsOf } from '../../reasons/words.ts';
import { systemClock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { longTest } from '../some-times.ts';
import { loadingMarker, nowhere, ownBrowser, sharer, withPages, withRendering } from './render-world.ts';

const test = suite('browser pool');

async function withBrowser(run: (process: BrowserProcess) => Promise<void>): Promise<void> {
  const process = await launchBrowser(await findBrowser({}), systemClock);
  try {
    await run(process);
  } finally {
    await process.close();
  }
}

/** Live processes of a group: pid and what `/proc/pid/status` says. The dead that nobody has reaped do not count. */
function processesOfGroup(group: number): { pid: number; status: string; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (Number(pgrp) !== group || state === 'Z') return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'latin1');
        return [{ pid: Number(name), status: readFileSync(`/proc/${name}/status`, 'latin1'), command }];
      } catch {
        return []; // It ended while it was looked at.
      }
    });
}

async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.instance(outcome, Refusal);
  return outcome as Refusal;
}

test('T-60: the browser and all that it starts give way to the service', () =>
  withBrowser(async ({ browser, pid }) => {
    await browser.newPage();
    const all = processesOfGroup(pid);
    assert.ok(all.length > 3);
    for (const each of all) assert.is(getPriority(each.pid), 3, each.command);
  }));

test('T-11: the browser runs inside its sandbox, without rights, and listens nowhere', () =>
  withBrowser(async ({ browser, pid }) => {
    await browser.newPage();
    const all = processesOfGroup(pid);
    const renderers = all.filter(({ command }) => command.includes('--type=renderer'));
    assert.ok(renderers.length > 0);
    for (const { status } of renderers) {
      assert.match(status, /^Seccomp:\s+2$/m);
      assert.match(status, /^NSpid:\s+\d+\s+\d+/m);
    }
    for (const { status, command } of all) {
      assert.not.match(command, /--no-sandbox|--remote-debugging-port/);
      assert.not.match(status, /^Uid:\s+0\b/m);
    }
  }));

longTest(test)('after close nothing of the browser is left, not even when it is killed', async () => {
  let group = 0;
  let profile = '';
  await withBrowser(async (started) => {
    const { browser } = started;
    ({ pid: group, profile } = started);
    assert.ok(existsSync(profile), profile);
    await browser.newPage();
    assert.ok(processesOfGroup(group).length > 1);
  });
  await untilNotRunning(group);
  assert.not.ok(existsSync(profile));
  await withBrowser(async (started) => {
    ({ pid: group, profile } = started);
    started.kill();
  });
  await untilNotRunning(group);
  assert.not.ok(existsSync(profile));
});

longTest(test)('a render that loses its browser fails, and the next one starts another', () =>
  withPages(
    {
      '/never': `<body>${loadingMarker}`,
      '/plain': '<body>hello',
      // Renderer crash on purpose: the page's own process ends, as it does when its memory is spent.
      '/hungry': `<body>${loadingMarker}<script>addEventListener('message', () => {
        const kept = []; for (;;) kept.push(new Array(1e6).fill(kept.length));
      })</script>`,
    },
    ({ origin, asked }) =>
      withRendering(async (rendering) => {
        const options = { sharer, payload: {}, width: 100, height: 60, allowedOrigin: origin };
        const hungry = await rendering.renderPage({ ...options, url: `${origin}/hungry` });
        assert.ok(!hungry.ok);
        assert.match(wordsOf(hungry.reason), /memory|stopped answering/);
        assert.is((await rendering.renderPage({ ...options, url: `${origin}/plain` })).ok, true);

        const aborted = rendering.renderPage({ ...options, url: `${origin}/never` });
        while (!asked.includes('/never')) await new Promise((resolve) => setImmediate(resolve));
        const child = ownBrowser();
        process.kill(-child, 'SIGKILL');
        assert.equal(await aborted, { ok: false, reason: reasonOf('browser-ended') });
        assert.is((await rendering.renderPage({ ...options, url: `${origin}/plain` })).ok, true);
        assert.is(rendering.probe().browser, 'running');
      }),
  ),
);

longTest(test)('T-10: a page that takes too much memory loses its own process, and no other page does', () =>
  withPages(
    {
      '/buffers': `<body>word ${loadingMarker}<script>addEventListener('message', async () => {
        const kept = []; for (;;) { kept.push(new Uint8Array(1 << 24).fill(1)); await new Promise((go) => setTimeout(go, 5)); }
      })</script>`,
      '/slow': `<body>word ${loadingMarker}<script>addEventListener('message', () => setTimeout(() => {
        document.body.insertAdjacentHTML('beforeend', '<div id="website-has-loaded"></div>');
      }, 3000))</script>`,
    },
    ({ origin }) =>
      withRendering(
        async (rendering) => {
          const options = { sharer, payload: {}, width: 100, height: 60, allowedOrigin: origin };
          const [hungry, neighbour] = await Promise.all(
            ['/buffers', '/slow'].map((path) => rendering.renderPage({ ...options, url: origin + path })),
          );
          assert.is(neighbour?.ok, true, JSON.stringify(neighbour));
          const reason = reasonOf('page-memory');
          assert.equal(hungry, { ok: false, reason });
        },
        { concurrency: 2, limits: { pageMb: 256 } },
      ),
  ),
);

longTest(test)('R-08: a browser is replaced by visits and by memory, and no render is lost in between', () =>
  withPages({ '/plain': '<body>hello' }, ({ origin }) => {
    const options = { sharer, url: `${origin}/plain`, width: 100, height: 60, allowedOrigin: origin };
    return withRendering(
      async (rendering) => {
        const first = ownBrowser();
        const renders = await Promise.all(Array.from({ length: 7 }, () => rendering.renderPage(options)));
        assert.equal(
          renders.filter(({ ok }) => !ok),
          [],
        );
        await untilNotRunning(first);
        const second = ownBrowser();
        assert.is.not(second, first);
      },
      { concurrency: 2, limits: { visitsPerBrowser: 3 } },
    ).then(() =>
      withRendering(
        async (rendering) => {
          const first = ownBrowser();
          assert.is((await rendering.renderPage(options)).ok, true);
          await untilNotRunning(first);
          assert.is((await rendering.renderPage(options)).ok, true);
        },
        { limits: { keptMb: 1 } },
      ),
    );
  }),
);

longTest(test)('FAULT-12: a browser that hangs is ended, and the next render is done by another', () =>
  withPages({ '/plain': '<body>hello' }, ({ origin }) =>
    withRendering(
      async (rendering) => {
        const options = { sharer, url: `${origin}/plain`, width: 100, height: 60, allowedOrigin: origin };
        assert.is((await rendering.renderPage(options)).ok, true);
        const hung = ownBrowser();
        process.kill(-hung, 'SIGSTOP');
        // It fails in the middle, or is begun again in another browser if it had no page yet.
        await rendering.renderPage(options);
        assert.is((await rendering.renderPage(options)).ok, true);
        await untilNotRunning(hung);
      },
      { limits: { answerMs: 3_000 } },
    ),
  ),
);

longTest(test)('a browser that hangs over its spare page leaves no listener behind', () =>
  withPages({ '/plain': '<body>hello' }, async ({ origin }) => {
    const listeners = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
    await withRendering(async (rendering) => {
      const options = { sharer, url: `${origin}/plain`, width: 100, height: 60, allowedOrigin: origin };
      assert.is((await rendering.renderPage(options)).ok, true);
      // The spare page, which has another size than the next visit wants, takes a moment; nothing signals when it is
      // there.
      while (rendering.probe().running > 0) await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      const hung = ownBrowser();
      process.kill(-hung, 'SIGSTOP');
      assert.is((await rendering.renderPage({ ...options, width: 120 })).ok, true);
      await untilNotRunning(hung);
    });
    assert.is(listeners(), 1); // The pages'.
  }),
);

longTest(test)('T-10: pages that never end step aside, and documents of our own never wait for them', () =>
  withPages({ '/never': `<body>${loadingMarker}`, '/plain': '<body>hello' }, ({ origin, asked }) =>
    withRendering(
      async (rendering) => {
        const options = { sharer, width: 100, height: 60, allowedOrigin: origin };
        const frame = { width: 100, height: 60, language: 'en', colours: [] };
        const never = { ...options, url: `${origin}/never`, payload: {} };
        const endless = [rendering.renderPage(never), rendering.renderPage(never)];
        while (!asked.includes('/never')) await new Promise((resolve) => setImmediate(resolve));
        const own = rendering.renderDocument(
          textPage(frame, { title: undefined, text: 'own', footer: undefined }),
          sharer,
        );
        const other = rendering.renderPage({ ...options, url: `${origin}/plain` });
        const first = await Promise.race([own.then(() => 'own'), other.then(() => 'other'), ...endless]);
        assert.is(first, 'own');
        assert.is((await own).ok, true);
        const next = await Promise.race([other, ...endless]);
        assert.is(next.ok, true, JSON.stringify(next));
        await rendering.stop();
        await Promise.all(endless);
      },
      { concurrency: 1 },
    ),
  ),
);

/** Until the browser of a process group has ended. */
async function untilNotRunning(group: number): Promise<void> {
  while (processesOfGroup(group).length > 0) await new Promise((resolve) => setImmediate(resolve));
}

longTest(test)('renders beyond the bound wait their turn', () =>
  withPages({ '/plain': '<body>hello' }, ({ origin }) =>
    withRendering(
      async (rendering) => {
        const options = { sharer, url: `${origin}/plain`, width: 100, height: 60, allowedOrigin: origin };
        const renders = [rendering.renderPage(options), rendering.renderPage(options), rendering.renderPage(options)];
        assert.equal([rendering.probe().running, rendering.probe().waiting], [1, 2]);
        assert.equal(
          (await Promise.all(renders)).map(({ ok }) => ok),
          [true, true, true],
        );
        // A picture is returned before its visit has left.
        while (rendering.probe().running > 0) await new Promise((resolve) => setImmediate(resolve));
        const { network, version, ...rest } = rendering.probe();
        assert.equal(rest, { browser: 'running', visits: 3, running: 0, waiting: 0 });
        assert.is.not(network, 'none');
        assert.match(version ?? '', /Chrom/);
      },
      { concurrency: 1 },
    ),
  ),
);

test('stop ends a render that runs, and later ones fail', () =>
  withPages({ '/never': `<body>${loadingMarker}` }, ({ origin, asked }) =>
    withRendering(async (rendering) => {
      const options = { sharer, url: `${origin}/never`, payload: {}, width: 100, height: 60, allowedOrigin: origin };
      const running = rendering.renderPage(options);
      while (!asked.includes('/never')) await new Promise((resolve) => setImmediate(resolve));
      await rendering.stop();
      assert.is((await running).ok, false);
      assert.is((await rendering.renderPage(options)).ok, false);
      assert.is(rendering.probe().browser, 'not-running');
    }),
  ));

longTest(test)(
  'a browser without pages ends after its time with all its processes, and the next page starts another',
  () =>
    withPages({ '/plain': '<body>hello' }, ({ origin }) =>
      withRendering(
        async (rendering) => {
          const render = () =>
            rendering.renderPage({ sharer, url: `${origin}/plain`, width: 100, height: 60, allowedOrigin: origin });
          for (const visits of [1, 2]) {
            assert.is((await render()).ok, true);
            const group = ownBrowser();
            await untilNotRunning(group);
            const { browser, network, visits: counted } = rendering.probe();
            assert.equal([browser, network, counted], ['resting', 'none', visits]);
          }
        },
        { limits: { idleMs: 1_000 } },
      ),
    ),
);

test('R-02: a browser that is not there is refused with what to do', async () => {
  const chosen = await refusalOf(findBrowser({ browserPath: '/nowhere/chromium' }));
  assert.is(chosen.code, 'no-browser');
  assert.match(chosen.message, /\/nowhere\/chromium/);
  const rendering = createRendering({
    browserPath: '/nowhere/chromium',
    clock: systemClock,
    logger: silentLogger,
    rule: nowhere,
  });
  assert.is((await refusalOf(rendering.start())).code, 'no-browser');
  const rendered = await rendering.renderPage({ sharer, url: 'http://127.0.0.1:1/', width: 10, height: 10 });
  assert.is(rendered.ok ? '' : wordsOf(rendered.reason), 'The browser /nowhere/chromium cannot be executed');
  assert.is(rendering.probe().browser, 'not-running');
  await rendering.stop();
});

test('R-10: a browser that cannot start inside its sandbox is refused', async () => {
  const refused = await refusalOf(launchBrowser('/bin/false', systemClock));
  assert.is(refused.code, 'unsafe-browser');
  assert.match(refused.hint ?? '', /user namespaces/);
});

test.run();
