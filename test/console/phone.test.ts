/** The console on a phone: its manifest, its page without a connection, and pictures that other apps share. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { type ConsolePage, withConsole } from './console-world.ts';

const test = suite('console on a phone');

/** Waits until the service worker has the page in its hands. */
async function controlled({ page, goTo }: ConsolePage): Promise<void> {
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await goTo('frames');
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

/** Takes the network from the worker and the page, or gives it back. */
async function setOffline({ page }: ConsolePage, isOffline: boolean): Promise<void> {
  const target = await page.browserContext().waitForTarget((one) => one.type() === 'service_worker');
  const worker = await target.worker();
  const conditions = { offline: isOffline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
  await worker?.client.send('Network.emulateNetworkConditions', conditions);
  await page.setOfflineMode(isOffline);
}

longTest(test)('what a phone needs to install the console is there, and nothing of it names another place', () =>
  withConsole(async ({ openPage, http }) => {
    const { page } = await openPage({ width: 390 });
    const cdp = await page.createCDPSession();
    const { url, errors, data } = await cdp.send('Page.getAppManifest');
    assert.equal([url, errors], [`${http}/console/app/manifest.webmanifest`, []]);
    const manifest = JSON.parse(data ?? '');
    for (const { src, type, sizes } of manifest.icons) {
      const answer = await fetch(new URL(src, url));
      assert.equal([answer.status, answer.headers.get('content-type')], [200, type], src);
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (type === 'image/png') assert.is(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes, src);
    }
    assert.is(new URL(manifest.start_url, url).href, `${http}/console/`);
    assert.is(new URL(manifest.share_target.action, url).href, `${http}/console/share`);
    const worker = await fetch(`${http}/console/sw.js`);
    assert.is(worker.headers.get('cache-control'), 'no-cache');
    assert.match(
      worker.headers.get('content-security-policy') ?? '',
      /^default-src 'none'; script-src 'self'; connect-src 'self'/,
    );
    const missed = await fetch(`${http}/console/share`, { method: 'POST', body: new FormData(), redirect: 'manual' });
    assert.equal([missed.status, missed.headers.get('location')], [303, '/console/send?shared=missed']);
  }),
);

longTest(test)('without a connection the console opens and says so, and goes on when the connection is back', () =>
  withConsole(async (world) => {
    const console = await world.openPage({ width: 390 });
    await controlled(console);
    await setOffline(console, true);
    await console.page.goto(`${world.http}/console/frames`);
    await console.sees('The service cannot be reached');
    await console.isAccessible();
    await setOffline(console, false);
    await console.sees('Your wall is waiting');
  }),
);

longTest(test)(
  'a picture that another app shares waits on the page for sending; one that went astray is reported',
  () =>
    withConsole(async (world) => {
      const console = await world.openPage({ width: 390 });
      await controlled(console);
      const landed = await console.page.evaluate(async () => {
        const canvas = new OffscreenCanvas(40, 30);
        canvas.getContext('2d')?.fillRect(0, 0, 20, 30);
        const form = new FormData();
        form.append(
          'pictures',
          new File([await canvas.convertToBlob()], 'Großmutter am See.png', { type: 'image/png' }),
        );
        form.append('title', 'A picture');
        return (await fetch('share', { method: 'POST', body: form })).url;
      });
      assert.is(landed, `${world.http}/console/send?shared=1`);
      await console.page.goto(landed);
      await eventually('the picture waits', () =>
        console.page.evaluate(() => document.querySelector('.workbench')?.getAttribute('aria-label') ?? undefined),
      );
      assert.is(
        await console.page.$eval('.workbench', (one) => one.getAttribute('aria-label')),
        'Großmutter am See.png',
      );
      assert.not.match(console.page.url(), /shared/);
      await console.goTo('send');
      await console.page.goto(`${world.http}/console/send?shared=missed`);
      await console.sees('The shared picture did not arrive.');
      // Waiting pictures survive when the page is opened again.
      assert.is((await console.page.$$('.workbench')).length, 1);
      assert.ok((await console.page.$$('.drafts li')).length <= 1, 'it was taken once');
    }),
);

test.run();
