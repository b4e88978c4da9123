/** Cookie banners of websites: of known makers, and of anybody, in several languages; what allows the least is chosen (PAGE-22). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wordsOf } from '../../reasons/words.ts';
import { longTest } from '../some-times.ts';
import { colourAt, sharer, withPages, withRendering } from './render-world.ts';

const test = suite('cookie banners');

/** Refusing makes the page green, accepting yellow; the banner itself is red. */
const page = (inside: string): string => `<!doctype html><meta charset="utf-8">
  <style>body { margin: 0 } .over { position: fixed; inset: 0; background: #f00 }</style>
  <script>function end(colour) {
    for (const banner of document.querySelectorAll('.over, .host')) banner.remove();
    document.documentElement.style.overflow = '';
    document.body.style.background = colour;
  }
  const [refuse, accept] = [() => end('#0f0'), () => end('#ff0')];</script>
  <body><h1>News</h1><p>${'Words of an article that somebody reads. '.repeat(10)}</p>${inside}`;
const over = (text: string, buttons: string): string => page(`<div class="over"><p>${text}</p>${buttons}</div>`);
/** A banner in a shadow tree: `mode` is open or closed. */
const inShadow = (mode: string, button: string): string =>
  page(`<x-banner class="host"></x-banner><script>
  const tree = document.querySelector('x-banner').attachShadow({ mode: '${mode}' });
  tree.innerHTML = '<div style="position: fixed; inset: 0; background: #f00">Cookies? ${button}</div>';
  tree.querySelector('a').onclick = refuse;</script>`);

/** The markup of makers, as their banners have it. */
const makers: Record<string, string> = {
  '/onetrust': page(`<div id="onetrust-consent-sdk"><div id="onetrust-banner-sdk" class="over"><p>We use cookies</p>
    <button id="onetrust-accept-btn-handler" onclick="accept()">Accept All Cookies</button>
    <button id="onetrust-reject-all-handler" onclick="refuse()">Reject All</button></div></div>`),
  '/onetrust-in-steps':
    page(`<div id="onetrust-consent-sdk"><div id="onetrust-banner-sdk" class="over"><p>We use cookies</p>
    <button id="onetrust-accept-btn-handler" onclick="accept()">Accept All Cookies</button>
    <button id="onetrust-pc-btn-handler" onclick="document.querySelector('#more').hidden = false">Cookie Settings</button></div>
    <div id="onetrust-pc-sdk"><div id="more" hidden class="over"><input type="checkbox" checked class="category-switch-handler">
    <button class="save-preference-btn-handler" onclick="document.querySelector('input').checked ? accept() : refuse()">Confirm</button></div></div></div>`),
  '/cookiebot': page(`<div id="CybotCookiebotDialog" class="over"><p>Diese Webseite verwendet Cookies</p>
    <button onclick="accept()">Alle zulassen</button>
    <button id="CybotCookiebotDialogBodyLevelButtonLevelOptinDeclineAll" onclick="refuse()">Ablehnen</button></div>
    <script>window.Cookiebot = { hasResponse: false, dialog: { visible: true } }</script>`),
  '/usercentrics': page(`<div id="usercentrics-root" class="host" style="position: relative"></div><script>
    const tree = document.querySelector('#usercentrics-root').attachShadow({ mode: 'open' });
    tree.innerHTML = '<div data-testid="uc-container" style="position: fixed; inset: 0; background: #f00">We use cookies' +
      '<button data-testid="uc-accept-all-button">Accept All</button><button data-testid="uc-deny-all-button">Deny</button></div>';
    const [all, none] = tree.querySelectorAll('button');
    [all.onclick, none.onclick] = [accept, refuse];
    window.UC_UI = { closeCMP() {} };</script>`),
  '/didomi': page(`<div id="didomi-host"><div id="didomi-notice" class="over"><p>Nous utilisons des cookies</p>
    <button id="didomi-notice-agree-button" onclick="accept()">Accepter &amp; Fermer</button><button>Paramétrer</button></div></div>
    <script>window.Didomi = { setUserDisagreeToAll: refuse }</script>`),
  '/quantcast':
    page(`<div id="qc-cmp2-container"><div id="qc-cmp2-ui" class="over qc-cmp2-main"><p>We value your privacy</p>
    <div class="qc-cmp2-summary-buttons"><button mode="secondary" onclick="document.querySelector('#more').hidden = false">MORE OPTIONS</button>
    <button mode="primary" onclick="accept()">AGREE</button></div><div id="more" hidden class="qc-cmp2-consent-info">Purposes
    <button onclick="this.dataset.pressed = 1">REJECT ALL</button><div class="qc-cmp2-buttons-desktop">
    <button mode="primary" onclick="document.querySelector('[data-pressed]') ? refuse() : accept()">SAVE &amp; EXIT</button></div></div></div></div>`),
};

