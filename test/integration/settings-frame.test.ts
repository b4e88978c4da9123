/** The host of settings pages in a real browser, with pages of three origins: the service, an integration, an attacker. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { type Heard, type SettingsWorld, withSettingsPage } from './settings-frame-world.ts';

const test = suite('settings frame');

const ask = (requestId: unknown, source = 'service-plugin') => ({
  source,
  type: 'REQUEST_CONNECTION',
  payload: { requestId },
});
const update = (payload: unknown) => ({ source: 'service-plugin', type: 'UPDATE_SETTINGS', payload });

/** How many grants there were, whether or not they still work. */
const grants = async ({ context }: SettingsWorld): Promise<number> =>
  Number((await context.db('grants').count({ total: '*' }).first())?.total);

/** Counts the papers that the page stores from now on. */
function countSaves({ page, paperId }: SettingsWorld): () => number {
  let saves = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith(`/papers/${paperId}`)) saves++;
  });
  return () => saves;
}

const answers = (world: SettingsWorld, count: number): Promise<Heard[]> =>
  eventually(`${count} answers`, async () => {
    const heard = await world.heard('CONNECTION_GRANT');
    return heard.length >= count && heard;
  });

/** Loads a page of any origin into a frame inside the settings page; it says the message to the topmost window. */
async function sayNested(world: SettingsWorld, url: string, message: unknown): Promise<void> {
  const spoken = encodeURIComponent(JSON.stringify({ message, to: world.http }));
  await (await world.settingsFrame()).evaluate(
    (src) =>
      new Promise((resolve) => {
        const nested = Object.assign(document.createElement('iframe'), { src, onload: resolve });
        document.body.append(nested);
      }),
    `${url}#${spoken}`,
  );
}

test('a person logs in and connects: INIT in every form, a grant to the exact origin, which works', () =>
  withSettingsPage(
    async (world) => {
      await world.logIn();
      const host = new URL(world.http).origin;
      const [first, second] = await eventually('INIT under both names', async () => {
        const inits = await world.heard('INIT');
        return inits.length >= 2 && inits;
      });
      assert.equal([first?.data.source, second?.data.source], ['service-app', 'paperlesspaper-app']);
      const [older] = await world.heard('message');
      assert.equal(older?.data.data, first?.data.payload);
      const { paper, settings, meta, device, app } = (first?.data.payload ?? {}) as Record<
        string,
        Record<string, unknown>
      >;
      assert.equal(paper, { id: world.paperId, kind: 'plugin', organization: world.organizationId });
      assert.equal([settings, meta?.pluginSettings], [{ heading: 'Today' }, { heading: 'Today' }]);
      assert.equal([device, app], [{ kind: 'epd7', deviceId: 'epd7-b0c1d2e3f405' }, { language: 'en' }]);
      assert.is((meta?.pluginManifest as { name: string } | undefined)?.name, 'Kitchen notes');

      await world.say(ask('first'));
      const [answer] = await answers(world, 1);
      assert.equal([answer?.origin, answer?.fromHost, answer?.data.source], [host, true, 'service-app']);
      assert.equal(Object.keys(answer?.data.payload ?? {}).sort(), ['grant', 'requestId']);
      const { grant, requestId } = answer?.data.payload ?? {};
      assert.is(requestId, 'first');
      const made = await callApi<Record<string, string>>(
        { url: world.http },
        'POST',
        '/v1/integration-papers/exchange',
        {
          grant,
        },
      );
      assert.equal([made.paperId, made.name], [world.paperId, 'Kitchen notes']);
      assert.equal(await world.page.$eval('iframe', (frame) => [frame.getAttribute('sandbox'), frame.referrerPolicy]), [
        'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-same-origin',
        'no-referrer',
      ]);
      // The key is in no address and in no storage of the page.
      assert.not.match(world.page.url(), String(world.person.apiKey));
      const posted = JSON.stringify([await world.heard('INIT'), await world.heard('message'), answer]);
      for (const secret of [world.person.apiKey, made.token, made.callbackToken])
        assert.not.match(posted, String(secret));
      assert.equal(world.complaints, []);
    },
    { meta: { pluginSettings: { heading: 'Today' } } },
  ));

