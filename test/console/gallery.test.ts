/** The gallery of integrations in the console: from a catalogue to the manifest, with a broken catalogue beside it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withPages } from '../rendering/render-world.ts';
import { longTest } from '../some-times.ts';
import { withConsole } from './console-world.ts';

const test = suite('gallery of integrations');
const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';

longTest(test)('an integration is chosen from a catalogue, its manifest is looked at, and the paper uses it', () => {
  const manifest = { name: 'Kitchen notes', renderPage: './render.html', requiredPermissions: ['paper:content:write'] };
  const pages: Record<string, string> = {
    '/notes/config.json': JSON.stringify(manifest),
    '/notes/render.html': '<!doctype html><title>Notes</title>',
  };
  return withPages(pages, ({ origin }) => {
    const listed = {
      name: 'Kitchen <b>notes</b>',
      configUrl: `${origin}/notes/config.json`,
      languages: ['de'],
      picture,
    };
    pages['/catalogue.json'] = JSON.stringify({
      name: 'Neighbourhood',
      integrations: [listed, { name: 'No address' }],
    });
    return withConsole(
      async (world) => {
        await world.startFrames([{ serial: 'epd7-0000ca7a1091', dialect: 'native' }]);
        const { page, ...console } = await world.openPage({ width: 360, scheme: 'dark' });
        await console.goTo('papers/new');
        await page.locator('::-p-aria([name="Integration"][role="link"])').click();
        await console.sees('Kitchen <b>notes</b>');
        await console.sees('German');
        await console.sees(/cannot be read: The answer has status 404/);
        await console.sees(/1 of its entries cannot be shown \(Entry 2: The address is missing/);
        assert.is(await page.evaluate(() => document.querySelector<HTMLImageElement>('.listed img')?.naturalWidth), 1);
        await console.isAccessible();
        await page.focus('.listed');
        await page.keyboard.press('Enter');
        assert.is(await page.evaluate(() => document.querySelector('.listed')?.getAttribute('aria-pressed')), 'true');
        await console.click('Next: connect it');
        await console.sees('Change what is shown here');
        await console.isAccessible();
        await console.click('Use this integration');
        await console.sees('This integration is shown here now.');
        const [paper] = await world.context.db('papers').select('meta');
        assert.is(JSON.parse(paper.meta).pluginConfigUrl, listed.configUrl);
      },
      { PAPERGATE_CATALOGUES: `${origin}/catalogue.json, ${origin}/gone.json` },
    );
  });
});

test.run();
