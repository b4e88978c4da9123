import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RenderedPage, RenderOptions } from '../../api/rendering/render-page.ts';
import type { Rendering } from '../../api/rendering/rendering.ts';
import { wordsOf } from '../../reasons/words.ts';
import { longTest } from '../some-times.ts';
import {
  colourAt,
  loadingMarker,
  type Page,
  type PageServer,
  sharer,
  withPages,
  withRendering,
} from './render-world.ts';

const test = suite('render page');

/** Marks the page loaded once INIT has come, after painting the body in the colour that INIT carries. */
const painter = `<script>addEventListener('message', ({ data }) => {
  if (data.type !== 'INIT') return;
  document.body.style.background = data.data.settings.colour;
  document.body.insertAdjacentHTML('beforeend', '<div id="website-has-loaded"></div>');
})</script>`;

/** A page with a word on it, so that it is not blank. */
const script = (code: string): string => `<body>word ${loadingMarker}<script>${code}</script>`;
const markLoaded = `document.body.insertAdjacentHTML('beforeend', '<div id="website-has-loaded"></div>');`;

/** A banner over all of a page; pressing it paints the page. */
const banner = (buttons: string): string =>
  `<div style="position:fixed;inset:0;background:#ff0000"><p>Wir verwenden Cookies.</p>${buttons}</div>`;
const bannered = (inside: string): string => `<script>function paint(colour) {
  document.body.innerHTML = 'word';
  document.body.style.background = colour;
}</script><body>${inside}`;