test('T-40: one grant for a requestId, one answer in each name it was asked under, nothing for a replay', () =>
  withSettingsPage(async (world) => {
    await world.logIn();
    await world.say(ask('twice'));
    await world.say(ask('twice', 'paperlesspaper-plugin'));
    await world.say(ask('twice'));
    await world.say(ask('twice', 'paperlesspaper-plugin'));
    await answers(world, 2);
    await world.say(ask('twice'));
    await world.settled();
    const heard = await world.heard('CONNECTION_GRANT');
    assert.equal(
      heard.map(({ data }) => data.source),
      ['service-app', 'paperlesspaper-app'],
    );
    assert.equal(heard[0]?.data.payload, heard[1]?.data.payload);
    assert.is(await grants(world), 1);

    for (const requestId of ['x'.repeat(101), '', undefined, 7, ['twice'], { length: 3 }])
      await world.say(ask(requestId));
    for (const source of ['service-app', 'Service-plugin', 'plugin', undefined]) {
      await world.say({ ...ask(`as ${source}`), source });
    }
    await world.settled();
    assert.is((await world.heard('CONNECTION_GRANT')).length, 2);
    assert.match(await world.text('problem'), '1 to 100 characters');
    await world.say(ask('y'.repeat(100)));
    await answers(world, 3);
    assert.is(await grants(world), 2);
  }));

longTest(test)('T-40: another window, another origin and another page in the frame are not heard', () =>
  withSettingsPage(async (world) => {
    await world.logIn();
    const stolen = ask('stolen');
    await sayNested(world, `${world.attackerOrigin}/speak.html`, stolen);
    await sayNested(world, `${world.attackerOrigin}/speak.html`, update({ stolen: true }));
    // The right origin in the wrong window
    await sayNested(world, `${world.integrationOrigin}/notes/speak.html`, stolen);
    await sayNested(world, `${world.integrationOrigin}/notes/speak.html`, update({ stolen: true }));
    // The host's own window
    await world.page.evaluate((message) => window.postMessage(message, location.origin), stolen);
    await world.settled();
    assert.equal([await grants(world), await world.settings()], [0, undefined]);

    // The frame itself is led elsewhere: the narrowed policy refuses it.
    const frame = await world.settingsFrame();
    await frame.evaluate((url) => {
      location.href = url;
    }, `${world.attackerOrigin}/settings.html`);
    await eventually('the policy refuses', async () => world.complaints.some((text) => text.includes('frame-src')));
    // The refused address stands in the frame until the browser's own page has taken its place.
    await eventually('the attacker is not in the frame', async () =>
      world.page.frames().every((each) => !each.url().startsWith(world.attackerOrigin)),
    );
    assert.is(await grants(world), 0);
  }),
);

longTest(test)(
  'T-40: with the policy out of the way, the right window of a wrong origin is neither listened to nor answered',
  () =>
    withSettingsPage(async (world) => {
      await world.page.setBypassCSP(true);
      await world.page.reload();
      await world.logIn();
      const frame = await world.settingsFrame();
      await frame.evaluate((url) => {
        location.href = url;
      }, `${world.attackerOrigin}/settings.html`);
      const stranger = await eventually('the attacker is in the frame', async () => {
        const found = world.page.frames().find((each) => each.url().startsWith(world.attackerOrigin));
        const isLoaded = await found?.evaluate(() => document.readyState === 'complete').catch(() => false);
        return isLoaded === true && found;
      });
      for (const message of [ask('stolen'), update({ stolen: true }), { type: 'INIT_REQUEST' }]) {
        await stranger.evaluate((said, to) => window.parent.postMessage(said, to), message, world.http);
      }
      // The browser itself reports each message that the host refused to post there, once.
      await eventually('INIT was not delivered', async () =>
        world.complaints.some((text) => text.includes('does not match the recipient')),
      );
      assert.equal(await stranger.evaluate(() => (window as unknown as { heard: unknown[] }).heard), []);
      assert.equal([await grants(world), await world.settings()], [0, undefined]);
    }),
);

