/** Websites as homes have them: challenges, forms to sign in, shadow trees, data in place of pages, tokens in the storage. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AddressLogin } from '../../api/outgoing/address-login.ts';
import type { RenderOptions } from '../../api/rendering/render-page.ts';
import type { Rendering } from '../../api/rendering/rendering.ts';
import { type Credential, makeCertificate, makeRoot } from '../../gateway/identity/make-certificate.ts';
import { wordsOf } from '../../reasons/words.ts';
import { typescriptArgs } from '../../runtime/typescript.mjs';
import { longTest } from '../some-times.ts';
import type { DrawnAtHome } from './draw-at-home.ts';
import { colourAt, type Page, sharer, withPages, withRendering } from './render-world.ts';

const test = suite('websites');

const page = (body: string): string => `<!doctype html><meta charset="utf-8"><body style="margin: 0">${body}`;
const black = '<div style="background: #000; height: 240px"></div>';
const form = '<form><input placeholder="Username"><input type="password"><button>Log in</button></form>';
const challenge =
  (scheme: string): Page =>
  (_, response) =>
    void response.writeHead(401, { 'www-authenticate': scheme, 'content-type': 'text/html' }).end('<h1>401</h1>');
const data =
  (type: string, text: string): Page =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': type }).end(text);

/** An application that stands in open trees within trees, with a bar that lies over everything. */
const application = `<home-app></home-app><script>
  customElements.define('home-app', class extends HTMLElement {
    connectedCallback() {
      const outer = this.attachShadow({ mode: 'open' });
      outer.innerHTML = '<div style="position: fixed; inset: 0 0 auto; height: 60px; background: #f00">Bar</div><home-panel></home-panel>';
    }
  });
  customElements.define('home-panel', class extends HTMLElement {
    connectedCallback() {
      const inner = this.attachShadow({ mode: 'open' });
      inner.innerHTML = '<button id="more">More</button>';
      inner.querySelector('button').onclick = () => { document.title = 'clicked' };
      const view = document.createElement('hui-view');
      view.id = 'view';
      view.style = 'display: block; background: #00f; height: 200px';
      setTimeout(() => inner.append(view), 1500);
    }
  });
</script>`;

const pages: Record<string, Page> = {
  '/basic': challenge('Basic realm="x"'),
  '/digest': challenge('Digest realm="x", nonce="abc", qop="auth"'),
  '/bare': (_, response) => void response.writeHead(401).end('<h1>401</h1>'),
  '/part': page(`${black}<img src="/basic" width="10" height="10">`),
  '/sign-in': page(form),
  '/sign-in-in-a-tree': page(`<x-form></x-form><script>
    document.querySelector('x-form').attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(form)}</script>`),
  '/hidden-form': page(`${black}<div style="visibility: hidden">${form}</div>`),
  '/application': page(application),
  '/json': data('application/json', '{"temperature":21}'),
  '/rss': data('application/rss+xml; charset=utf-8', '<rss version="2.0"><channel/></rss>'),
  '/api': data('application/vnd.api+json', '{}'),
  '/dashboard': page(`<script>
    const tokens = JSON.parse(localStorage.getItem('hassTokens') ?? 'null');
    const key = localStorage.getItem('own key');
    const isIn = (tokens?.access_token === 'long-lived' && tokens.hassUrl === location.origin) || key === '{"a":1}';
    document.body.innerHTML = isIn ? ${JSON.stringify(black)} : ${JSON.stringify(form)}</script>`),
};

type Site = (path: string, more?: Partial<RenderOptions>) => ReturnType<Rendering['renderPage']>;

const withSites = (run: (render: Site, origin: string) => Promise<void>): Promise<void> =>
  withPages(pages, ({ origin }) =>
    withRendering((rendering) =>
      run((path, more = {}) => {
        const options = { sharer, url: origin + path, width: 400, height: 240, allowedOrigin: origin, ...more };
        return rendering.renderPage(options);
      }, origin),
    ),
  );

/** The colour near the middle of a picture and the codes of its remarks, or why there is none. */
async function lookAt(rendered: ReturnType<Site>): Promise<string> {
  const drawn = await rendered;
  if (!drawn.ok) return wordsOf(drawn.reason);
  return [await colourAt(drawn.png, 200, 150), ...(drawn.remarks ?? []).map(({ code }) => code)].join(' ');
}

/** A login for somewhere else: with one, each request of a page is looked at before it is made. */
const elsewhere: AddressLogin = { origin: 'https://elsewhere.example', header: 'x-key', value: 'secret' };