const pages: Record<string, Page> = {
  '/painter': `<body>${loadingMarker}${painter}`,
  '/quiet-painter': `<body>${painter}`,
  '/counter': script(`let inits = 0; const others = [];
    addEventListener('message', ({ data, source, origin }) => {
      if (data.cmd !== 'message' || data.type !== 'INIT' || source !== window || origin !== location.origin) others.push(data);
      inits++;
      setTimeout(() => {
        document.body.style.background = inits === 1 && others.length === 0 ? '#00ff00' : '#ff0000';
        ${markLoaded}
      }, 100);
    })`),
  '/error': script(`addEventListener('message', () => {
    ${markLoaded}
    document.documentElement.setAttribute('data-paperless-render-status', 'error');
    document.documentElement.setAttribute('data-paperless-render-error', 'The calendar\\nis empty ' + 'x'.repeat(500));
  })`),
  '/error-without-marker': script(`addEventListener('message', () => {
    document.documentElement.setAttribute('data-paperless-render-error', 'no key');
    document.documentElement.setAttribute('data-paperless-render-status', 'error');
  })`),
  '/old-error': script(`addEventListener('message', () => {
    document.body.insertAdjacentHTML('beforeend', '<p class="pp-error">Feed unreachable</p>'); ${markLoaded}
  })`),
  '/hidden-alert': script(`addEventListener('message', () => {
    document.body.insertAdjacentHTML('beforeend', '<p role="alert" hidden>spare</p>'); ${markLoaded}
  })`),
  '/never': `<body>word ${loadingMarker}`,
  '/plain': `<style>body{margin:0;background:#0000ff}</style><body><img src="/slow.svg" width="10" height="10">`,
  '/slow.svg': (_, response) => {
    response.writeHead(200, { 'content-type': 'image/svg+xml' });
    response.end(
      '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10" fill="red"/></svg>',
    );
  },
  '/early': `<body><div id="website-has-loaded"></div><script>addEventListener('message', () => {
    setTimeout(() => { document.body.style.background = '#00ff00'; }, 50);
  })</script>`,
  '/banner': bannered(
    banner(`<button onclick="paint('#ff0000')">Alle akzeptieren</button>
    <button onclick="paint('#00ff00')"> Nur  notwendige Cookies </button>`),
  ),
  '/banner-that-accepts': bannered(banner(`<input type="button" value="OK" onclick="paint('#00ff00')">`)),
  '/shadow-banner': bannered(`<div id="host"></div><script>
    document.querySelector('#host').attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(banner('<button>Reject all</button>'))};
    host.shadowRoot.querySelector('button').onclick = () => paint('#00ff00');
  </script>`),
  '/framed-banner':
    bannered(`<iframe src="/banner-frame" style="position:fixed;inset:0;border:0;width:100%;height:100%"></iframe>
    <script>addEventListener('message', () => paint('#00ff00'))</script>`),
  '/banner-frame': `<body style="background:#ff0000"><p>We use cookies.</p><button onclick="parent.postMessage('go', '*')">Accept all</button>`,
  '/own-dialog':
    bannered(`<div role="dialog" style="position:fixed;inset:0;background:#00ff00"><p>Delete everything?</p>
    <button onclick="paint('#ff0000')">OK</button></div>`),
  '/own-button': bannered(`<div style="position:absolute;inset:0;background:#00ff00"><p>Our cookie recipes</p>
    <button onclick="paint('#ff0000')">OK</button></div>`),
  '/alert': script(`alert('stop'); confirm('really'); addEventListener('message', () => { ${markLoaded} })`),
  '/loop': script(`addEventListener('message', () => { for (;;); })`),
  '/leaves': script(`addEventListener('message', () => { location.href = '/plain'; })`),
  '/optimized': script(`addEventListener('message', () => {
    document.head.innerHTML = '<meta name="paperless:epd-optimize" content="readable">'; ${markLoaded}
  })`),
  '/late-listener': `<body>not yet<script>setTimeout(() => {
    const late = document.createElement('script');
    late.src = '/late.js';
    document.body.append(late);
  }, 200)</script>`,
  '/late.js': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/javascript' });
    response.end(`let inits = 0; addEventListener('message', ({ data }) => {
      document.body.style.background = ++inits === 1 && data.type === 'INIT' ? '#00ff00' : '#ff0000';
    })`);
  },
  '/blank': `<body>${loadingMarker}<script>addEventListener('message', () => { ${markLoaded} })</script>`,
  '/speaks': (request, response) => {
    const asked = request.headers['accept-language'];
    response.setHeader('content-type', 'text/html');
    response.end(
      script(`addEventListener('message', () => {
      const month = new Date(0).toLocaleDateString(undefined, { month: 'long', timeZone: 'UTC' });
      const found = ['${asked}', navigator.language, month].join();
      document.body.style.background = found === 'de,de,Januar' ? '#00ff00' : '#ff0000';
      ${markLoaded}
    })`),
    );
  },
  '/endless': (_, response) => {
    response.writeHead(302, { location: '/endless' }).end();
  },
  '/refresh': '<meta http-equiv="refresh" content="0"><body>again',
  '/download': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment' }).end('zip');
  },
  '/windows': script(`addEventListener('message', () => {
    let opened = 0; for (let i = 0; i < 500; i++) if (window.open('/window')) opened++;
    const link = document.body.appendChild(Object.assign(document.createElement('a'), { href: '/window', target: '_blank' }));
    link.click(); const saved = document.body.appendChild(Object.assign(document.createElement('a'), { href: '/download', download: 'x' }));
    saved.click(); print(); history.pushState({}, '', '/elsewhere');
    document.body.style.background = opened === 0 ? '#00ff00' : '#ff0000'; setTimeout(() => { ${markLoaded} }, 300);
  })`),
  '/asks': script(`addEventListener('message', async () => {
    await Promise.all(Array.from({ length: 510 }, (_, asked) => fetch('/none?' + asked).catch(() => {})));
    ${markLoaded}
  })`),
  '/pours': script(
    `addEventListener('message', async () => { await fetch('/flood').then((answer) => answer.arrayBuffer()).catch(() => {}); ${markLoaded} })`,
  ),
  '/flood': (_, response) => {
    const chunk = Buffer.alloc(1 << 20);
    const pour = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', pour);
    pour();
  },
  '/clock': script(`addEventListener('message', () => {
    document.body.style.background = Intl.DateTimeFormat().resolvedOptions().timeZone === 'Asia/Tokyo' ? '#00ff00' : '#ff0000';
    ${markLoaded}
  })`),
  '/broken-image': script(`addEventListener('message', () => {
    document.body.insertAdjacentHTML('beforeend', '<img src="/missing.png?token=secret">'); ${markLoaded}
  })`),
  '/teapot': (_, response) => {
    response.writeHead(418).end('short and stout');
  },
};

