/** When a picture changes next, as people read it: on the page of the content, and on that of a frame. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { longTest } from '../some-times.ts';
import { withConsole } from './console-world.ts';

const test = suite('next change in the console');

const serial = 'epd7-0000c0501e77';

longTest(test)(
  'content and the frame that shows it say when the picture changes next, and why, in both languages',
  () =>
    withConsole(async (world) => {
      await world.startFrames([{ serial, dialect: 'native' }]);
      const [menu, news] = [
        await world.createPaper('text', { title: 'Breakfast', text: 'Eggs' }),
        await world.createPaper('text', { title: 'Lunch', text: 'Soup' }),
      ];
      const begins = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
      const playlistEntries = [
        { paperId: menu, startsAt: begins(-1) },
        { paperId: news, startsAt: begins(50) },
      ];
      const playlist = await world.createPaper('playlist', { title: 'Day', timezone: 'UTC', playlistEntries });
      await world.showOn(playlist, [serial]);
      const { page, ...console } = await world.openPage();
      await console.goTo(`papers/${playlist}`);
      await console.sees('Next change:');
      await console.sees('Breakfast changes to Lunch.');
      await console.isAccessible();
      const [device] = await callApi<{ id: string }[]>(world.person, 'GET', '/devices/overview');
      await console.goTo(`frames/${device?.id}`);
      await console.sees('Breakfast changes to Lunch.');
      await console.isAccessible();
      await page.evaluate(() => localStorage.setItem('papergate-language', 'de'));
      await page.reload();
      await console.sees('Auf „Breakfast“ folgt „Lunch“.');
      await console.goTo(`papers/${menu}`);
      await console.sees('Breakfast');
      assert.is(await page.evaluate(() => document.body.innerText.includes('Nächste Änderung')), false);
    }),
);

test.run();
