/** A settings page that another web application hosts, in a real browser: what docs/integration-pages.md says of settings-host.mjs. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'puppeteer';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adoptFrame } from '../../api/devices/adopt-frame.ts';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import { eventually, type ServiceWorld, withService } from '../journeys/world.ts';
import { withPages } from '../rendering/render-world.ts';
import { withVisitorBrowser } from './visitor-browser.ts';

const test = suite('settings pages in other applications');

/** An integration's page: it saves a heading and asks for a connection as soon as it knows its host. */
const settingsHtml = `<!doctype html><script>
  const asked = new Set();
  addEventListener('message', ({ data, origin, source }) => {
    if (source !== parent) return;
    if (data.type === 'CONNECTION_GRANT') document.title = data.payload.grant ? 'connected' : data.payload.error;
    if (data.type !== 'INIT' || asked.has(data.source)) return;
    asked.add(data.source);
    if (asked.size > 1) return;
    const say = (type, payload) => parent.postMessage({ source: 'service-plugin', type, payload }, origin);
    say('UPDATE_SETTINGS', { heading: 'Shopping' });
    say('REQUEST_CONNECTION', { requestId: 'one' });
  });
</script>`;

/** The other application: its address contains the service, the paper and a key, and its title reports what failed. */
const applicationHtml = `<!doctype html><script type="module">
  import { hostSettingsFrame } from '/settings-host.mjs';
  const { service, paperId, key } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
  const call = async (method, path, body) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(service + path, { method, headers, body: body && JSON.stringify(body) });
    const json = await answer.json();
    if (!answer.ok) throw new Error(json.message);
    return json;
  };
  const paper = '/v1/integration-papers/papers/' + paperId;
  try {
    const { settingsPage, configUrl, messageSourcePrefix, payload } = await call('GET', paper + '/settings-page');
    hostSettingsFrame({
      window,
      frame: document.body.appendChild(document.createElement('iframe')),
      settingsUrl: settingsPage,
      sourcePrefix: messageSourcePrefix,
      payload,
      requestGrant: async () => (await call('POST', paper + '/grants', { configUrl, settingsPage })).grant,
      saveSettings: async (patch) => {
        const { meta } = await call('GET', '/v1/papers/' + paperId);
        const pluginSettings = { ...meta.pluginSettings, ...patch };
        await call('PATCH', '/v1/papers/' + paperId, { meta: { ...meta, pluginSettings } });
        document.title = 'saved';
      },
      refused: (why) => { document.title = why; },
    });
  } catch (error) {
    document.title = String(error);
  }
</script><body></body>`;

const folder = new URL('../../api/integration/settings-frame/', import.meta.url);

/** Returns the pages of the application: its own, and the two modules as they stand in this checkout. */
async function applicationPages() {
  const pages: Record<string, Parameters<typeof withPages>[0][string]> = { '/': applicationHtml };
  for (const name of ['settings-host.mjs', 'read-frame-message.mjs']) {
    const code = await readFile(new URL(name, folder));
    pages[`/${name}`] = (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' }).end(code);
  }
  return pages;
}

/** Opens the application over a paper with an integration; `allowed` sets whether the service knows its origin. */
async function withApplication(
  allowed: boolean,
  run: (world: ServiceWorld & { page: Page; paperId: string }) => Promise<void>,
): Promise<void> {
  const config = {
    name: 'Kitchen notes',
    version: '1.0.0',
    settingsPage: './settings.html',
    renderPage: './render.html',
    capabilities: { contentPush: { callbackPath: '/hooks/status' } },
  };
  const integrationPages = { '/config.json': JSON.stringify(config), '/settings.html': settingsHtml };
  await withPages(integrationPages, async (integration) =>
    withPages(await applicationPages(), (application) =>
      withService(
        async (service) => {
          const serial = 'epd7-b0c1d2e3f405';
          await provisionFrame({ ...service.context, dataFolder: service.dataFolder }, { serial });
          await adoptFrame(service.context, serial, service.organizationId);
          const pluginConfigUrl = `${integration.origin}/config.json`;
          const paperId = await service.createPaper('plugin', { title: 'Fridge', pluginConfigUrl });
          const told = { service: service.http, paperId, key: service.person.apiKey };
          await withVisitorBrowser(async (openVisitor) => {
            const page = await openVisitor();
            await page.goto(`${application.origin}/#${encodeURIComponent(JSON.stringify(told))}`);
            await run({ ...service, page, paperId });
          });
        },
        { PAPERGATE_CORS_ORIGINS: allowed ? application.origin : 'https://elsewhere.example' },
      ),
    ),
  );
}

test('settings-host.mjs in an application of an origin that the operator named: settings are saved, a grant is given', () =>
  withApplication(true, async ({ page, context, paperId }) => {
    await eventually('the settings are saved', async () => {
      const { meta } = await context.db('papers').where({ id: paperId }).first('meta');
      return JSON.parse(meta).pluginSettings?.heading === 'Shopping';
    });
    await eventually('the settings page has its grant', async () => {
      const frame = page.mainFrame().childFrames()[0];
      return (await frame?.title()) === 'connected';
    });
    assert.is((await context.db('grants').where({ paper_id: paperId }).first('id')) !== undefined, true);
  }));

test('an application that nobody named reads nothing', () =>
  withApplication(false, async ({ page, context, paperId }) => {
    await eventually('the browser refuses', async () => /Failed to fetch/.test(await page.title()));
    assert.equal(page.mainFrame().childFrames(), []);
    assert.is(await context.db('grants').where({ paper_id: paperId }).first('id'), undefined);
  }));

test.run();