const anybodys: Record<string, string> = {
  '/link': over('We use cookies', '<a href="#" onclick="refuse()">Accept all cookies</a>'),
  '/plain-words': over(
    'Wir verwenden Cookies',
    '<div id="go">Alle Cookies ablehnen</div><script>document.querySelector("#go").addEventListener("click", refuse)</script>',
  ),
  '/within-a-sentence': over(
    'We use cookies. Press <b>Accept all</b> to go on.',
    '<button onclick="refuse()">Accept all</button>',
  ),
  '/in-a-shadow': inShadow('open', '<a href="#">Refuser tout</a>'),
  '/in-a-closed-shadow': inShadow('closed', '<a href="#">Zaakceptuj wszystkie</a>'),
  '/in-a-frame': page(`<iframe class="over" src="/frame" style="border: 0; width: 100%; height: 100%"></iframe>
    <script>addEventListener('message', refuse)</script>`),
  '/finnish': over(
    'Käytämme evästeitä',
    '<button onclick="accept()">Hyväksy kaikki</button><button onclick="refuse()">Vain välttämättömät</button>',
  ),
  '/japanese': over('クッキーを使用しています', '<button onclick="refuse()">すべて同意する</button>'),
  '/keeps-from-scrolling':
    page(`<style>html, body { overflow: hidden; height: 100% }</style><div class="over"><p>Usamos cookies</p>
    <div role="button" onclick="refuse()">Rechazar todas</div></div>`),
  '/late': page(`<script>setTimeout(() => { document.body.insertAdjacentHTML('beforeend',
    '<div class="over"><p>We use cookies</p><button onclick="refuse()">Reject all</button></div>') }, 1500)</script>`),
  '/in-other-words': `${over('We bake cookies for you', '<button>Yum</button>')}<script>document.body.style.background = '#0f0'</script>`,
};

async function coloursOf(pages: Record<string, string>): Promise<string[]> {
  const frame =
    '<meta charset="utf-8"><p>Vi använder kakor</p><a href="#" onclick="parent.postMessage(1, \'*\')">Endast nödvändiga kakor</a>';
  return withPages({ ...pages, '/frame': frame }, ({ origin }) =>
    withRendering((rendering) =>
      Promise.all(
        Object.keys(pages).map(async (path) => {
          const size = { width: 400, height: 240, allowedOrigin: origin };
          const rendered = await rendering.renderPage({ sharer, url: origin + path, ...size });
          return `${path} ${rendered.ok ? await colourAt(rendered.png, 390, 230) : wordsOf(rendered.reason)}`;
        }),
      ),
    ),
  );
}

const green = (pages: object): string[] => Object.keys(pages).map((path) => `${path} 00ff00`);

longTest(test)(
  'PAGE-22: a banner goes by a button that is a link, and one in words that nobody knows is hidden',
  async () => {
    const { '/link': link = '', '/in-other-words': other = '' } = anybodys;
    const few = { '/link': link, '/in-other-words': other };
    assert.equal(await coloursOf(few), green(few));
  },
);

longTest(test)('PAGE-22: a banner of a known maker is refused, in several steps where it takes them', async () => {
  assert.equal(await coloursOf(makers), green(makers));
});

longTest(test)('PAGE-22: the buttons of other banners are found wherever they are, and in many languages', async () => {
  assert.equal(await coloursOf(anybodys), green(anybodys));
});

test.run();