async function render(
  rendering: Rendering,
  { origin }: PageServer,
  path: string,
  more: Partial<RenderOptions> = {},
): Promise<RenderedPage> {
  const payload = { settings: { colour: '#00ff00' } };
  const size = { width: 160, height: 96 };
  return rendering.renderPage({ sharer, url: origin + path, payload, ...size, allowedOrigin: origin, ...more });
}

async function colourOf(rendered: RenderedPage): Promise<string> {
  if (!rendered.ok) throw new Error(wordsOf(rendered.reason));
  return colourAt(rendered.png, 100, 80);
}

async function reasonOf(rendering: Promise<RenderedPage>): Promise<string> {
  const rendered = await rendering;
  return rendered.ok ? 'it was rendered' : wordsOf(rendered.reason);
}

test('pages get INIT, answer by their markers, and are photographed in the size asked for', () =>
  withPages(pages, (server) =>
    withRendering(async (rendering) => {
      const painted = await render(rendering, server, '/painter', { width: 480, height: 800 });
      assert.is(await colourOf(painted), '00ff00');
      assert.ok(painted.ok);
      const { width, height } = await sharp(painted.png).metadata();
      assert.equal([width, height], [480, 800]);

      assert.is(
        await colourOf(await render(rendering, server, '/quiet-painter')),
        '00ff00',
        'PAGE-03: marker set on INIT',
      );
      assert.is(
        await colourOf(await render(rendering, server, '/counter')),
        '00ff00',
        'PAGE-02, PAGE-04: one INIT, by itself',
      );
      assert.is(await colourOf(await render(rendering, server, '/early')), '00ff00', 'PAGE-05: drawn again after INIT');
      const plain = await render(rendering, server, '/plain');
      assert.is(await colourOf(plain), '0000ff', 'a page without markers');
      assert.is(plain.ok && (await colourAt(plain.png, 5, 5)), 'ff0000', 'R-22: its image is there');
      const late = await render(rendering, server, '/late-listener');
      assert.is(await colourOf(late), '00ff00', 'PAGE-04: a page without markers gets INIT when it listens');
      const speaking = await render(rendering, server, '/speaks', { language: 'de' });
      assert.is(await colourOf(speaking), '00ff00', 'PAGE-08: the paper has a language');
      const styled = await render(rendering, server, '/plain', { css: 'body { background: #00ff00 !important }' });
      assert.is(await colourOf(styled), '00ff00', "the paper's own style");
      assert.is(await colourOf(await render(rendering, server, '/clock', { timeZone: 'Asia/Tokyo' })), '00ff00');
    }),
  ));

longTest(test)('PAGE-22: the cookie banner of a website goes by its own button, and no other dialog does', () =>
  withPages(pages, ({ origin }) =>
    withRendering(async (rendering) => {
      const colourOf = async (path: string, more: Partial<RenderOptions>): Promise<string> => {
        const options = { sharer, url: origin + path, width: 160, height: 96, allowedOrigin: origin, ...more };
        const rendered = await rendering.renderPage(options);
        return rendered.ok ? colourAt(rendered.png, 150, 90) : wordsOf(rendered.reason);
      };
      for (const path of [
        '/banner',
        '/banner-that-accepts',
        '/shadow-banner',
        '/framed-banner',
        '/own-dialog',
        '/own-button',
      ]) {
        assert.is(await colourOf(path, {}), '00ff00', path);
      }
      assert.is(await colourOf('/shadow-banner', { payload: {} }), 'ff0000', "an integration's page is left alone");
    }),
  ),
);

longTest(test)('pages that report an error fail with their own words', () =>
  withPages(pages, (server) =>
    withRendering(async (rendering) => {
      const reason = await reasonOf(render(rendering, server, '/error'));
      assert.match(reason, /^The page reports an error: The calendar is empty x+….$/);
      assert.ok(reason.length < 260, 'it is shortened');
      const started = performance.now();
      assert.is(
        await reasonOf(render(rendering, server, '/error-without-marker')),
        'The page reports an error: no key.',
        'R-20',
      );
      assert.ok(performance.now() - started < 10_000, 'R-20: no wait for the marker');
      assert.is(
        await reasonOf(render(rendering, server, '/old-error')),
        'The page reports an error: Feed unreachable.',
      );
      assert.is(await reasonOf(render(rendering, server, '/hidden-alert')), 'it was rendered');
    }),
  ),
);