longTest(test)(
  'a challenge is answered by nobody, so that its status is reported at once, no matter who looks at the requests',
  () =>
    withSites(async (render) => {
      for (const logins of [[], [elsewhere]]) {
        for (const path of ['/basic', '/digest', '/bare']) {
          assert.match(
            await lookAt(render(path, { logins })),
            /^The page answered with status 401: it requires a login\./,
            path,
          );
        }
        assert.is(await lookAt(render('/part', { logins })), '000000', 'a part of a page may be refused');
      }
    }),
);

longTest(test)('a form to sign in is reported where it can be seen, in shadow trees too', () =>
  withSites(async (render) => {
    assert.match(await lookAt(render('/sign-in')), / page-asks-to-sign-in$/);
    assert.match(await lookAt(render('/sign-in-in-a-tree')), / page-asks-to-sign-in$/);
    assert.is(await lookAt(render('/hidden-form')), '000000');
  }),
);

longTest(test)(
  'R-38: selectors find what stands in open shadow trees: waited for, clicked on, cut out with nothing over it',
  () =>
    withSites(async (render) => {
      assert.is(await lookAt(render('/application', { waitFor: 'hui-view' })), '0000ff');
      assert.is(await lookAt(render('/application', { cutOut: '#view' })), '0000ff');
      const cut = await render('/application', { cutOut: '#view' });
      assert.ok(cut.ok && (await colourAt(cut.png, 200, 30)) === '0000ff', 'the bar does not lie over it');
      assert.is(await lookAt(render('/application', { clickFirst: '#more', waitFor: 'hui-view' })), '0000ff');
    }),
);

longTest(test)('feeds and other data are not photographed as pages', () =>
  withSites(async (render) => {
    assert.is(await lookAt(render('/json')), 'The address returns JSON, which is data and not a page to show.');
    assert.is(await lookAt(render('/rss')), 'The address returns an RSS feed, which is data and not a page to show.');
    assert.match(await lookAt(render('/api')), /returns JSON/);
  }),
);

longTest(test)(
  'T-93: pages find a token in their storage, as Home Assistant wants it or under a key, at its own origin alone',
  () =>
    withSites(async (render, origin) => {
      assert.match(await lookAt(render('/dashboard')), / page-asks-to-sign-in$/);
      const bearer = { origin, header: 'authorization', value: 'Bearer long-lived' };
      assert.is(await lookAt(render('/dashboard', { logins: [bearer] })), '000000');
      const stored = { origin, header: '', storageKey: 'own key', value: '{"a":1}' };
      assert.is(await lookAt(render('/dashboard', { logins: [stored] })), '000000');
      const others = [bearer, stored].map((login) => ({ ...login, origin: 'http://elsewhere.example' }));
      assert.match(await lookAt(render('/dashboard', { logins: others })), / page-asks-to-sign-in$/);
      assert.match(await lookAt(render('/dashboard')), / page-asks-to-sign-in$/, 'and the next visit finds nothing');
    }),
);

longTest(test)('an authority of the house counts for websites of the house, and no other does', async () => {
  const now = Date.now();
  const [own, unknown] = [await makeRoot(now), await makeRoot(now)];
  const certified = (root: Credential, name: string): Promise<Credential> =>
    makeCertificate(root, { name, now, expiresAt: now + 86_400_000, names: [name] });
  const credentials = {
    'nas.lan': await certified(own, 'nas.lan'),
    'other.lan': await certified(unknown, 'other.lan'),
  };
  const folder = await mkdtemp(join(tmpdir(), 'papergate-authority-'));
  try {
    const file = join(folder, 'authority.pem');
    await writeFile(file, own.certificate);
    const drawn = async (more: Record<string, string>): Promise<DrawnAtHome> => {
      const args = [...typescriptArgs, 'test/rendering/draw-at-home.ts', JSON.stringify(credentials)];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...more } });
      return JSON.parse(stdout);
    };
    const [nas = '', other = ''] = await drawn({ NODE_EXTRA_CA_CERTS: file });
    assert.is(
      nas,
      'drawn; other.lan has a certificate that is not valid. Something from https://other.lan did not load.',
    );
    assert.match(other, /^The certificate of https:\/\/other\.lan is not valid\./);
    for (const said of await drawn({})) assert.match(said, /^The certificate of https:\/\/\w+\.lan is not valid\./);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.run();
