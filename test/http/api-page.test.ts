/** The page at /console/api in a real browser: every operation of the description is drawn, callbacks among them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { withVisitorBrowser } from '../integration/visitor-browser.ts';
import { eventually, withService } from '../journeys/world.ts';

const test = suite('api page');

test('the page draws every operation, and what integrations are sent', () =>
  withService(({ http }) =>
    withVisitorBrowser(async (openVisitor) => {
      const page = await openVisitor();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      await page.goto(`${http}/console/api#contentCallback`);
      const drawn = await eventually('the operations are there', async () => {
        const ids = await page.evaluate(() => Array.from(document.querySelectorAll('.operation'), ({ id }) => id));
        return (ids.length > 0 || errors.length > 0) && ids;
      });
      assert.equal(errors, []);
      const { paths } = await callApi<{ paths: Record<string, object> }>({ url: http }, 'GET', '/openapi.json');
      const described = Object.values(paths).flatMap((methods) => Object.keys(methods));
      assert.is(drawn.length, described.length + 1);
      // The one that the address names is opened when all are drawn, and its tables follow.
      const text = await eventually('the named operation is open', () =>
        page.evaluate(() => document.querySelector<HTMLElement>('#contentCallback:has(.inside)')?.innerText),
      );
      for (const said of ['callback token', 'FrameCallback', 'PaperCallback', 'deviceId', '"unconfirmed"', '2XX']) {
        assert.ok(text.includes(said), `${said}: ${text}`);
      }
    }),
  ));

test.run();
