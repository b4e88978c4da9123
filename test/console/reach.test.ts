/** Addresses that are given to frames and to people: those that lead to this computer alone are marked as such. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsolePage, withConsole } from './console-world.ts';

const test = suite('addresses that others reach');

const serial = 'epd7-0000c0add001';
const ways = ['serial', 'plain', 'offline', 'asks'] as const;
const whole = {
  serial: 'the broker papergate.example',
  plain: 'OpenPaper 13',
  offline: 'Which one is it?',
  asks: 'No frame is asking now',
} as const;

/** Where the first warning ends, and where what hands an address out begins. */
const bounds = (console: ConsolePage, handsOut: string): Promise<readonly [warning: number, control: number]> =>
  console.page.evaluate((selector) => {
    const of = (one: Element | null | undefined): DOMRect => one?.getBoundingClientRect() ?? new DOMRect();
    const warning = [...document.querySelectorAll('.warn')].find((one) => /PAPERGATE_HOST/.test(one.textContent ?? ''));
    return [of(warning).bottom, of(document.querySelector(selector)).top] as const;
  }, handsOut);

test('a way to add a frame and a guest link warn above the button where others do not reach the address', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial, dialect: 'native' }]);
    const album = await world.createPaper('album', { title: 'Family' });
    const console = await world.openPage({ width: 390 });
    for (const [place, said, handsOut] of [
      ...ways.map((way) => [`frames/add?way=${way}`, 'Frames cannot reach', '.copy, button[type=submit]'] as const),
      [`papers/${album}`, 'Others cannot open', 'section:has(> h2[id^=guest]) button[type=submit]'] as const,
    ] as const) {
      await console.goTo(place);
      await console.sees(said);
      const [warning, control] = await bounds(console, handsOut);
      assert.ok(
        warning > 0 && warning <= control,
        `${place}: it ends at ${warning}, and the button begins at ${control}`,
      );
      await console.isAccessible();
    }
    await console.goTo('frames/add?way=serial');
    await console.sees(/has to be flashed first.*the broker 127\.0\.0\.1, its port \d+, and the file ca\.crt/);
  }));

const reached = {
  PAPERGATE_PUBLIC_URL: 'http://papergate.example:3000',
  PAPERGATE_FRAME_URL: 'http://192.0.2.7:3000',
  PAPERGATE_MQTT_NAMES: 'papergate.example',
};

test('nothing is warned of where the addresses lead to others, and the broker has the name that frames dial', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial, dialect: 'native' }]);
    const console = await world.openPage();
    const told = await (
      await fetch(`${world.http}/devices/addresses`, {
        headers: { 'x-api-key': String(world.person.apiKey) },
      })
    ).json();
    assert.equal([told.pages, told.broker.host], [reached.PAPERGATE_PUBLIC_URL, 'papergate.example']);
    for (const way of ways) {
      await console.goTo(`frames/add?way=${way}`);
      await console.sees(whole[way]);
      assert.not.match(await console.text(), /PAPERGATE_HOST/, way);
    }
  }, reached));

test.run();