longTest(test)(
  'PAGE-17: settings are merged, stored once though said twice, and come back with INIT; heights are bounded',
  () =>
    withSettingsPage(
      async (world) => {
        await world.logIn();
        await world.say(update({ heading: 'Dinner', tags: ['a'] }));
        await world.say({ type: 'paperlesspaper:settings:update', pluginSettings: { heading: 'Dinner', tags: ['a'] } });
        await eventually('it is saved', async () => (await world.text('state')) === 'Saved');
        assert.equal(await world.settings(), { kept: 1, heading: 'Dinner', tags: ['a'] });
        await world.say({ source: 'paperlesspaper-plugin', type: 'UPDATE_SETTINGS', payload: { heading: 'Supper' } });
        await world.settled();
        const init = (await world.heard('message')).at(-1)?.data.data as Record<string, unknown> | undefined;
        assert.equal(init?.settings, { kept: 1, heading: 'Supper', tags: ['a'] });
        await eventually('it is stored', async () => (await world.settings())?.heading === 'Supper');
        const { meta } = await callApi<{ meta: Record<string, unknown> }>(
          world.person,
          'GET',
          `/papers/${world.paperId}`,
        );
        assert.equal([meta.title, meta.orientation], ['Fridge', 'landscape'], 'the rest of the paper stays');

        await eventually('it is saved', async () => (await world.text('state')) === 'Saved');
        const saves = countSaves(world);
        await (await world.settingsFrame()).evaluate(
          (messages, to) => {
            for (const message of messages) window.parent.postMessage(message, to);
          },
          ['T', 'Te', 'Tea'].map((heading) => update({ heading })),
          world.http,
        );
        await eventually('it is stored', async () => (await world.settings())?.heading === 'Tea');
        await eventually('the browser tells of the save', async () => saves() > 0);
        assert.is(saves(), 1, 'keystrokes share a save');

        const height = () => world.page.$eval('iframe', (frame) => frame.style.height);
        const heights: readonly [unknown, string][] = [
          [{ source: 'service-plugin', type: 'SET_HEIGHT', payload: { height: 640.2 } }, '641px'],
          [{ type: 'paperlesspaper:settings:height', height: 10 }, '240px'],
          [{ source: 'paperlesspaper-plugin', type: 'SET_HEIGHT', payload: { height: 1e9 } }, '1400px'],
          [{ source: 'service-plugin', type: 'SET_HEIGHT', payload: { height: '9px;position:fixed' } }, '1400px'],
        ];
        for (const [message, expected] of heights) {
          await world.say(message);
          await world.settled();
          assert.is(await height(), expected);
        }

        const before = await world.settings();
        for (const patch of [7, null, ['x'], { text: 'x'.repeat(70_000) }]) await world.say(update(patch));
        await (await world.settingsFrame()).evaluate((to) => {
          const payload = JSON.parse('{"a":{"__proto__":{"admin":true}}}');
          window.parent.postMessage({ source: 'service-plugin', type: 'UPDATE_SETTINGS', payload }, to);
        }, world.http);
        await world.settled();
        assert.match(await world.text('problem'), '__proto__');
        assert.equal(await world.settings(), before);
      },
      { meta: { pluginSettings: { kept: 1 } } },
    ),
);

longTest(test)(
  'a prefix of the operator is spoken and understood besides the fielded names; `service` then is a stranger',
  () =>
    withSettingsPage(
      async (world) => {
        await world.logIn();
        await world.say(ask('own', 'acme-plugin'));
        await world.say(ask('fielded', 'paperlesspaper-plugin'));
        await world.say(ask('other', 'service-plugin'));
        const heard = await answers(world, 2);
        await world.settled();
        assert.equal(
          heard.map(({ data }) => [data.source, data.payload?.requestId]),
          [
            ['acme-app', 'own'],
            ['paperlesspaper-app', 'fielded'],
          ],
        );
        assert.equal(
          (await world.heard('INIT')).slice(0, 2).map(({ data }) => data.source),
          ['acme-app', 'paperlesspaper-app'],
        );
        assert.is(await grants(world), 2);
      },
      { environment: { PAPERGATE_MESSAGE_SOURCE_PREFIX: 'acme' } },
    ),
);

longTest(test)('what the API refuses is said on the page and to the settings page, without a grant', () =>
  withSettingsPage(
    async (world) => {
      await world.logIn('0'.repeat(64));
      await world.page.waitForSelector('.sign-in .problem');
      await world.logIn();
      await world.say(ask('disabled'));
      const [answer] = await answers(world, 1);
      assert.equal(answer?.data.payload, { requestId: 'disabled', error: 'Integration processing is disabled' });
      assert.match(await world.text('problem'), /The integration could not be connected\. .+/);

      // The person loses their role; the update is refused and kept for another try.
      const people = world.context.db('users').where({ organization_id: world.organizationId });
      await people.clone().update({ role: 'patient' });
      await world.say(update({ heading: 'Late' }));
      await eventually('it is not saved', async () => (await world.text('state')) === 'Not saved');
      assert.match(await world.text('problem'), 'The settings were not saved.');
      await people.clone().update({ role: 'admin' });
      await world.page.click('#again');
      await eventually('it is saved', async () => (await world.text('state')) === 'Saved');
      assert.equal(await world.settings(), { heading: 'Late' });
      assert.is(await world.text('problem'), '');
    },
    { environment: { INTEGRATION_PROCESSING: 'disabled' } },
  ),
);

