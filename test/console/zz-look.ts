import { withConsole } from './console-world.ts';
await withConsole(async (world: any) => {
  await world.startFrames([{ serial: 'epd7-0000c0501e61', dialect: 'native' }]);
  const text = await world.createPaper('text', { name: 'Note', text: 'Grandma 👵 says 日', orientation: 'landscape' });
  const site = await world.createPaper('website', { title: 'Timetable', url: 'https://example.org/' });
  for (const [width, scheme] of [[390, 'light'], [1280, 'dark']] as const) {
    const { page, ...console } = await world.openPage({ width, scheme });
    await console.goTo(`papers/${text}`);
    await page.waitForSelector('.tried-picture', { timeout: 60000 });
    await new Promise((r) => setTimeout(r, 1500));
    await page.screenshot({ path: `/tmp/wsexp/text-${width}.png`, fullPage: true });
    await console.goTo(`papers/${site}`);
    await page.waitForSelector('.tried', { timeout: 20000 });
    await page.evaluate(() => { for (const d of document.querySelectorAll('details')) d.open = true; });
    await console.fill('Show only', 'p[');
    await new Promise((r) => setTimeout(r, 800));
    await page.screenshot({ path: `/tmp/wsexp/site-${width}.png`, fullPage: true });
    await console.fill('Show only', '#table');
    await page.evaluate(() => [...document.querySelectorAll('button')].find((b) => b.textContent === 'See it now')!.click());
    await new Promise((r) => setTimeout(r, 8000));
    await page.screenshot({ path: `/tmp/wsexp/site2-${width}.png`, fullPage: true });
    await console.isAccessible();
  }
});