longTest(test)('R-35: letters of web fonts are hinted, so that their lines break as in an ordinary Chromium', () => {
  const font = readFileSync(
    createRequire(import.meta.url).resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
  );
  const page = `<style>@font-face { font-family: Own; src: url(data:font/woff2;base64,${font.toString('base64')}) }
    span { font: 13px Own }</style><body><span>Lines break where their letters end</span>${loadingMarker}<script>
    addEventListener('message', () => document.fonts.ready.then(() => {
      // Hinted letters are a whole number of pixels wide.
      const { width } = document.querySelector('span').getBoundingClientRect();
      document.body.style.background = Number.isInteger(width) ? '#00ff00' : '#ff0000';
      ${markLoaded}
    }))</script>`;
  return withPages({ '/font': page }, (server) =>
    withRendering(async (rendering) => {
      assert.is(await colourOf(await render(rendering, server, '/font')), '00ff00');
    }),
  );
});

longTest(test)(
  'R-34: a page that is not ready in time is drawn as it is, with a remark; one that reports an error is not',
  () =>
    withPages(pages, (server) =>
      withRendering(async (rendering) => {
        const late = await render(rendering, server, '/never', { markerTimeoutMs: 900 });
        assert.is(
          late.ok && wordsOf(late.remarks ?? []),
          'The page was not ready 0.9 s after INIT and was drawn as it was.',
        );
        const ready = await render(rendering, server, '/painter');
        assert.is(ready.ok && ready.remarks, undefined);
        assert.match(await reasonOf(render(rendering, server, '/error', { markerTimeoutMs: 900 })), /reports an error/);
      }),
    ),
);

longTest(test)('pages that cannot be loaded or never come to an end fail with a sentence', () =>
  withPages(pages, (server) =>
    withRendering(async (rendering) => {
      assert.is(
        await reasonOf(render(rendering, server, '/never', { markerTimeoutMs: 900, mustBeReady: true })),
        'The page was not ready 0.9 s after INIT.',
      );
      assert.is(await reasonOf(render(rendering, server, '/teapot')), 'The page answered with status 418.');
      assert.is(
        await reasonOf(render(rendering, server, '/leaves')),
        'The page navigated away while it was being rendered.',
      );
      assert.is(await reasonOf(render(rendering, server, '/blank')), 'The page stayed blank.');
      assert.is(await reasonOf(render(rendering, server, '/endless')), 'The page never stopped redirecting.');
      assert.is(
        await reasonOf(render(rendering, server, '/refresh')),
        'The page navigated away while it was being rendered.',
      );
      assert.match(
        await reasonOf(render(rendering, server, '/download')),
        /^The address returns a download or nothing/,
      );
      assert.is(await colourOf(await render(rendering, server, '/windows')), '00ff00', 'R-16: no window, no download');
      assert.not.ok(server.asked.includes('/window'));
      assert.is(await reasonOf(render(rendering, server, '/asks')), 'The page made more than 500 requests.');
      assert.is(await reasonOf(render(rendering, server, '/pours')), 'The page transferred more than 64 MB.');
      const nobody = render(rendering, server, '', { url: 'http://nobody.example/' });
      assert.match(await reasonOf(nobody), /^nobody.example is not a public address/);
      const closed = { url: 'http://127.0.0.1:1/', allowedOrigin: 'http://127.0.0.1:1' };
      assert.is(await reasonOf(render(rendering, server, '', closed)), 'http://127.0.0.1:1 could not be reached.');
      assert.is(
        await reasonOf(render(rendering, server, '/alert')),
        'it was rendered',
        'T-10: a dialog holds nothing up',
      );
      assert.is(
        await reasonOf(render(rendering, server, '/loop')),
        'The page stopped answering.',
        'T-10: an endless loop',
      );
      assert.is(await colourOf(await render(rendering, server, '/painter')), '00ff00', 'the next page is rendered');
      for (const url of [
        'file:///etc/passwd',
        'view-source:file:///etc/passwd',
        'chrome://version',
        'data:text/html,x',
        'x',
      ]) {
        assert.match(await reasonOf(render(rendering, server, '', { url })), /not an http or https address/, url);
      }
    }),
  ),
);