test('T-39, A-8: the page is one for all papers, runs nothing but its own scripts and is framed by nobody', () =>
  withSettingsPage(
    async (world) => {
      const ask = (id: string) => fetch(`${world.http}/console/papers/${id}/settings`);
      const [here, nowhere] = [await ask(world.paperId), await ask('0'.repeat(24))];
      assert.is(await here.text(), await nowhere.text());
      assert.match(here.headers.get('content-security-policy') ?? '', / frame-src https: http:; /);
      for (const path of ['papers/x/settings', `papers/${world.paperId}`, 'papers', '']) {
        const other = await fetch(`${world.http}/console/${path}`);
        assert.not.match(other.headers.get('content-security-policy') ?? '', 'frame-src', path);
      }
      const policy = String(here.headers.get('content-security-policy'));
      for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'none'"]) {
        assert.ok(policy.includes(part), part);
      }
      assert.not.match(policy, 'unsafe');
      assert.is(here.headers.get('cache-control'), 'no-store');
      await world.logIn();
      await eventually('the name is shown', async () => (await world.text('title')).includes('<img'));
      assert.match(await world.text('subtitle'), '<script>');
      assert.is(await world.page.evaluate(() => 'injected' in window), false);
      assert.is(await world.page.$('main img'), null);
    },
    {
      manifest: { name: '<img src=x onerror="window.injected=1">' },
      meta: { title: '<script>window.injected=1</script>' },
    },
  ));

longTest(test)('T-57: a foreign page in the tab of somebody logged in cannot ask for a grant or end a connection', () =>
  withSettingsPage(async (world) => {
    await world.logIn();
    await world.say(ask('mine'));
    await answers(world, 1);
    const api = `${world.http}/v1/integration-papers/papers/${world.paperId}`;
    await world.page.goto(`${world.attackerOrigin}/settings.html`);
    const [answer] = await Promise.all([
      world.page.waitForNavigation(),
      world.page.evaluate((action) => {
        const form = Object.assign(document.createElement('form'), { action, method: 'post', enctype: 'text/plain' });
        document.body.append(form);
        form.submit();
      }, `${api}/grants`),
    ]);
    assert.is(answer?.status(), 401);
    await world.page.goto(`${world.attackerOrigin}/settings.html`);
    const asked = await world.page.evaluate(
      (url) => fetch(url, { method: 'DELETE', credentials: 'include' }).then(String, () => 'kept from asking'),
      `${api}/connection`,
    );
    assert.is(asked, 'kept from asking');
    assert.is(await grants(world), 1);
    assert.is((await world.context.db('grants').first()).ended_at, null, 'the grant still works');
  }),
);

test('the script of docs/integration-pages.md asks for a grant once it hears its host, and hands it on', () =>
  withSettingsPage(async (world) => {
    const documented = await readFile(join(import.meta.dirname, '../../docs/integration-pages.md'), 'utf8');
    const chapter = documented.slice(documented.indexOf('\n## The settings page\n'));
    const [, script = ''] = /^```js\n([\s\S]*?)^```/m.exec(chapter) ?? [];
    await world.logIn();
    const frame = await world.settingsFrame();
    await frame.evaluate(`window.fetch = async (...call) => { window.handedOn = call; };\n{ ${script} }`);
    await world.say({ source: 'service-plugin', type: 'READY' });
    const [path, { method, body }] = await eventually('the grant is handed on', () =>
      frame.evaluate(() => (window as unknown as { handedOn?: [string, RequestInit] }).handedOn),
    );
    assert.equal([path, method], ['/connect', 'POST']);
    const exchange = '/v1/integration-papers/exchange';
    const made = await callApi<{ paperId: string }>({ url: world.http }, 'POST', exchange, { grant: body });
    assert.is(made.paperId, world.paperId);
  }));

test.run();
