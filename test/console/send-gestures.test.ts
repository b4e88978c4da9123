/** The crop by mouse and by two fingers, pictures that are dropped and pasted, and how soon the preview follows. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { longTest } from '../some-times.ts';
import { type ConsolePage, withConsole } from './console-world.ts';

const test = suite('gestures of sending');

/** Drops or pastes a picture that the page draws itself. */
const bring = ({ page }: ConsolePage, how: 'drop' | 'paste', name: string): Promise<void> =>
  page.evaluate(
    async (kind, file) => {
      const canvas = new OffscreenCanvas(1200, 900);
      const context = canvas.getContext('2d');
      for (let at = 0; context && at < 1200; at += 40) {
        context.fillStyle = `hsl(${at} 70% 50%)`;
        context.fillRect(at, at % 300, 40, 900);
      }
      const data = new DataTransfer();
      data.items.add(new File([await canvas.convertToBlob()], file, { type: 'image/png' }));
      dispatchEvent(
        kind === 'drop'
          ? new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
          : new ClipboardEvent('paste', { clipboardData: data, bubbles: true }),
      );
    },
    how,
    name,
  );

const zoomOf = ({ page }: ConsolePage): Promise<number> =>
  page.$eval('.crop-tools input', (input) => Number.parseInt(input.getAttribute('aria-valuetext') ?? '', 10));

longTest(test)('pictures are dropped and pasted; mouse, wheel and two fingers crop; the preview follows', () =>
  withConsole(async ({ openPage, startFrames, createPaper, showOn }) => {
    const serial = 'epd7-0000c0501e21';
    await startFrames([{ serial, dialect: 'native' }]);
    await showOn(await createPaper('image'), [serial]);
    const console = await openPage();
    const { page } = console;
    await console.goTo('send');
    await bring(console, 'drop', 'dropped.png');
    await bring(console, 'paste', 'pasted.png');
    await console.sees('pasted.png');
    const view = await page.waitForSelector('.crop-view');
    await view?.scrollIntoView();
    const { x = 0, y = 0, width = 0, height = 0 } = (await view?.boundingBox()) ?? {};
    const middle = [x + width / 2, y + height / 2] as const;
    const preview = (): Promise<string> => page.$eval('.preview figure:not(.old) img', ({ src }) => src);
    await page.waitForSelector('.preview figure:not(.old) img');
    // The wheel zooms, the mouse moves.
    const first = await preview();
    await page.mouse.move(...middle);
    await page.mouse.wheel({ deltaY: -350 });
    await page.waitForFunction(
      () => document.querySelector('.crop-tools input')?.getAttribute('aria-valuetext') !== '100 percent',
    );
    const wheeled = await zoomOf(console);
    assert.ok(wheeled > 180 && wheeled < 230, `${wheeled} percent`);
    await page.mouse.down();
    await page.mouse.move(middle[0] + 60, middle[1] + 20, { steps: 4 });
    await page.mouse.up();
    await page.waitForSelector('.preview figure:not(.old) img');
    assert.not.equal(await preview(), first);
    // Two fingers, from a quarter of the width apart to a half.
    const cdp = await page.createCDPSession();
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart: number) =>
      cdp.send('Input.dispatchTouchEvent', {
        type,
        touchPoints:
          type === 'touchEnd'
            ? []
            : [-1, 1].map((side, id) => ({ id, x: middle[0] + (side * apart) / 2, y: middle[1] })),
      });
    await touch('touchStart', width / 4);
    for (const apart of [width / 3.5, width / 3, width / 2]) await touch('touchMove', apart);
    await touch('touchEnd', 0);
    const pinched = await zoomOf(console);
    assert.ok(pinched > wheeled * 1.7 && pinched < wheeled * 2.3, `${wheeled} to ${pinched} percent`);
    const times = await page.evaluate(followTimes);
    // How soon it comes is measured by test/bench: a busy machine draws later.
    assert.is(times.length, 5, 'the preview follows each change');
  }),
);

/** Runs in the page: how long after a key the new preview is there, five times. */
async function followTimes(): Promise<number[]> {
  const times: number[] = [];
  const image = (): string | undefined =>
    document.querySelector<HTMLImageElement>('.preview figure:not(.old) img')?.src ?? undefined;
  for (let turn = 0; turn < 5; turn++) {
    const old = image();
    const begun = performance.now();
    document
      .querySelector('.crop-view')
      ?.dispatchEvent(new KeyboardEvent('keydown', { key: turn % 2 === 0 ? '+' : '-', bubbles: true }));
    do await new Promise((resolve) => requestAnimationFrame(resolve));
    while (image() === undefined || image() === old);
    times.push(Math.round(performance.now() - begun));
    // The other intents come after a rest, and shall not be in the way of the next key.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return times;
}

test.run();
