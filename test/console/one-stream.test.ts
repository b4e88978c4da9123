/** The stream of changes in a browser: one for all tabs. */
import type { Page } from 'puppeteer';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { withConsole } from './console-world.ts';
import { hangFrame, lineOf, says } from './live-pages.ts';

const test = suite('one stream for all tabs');

longTest(test)('six tabs are all live over one stream, also when the tab that has it open is closed', () =>
  withConsole(async (world) => {
    const rename = await hangFrame(world);
    const { page: first } = await world.openPage();
    const tabs = [first];
    let streams = 0;
    const count = (page: Page) =>
      page.on('request', (one) => {
        if (one.url().endsWith('/changes/stream')) streams++;
      });
    for (let at = 0; at < 5; at++) {
      const tab = await first.browserContext().newPage();
      count(tab);
      await tab.goto(`${world.http}/console/frames`);
      tabs.push(tab);
    }
    for (const tab of tabs) await says(tab, 'Live');
    await rename('Kitchen at six');
    for (const tab of tabs) await says(tab, 'Kitchen at six', 3_000);
    assert.is(streams, 0, 'the other five opened none');
    assert.ok((await Promise.all(tabs.map(lineOf))).every((line) => line === ''));
    await first.close();
    tabs.shift();
    await eventually('another tab opens it', async () => streams === 1);
    await rename('Kitchen at seven');
    for (const tab of tabs) await says(tab, 'Kitchen at seven', 3_000);
    assert.is(streams, 1);
  }),
);

longTest(test)(
  'a tab that the browser has put to sleep does not silence the others: one of them takes the stream',
  () =>
    withConsole(async (world) => {
      const rename = await hangFrame(world);
      const { page: first } = await world.openPage();
      await says(first, 'Live');
      const second = await first.browserContext().newPage();
      await second.goto(`${world.http}/console/frames`);
      await says(second, 'Live');
      const session = await first.createCDPSession();
      await session.send('Page.setWebLifecycleState', { state: 'frozen' });
      await second.bringToFront();
      const asked = second.waitForRequest(`${world.http}/changes/stream`);
      await asked;
      await rename('Kitchen awake');
      await says(second, 'Kitchen awake', 5_000);
      await session.send('Page.setWebLifecycleState', { state: 'active' });
      await first.bringToFront();
      await says(first, 'Kitchen awake', 10_000);
    }),
);

test.run();
