/**
 * Three origins on loopback and a real browser: the service hosting a settings page, the integration whose page it is,
 * and an attacker. The settings page records the messages that it receives, and posts those that the test has it post.
 */
import type { Frame, Page } from 'puppeteer';
import { adoptFrame } from '../../api/devices/adopt-frame.ts';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import { eventually, type ServiceWorld, withService } from '../journeys/world.ts';
import { withPages } from '../rendering/render-world.ts';
import { withVisitorBrowser } from './visitor-browser.ts';

/** A message as the settings page received it. */
export interface Heard {
  readonly origin: string;
  readonly fromHost: boolean;
  readonly data: { readonly [key: string]: unknown; readonly payload?: Readonly<Record<string, unknown>> };
}

/** The hosting page, opened but not logged in, and both parties beside it. */
export interface SettingsWorld extends ServiceWorld {
  readonly page: Page;
  readonly paperId: string;
  readonly integrationOrigin: string;
  readonly attackerOrigin: string;
  /** The messages in the console of the host's page: refused loads among them. */
  readonly complaints: readonly string[];
  logIn(key?: string): Promise<void>;
  /** The settings page's own frame, once it is there. */
  settingsFrame(): Promise<Frame>;
  /** Has the settings page post a message to its host; `to` is the host's origin unless given. */
  say(message: unknown, to?: string): Promise<void>;
  /** Everything of this type that the settings page heard so far, or of the older form for `cmd`. */
  heard(type: string): Promise<Heard[]>;
  /** Resolves when everything posted to the host so far has been handled: an answer to a later READY has come. */
  settled(): Promise<void>;
  settings(): Promise<Record<string, unknown> | undefined>;
  /** Returns the text that a person reads there; empty when it is hidden or not there. */
  text(id: string): Promise<string>;
}

/** A settings page as an integration would write it, and with a way for the test to speak through it. */
const settingsHtml = `<!doctype html><meta charset="utf-8"><title>Notes</title>
<style>body { font: 16px system-ui, sans-serif; margin: 24px } input { font: inherit; padding: 6px; width: 20em }
 button { font: inherit; padding: 6px 14px } p { color: #555 }</style>
<h2>Kitchen notes</h2><p>Notes from your phone, on the frame in the kitchen.</p>
<label>Heading<br><input id="heading"></label> <button>Connect</button>
<script>
  window.heard = [];
  addEventListener('message', ({ data, origin, source }) => {
    window.heard.push({ data, origin, fromHost: source === parent });
    if (data.settings || data.payload?.settings) heading.value = (data.payload ?? data).settings.heading ?? '';
  });
</script>`;

/** The attacker's page, which posts to the topmost window the message in its address. */
const attackerHtml = `<!doctype html><script>
  const { message, to } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
  top.postMessage(message, to);
</script>`;

/** Opens everything, runs the test, and closes it. */
export async function withSettingsPage(
  run: (world: SettingsWorld) => Promise<void>,
  {
    environment = {},
    manifest = {},
    meta = {},
  }: { environment?: Record<string, string>; manifest?: object; meta?: object } = {},
): Promise<void> {
  const config = {
    name: 'Kitchen notes',
    version: '1.0.0',
    settingsPage: './settings.html',
    renderPage: './render.html',
    capabilities: { contentPush: { callbackPath: '/hooks/status' } },
    ...manifest,
  };
  const pages = {
    '/notes/config.json': JSON.stringify(config),
    '/notes/settings.html': settingsHtml,
    '/notes/speak.html': attackerHtml,
  };
  await withPages(pages, (integration) =>
    withPages({ '/speak.html': attackerHtml, '/settings.html': settingsHtml }, (attacker) =>
      withService(async (service) => {
        const serial = 'epd7-b0c1d2e3f405';
        await provisionFrame({ ...service.context, dataFolder: service.dataFolder }, { serial });
        await adoptFrame(service.context, serial, service.organizationId);
        const configUrl = `${integration.origin}/notes/config.json`;
        const paperId = await service.createPaper('plugin', { title: 'Fridge', pluginConfigUrl: configUrl, ...meta });
        const origins = { integrationOrigin: integration.origin, attackerOrigin: attacker.origin };
        await withHostingPage(service, paperId, (opened) =>
          run({ ...service, ...origins, paperId, ...opened(origins.integrationOrigin) }),
        );
      }, environment),
    ),
  );
}

type Opened = Omit<SettingsWorld, keyof ServiceWorld | 'paperId' | 'integrationOrigin' | 'attackerOrigin'>;

async function withHostingPage(
  service: ServiceWorld,
  paperId: string,
  run: (opened: (integrationOrigin: string) => Opened) => Promise<void>,
): Promise<void> {
  await withVisitorBrowser(async (openVisitor) => {
    const page = await openVisitor();
    await page.setViewport({ width: 1000, height: 760 });
    const complaints: string[] = [];
    page.on('console', (message) => {
      // Nobody is signed in to the console: the page asks, and the browser notes that it was refused.
      if (!message.text().includes('status of 401')) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${service.http}/console/papers/${paperId}/settings`);
    await run((integrationOrigin) => speaking(service, page, paperId, complaints, integrationOrigin));
  });
}

function speaking(
  service: ServiceWorld,
  page: Page,
  paperId: string,
  complaints: readonly string[],
  integrationOrigin: string,
): Opened {
  const settingsFrame = (): Promise<Frame> =>
    eventually('the settings page is there and heard its host', async () => {
      const frame = page
        .mainFrame()
        .childFrames()
        .find((child) => child.url().startsWith(integrationOrigin));
      const count = await frame
        ?.evaluate(() => (window as unknown as { heard?: unknown[] }).heard?.length)
        .catch(() => 0);
      return (count ?? 0) > 0 && frame;
    });
  const heard = async (type: string): Promise<Heard[]> => {
    const all = await (await settingsFrame()).evaluate(() => (window as unknown as { heard: Heard[] }).heard);
    return all.filter(({ data }) => data.type === type || data.cmd === type);
  };
  const say = async (message: unknown, to = service.http): Promise<void> => {
    await (await settingsFrame()).evaluate((said, target) => window.parent.postMessage(said, target), message, to);
  };
  return {
    page,
    complaints,
    settingsFrame,
    heard,
    say,
    async logIn(key = service.person.apiKey) {
      await page.waitForSelector('.sign-in details');
      await page.$eval('.sign-in details', (ways) => ways.setAttribute('open', ''));
      const field = page.locator('.sign-in details input[type=password]');
      await field.fill(key ?? '');
      await page.click('.sign-in details form button');
    },
    async settled() {
      const before = (await heard('message')).length;
      await say({ type: 'INIT_REQUEST' });
      await eventually('INIT is sent again', async () => (await heard('message')).length > before);
    },
    async settings() {
      const paper = await service.context.db('papers').where({ id: paperId }).first('meta');
      return JSON.parse(paper.meta).pluginSettings;
    },
    text: (id) =>
      page.evaluate((named) => {
        const element = document.getElementById(named);
        return element?.checkVisibility() ? element.innerText : '';
      }, id),
  };
}
