/** One's own account, which follows what happens to it elsewhere. */
import { suite } from 'uvu';
import { eventually } from '../journeys/world.ts';
import { withConsole } from './console-world.ts';

const test = suite('the account in the console');

test('anyone who comes in elsewhere stands among the sessions at once, and is gone from there as soon as they have left', () =>
  withConsole(async ({ openPage }) => {
    const here = await openPage();
    await here.goTo('account');
    await here.sees('this browser');
    const shows = (count: number): Promise<true> =>
      eventually(`${count} sessions`, async () => {
        const rows = await here.page.$$eval('[aria-labelledby="sessions"] .rows > li', (all) => all.length);
        return rows === count || undefined;
      });
    await shows(1);
    const elsewhere = await openPage();
    await shows(2);
    await elsewhere.goTo('account');
    await elsewhere.click('Sign out');
    await shows(1);
    const third = await openPage();
    await shows(2);
    await here.page.locator('[aria-labelledby="sessions"] .rows button').click();
    await shows(1);
    await third.page.close();
  }));

test.run();