test('PAGE-26: a page that redirects to another origin is refused and gets no INIT', () => {
  let received = '';
  const other: Record<string, Page> = {
    '/landing': `<body>${loadingMarker}<script>addEventListener('message', () => fetch('/told'))</script>`,
    '/told': (_, response) => {
      received = 'INIT';
      response.end();
    },
  };
  return withPages(other, (elsewhere) =>
    withPages(
      {
        '/away': (_, response) => {
          response.writeHead(302, { location: `http://localhost:${new URL(elsewhere.origin).port}/landing` }).end();
        },
      },
      (server) =>
        withRendering(
          async (rendering) => {
            assert.match(
              await reasonOf(render(rendering, server, '/away')),
              /redirects to a different origin than http:/,
            );
            assert.equal(elsewhere.asked.includes('/landing'), true, 'the other origin was really reached');
            assert.is(received, '');
          },
          { rule: { mayResolve: () => true, mayDial: (address) => address === '127.0.0.1' || address === '::1' } },
        ),
    ),
  );
});

test('a picture comes with what the page asks of the panel and what it could not load', () =>
  withPages(pages, (server) =>
    withRendering(async (rendering) => {
      const optimized = await render(rendering, server, '/optimized');
      assert.equal(optimized.ok && optimized.optimize, { enabled: true, intent: 'readable' });
      const broken = await render(rendering, server, '/broken-image');
      assert.equal(broken.ok && broken.warnings, [`Something from ${server.origin} did not load.`], 'R-23, no query');
    }),
  ));

longTest(test)('T-09: what a page stores is gone for the next render, and unseen by one at the same time', () => {
  const leak: Record<string, Page> = {
    '/state': (request, response) => {
      response.setHeader('content-type', 'text/html');
      response.setHeader('set-cookie', 'seen=1');
      response.end(`<body data-cookie="${request.headers.cookie ?? ''}">state ${loadingMarker}<script>
        addEventListener('message', async () => {
          const heard = []; const channel = new BroadcastChannel('a');
          channel.onmessage = () => heard.push('broadcast'); channel.postMessage(1);
          await fetch('/kept');
          const folder = await navigator.storage.getDirectory();
          const found = [document.body.dataset.cookie, document.cookie.replace('seen=1', ''), localStorage.getItem('a'),
            sessionStorage.getItem('a'), window.name, (await indexedDB.databases()).length && 'database',
            (await caches.keys()).length && 'cache',
            await folder.getFileHandle('a').then(() => 'file', () => ''), (await navigator.locks.query()).held.length && 'lock'];
          localStorage.setItem('a', '1'); sessionStorage.setItem('a', '1'); window.name = 'a'; indexedDB.open('a');
          await caches.open('a'); await folder.getFileHandle('a', { create: true });
          navigator.locks.request('a', () => new Promise(() => {}));
          await new Promise((resolve) => setTimeout(resolve, 300));
          const all = [...found, ...heard].filter(Boolean);
          if (all.length > 0) {
            document.documentElement.setAttribute('data-paperless-render-error', 'found ' + JSON.stringify(all));
            document.documentElement.setAttribute('data-paperless-render-status', 'error');
          }
          ${markLoaded}
        })</script>`);
    },
    // An answer that a browser with a cache would not request again.
    '/kept': (_, response) => {
      response.writeHead(200, { 'cache-control': 'max-age=600' }).end('1');
    },
  };
  return withPages(leak, (server) =>
    withRendering(
      async (rendering) => {
        const both = [reasonOf(render(rendering, server, '/state')), reasonOf(render(rendering, server, '/state'))];
        assert.equal(await Promise.all(both), ['it was rendered', 'it was rendered']);
        assert.is(await reasonOf(render(rendering, server, '/state')), 'it was rendered');
        assert.is(server.asked.filter((path) => path === '/kept').length, 3, 'no answer was kept');
      },
      { concurrency: 2 },
    ),
  );
});

test.run();
