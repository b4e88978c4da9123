/** The answers to boards over HTTP before they have a picture, and how those are found and adopted that send little. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import { serialOfToken } from '../../firmware-protocol/trmnl/mac-address.ts';
import { waitingFrames } from '../../gateway/adoption/waiting-frames.ts';
import { boards, headersOf, kindles } from '../firmware-protocol/trmnl-boards.ts';
import { drawOn, seen } from '../firmware-protocol/trmnl-decoders.ts';
import { getPicture } from './picture-get.ts';
import { adopt, trmnlFrame } from './trmnl-frame.ts';
import { type GatewayWorld, withGateway } from './world.ts';

const test = suite('boards that poll');

type Headers = Readonly<Record<string, string>>;

const ask = async (world: GatewayWorld, headers: Headers, path = 'display') => {
  const response = await fetch(`${world.url}/trmnl/api/${path}`, { headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

const macOf = (at: number): string => `AA:BB:CC:00:00:${at.toString(16).padStart(2, '0').toUpperCase()}`;
const token = 'a-token-of-another-server';

test('a board that waits gets a sheet that it draws, and so does one that is given its key', () =>
  withGateway(async (world) => {
    const addresses = new Set<string>();
    for (const [at, board] of [...boards, ...kindles].entries()) {
      const id = macOf(at);
      // T-109: one that is adopted by the key of another server is given none of ours.
      const key = board.decoder === 'eips' ? { 'access-token': token } : {};
      const waits = await ask(world, { ...headersOf(board), id, ...key });
      const told = [String(waits.body.image_url)];
      if (board.decoder !== 'eips') {
        await adopt(world, { ...trmnlFrame(world), mac: id });
        const { body } = await ask(world, { ...headersOf(board), id }, 'setup');
        assert.is(body.status, 200, board.model);
        told.push(String(body.image_url));
      }
      assert.ok(String(waits.body.filename).length <= 30, String(waits.body.filename));
      for (const url of told.filter((one) => !addresses.has(`${one} ${board.decoder}`))) {
        addresses.add(`${url} ${board.decoder}`);
        const response = await fetch(url);
        assert.equal([response.status, response.headers.get('content-type')], [200, 'image/png'], url);
        const drawn = drawOn(board, new Uint8Array(await response.arrayBuffer()));
        assert.ok(drawn, `${board.model} shows ${url}`);
        const whites = drawn.reduce((all, look) => (look === seen.white ? all + 1 : all), 0);
        assert.ok(whites > drawn.length * 0.9 && drawn.includes(seen.black), `${board.model}: ${whites} are white`);
      }
    }
  }));

test('firmware before 1.8.2 is given the bitmap alone while it is set up', () =>
  withGateway(async (world) => {
    const id = macOf(1);
    await ask(world, { id, 'fw-version': '1.7.8' }, 'setup');
    await adopt(world, { ...trmnlFrame(world), mac: id });
    const { body } = await ask(world, { id, 'fw-version': '1.7.8' }, 'setup');
    const sheet = await fetch(String(body.image_url));
    assert.equal([sheet.headers.get('content-type'), (await sheet.arrayBuffer()).byteLength], ['image/bmp', 48_062]);
  }));

for (const firmware of ['1.5.2', '1.5.12', '1.6.9', '1.7.8']) {
  test(`a frame with firmware ${firmware}, which names neither model nor size while it is set up, is adopted as the first TRMNL`, () =>
    withGateway(async (world) => {
      const id = macOf(2);
      await ask(world, { id, 'fw-version': firmware, 'content-type': 'application/json' }, 'setup');
      const serial = await adopt(world, { ...trmnlFrame(world), mac: id });
      const { kind } = await world.db('frames').where({ serial }).first();
      const panel = panelOfKind(kind);
      assert.equal([panel?.width, panel?.height, panel?.colours.length], [800, 480, 2]);
    }));
}

test('a later frame that names nothing is adopted by its kind, and the refusal names the option', () =>
  withGateway(async (world) => {
    const mac = macOf(3);
    const frame = { ...trmnlFrame(world), mac };
    await ask(world, { id: mac, 'fw-version': '1.9.0' }, 'setup');
    const refusal = await adopt(world, frame).catch((error: unknown) => error as { hint: string; message: string });
    assert.match(String((refusal as { hint: string }).hint), /it has asked.*--kind mono-800x480/);
    await adopt(world, frame, 'mono-640x384');
  }));

test('clients that send their token alone are found by it, and one that is nobody’s can be adopted', () =>
  withGateway(async (world) => {
    const alone = { 'access-token': token, 'png-width': '1072', 'png-height': '1448', 'percent-charged': '81' };
    const waits = await ask(world, { ...alone, 'user-agent': 'trmnl-display/0.1.0-koreader' });
    assert.match(String(waits.body.filename), /^pgate-waiting-gray16-1072x1448$/);
    const [waiting] = await waitingFrames(world.db, world.clock.now());
    assert.equal([waiting?.serial, waiting?.panel], [serialOfToken(token), 'gray16-1072x1448']);
    const mac = serialOfToken(token).slice('trmnl-'.length);
    const serial = await adopt(world, { ...trmnlFrame(world), mac });
    const upload = await world.offer(serial, 'one');
    const told = await ask(world, alone);
    assert.match(String(told.body.filename), /^pgate-[0-9a-f]{6}-\d{10}$/);
    assert.ok(await getPicture(String(told.body.image_url)));
    await world.downloadsSettled();
    assert.is((await world.evidence(upload)).grade, 'fetched');
    assert.equal(await waitingFrames(world.db, world.clock.now()), []);
  }));

test('a frame whose key is known is found by it without its address; a short token and none at all are refused', () =>
  withGateway(async (world) => {
    const frame = trmnlFrame(world);
    await frame.setup();
    const serial = await adopt(world, frame);
    await frame.setup();
    await world.offer(serial, 'one');
    const told = await ask(world, { 'access-token': frame.key ?? '' });
    assert.match(String(told.body.filename), /^pgate-[0-9a-f]{6}-/);
    assert.is((await frame.ask()).body.filename, told.body.filename, 'it is the same frame');
    for (const headers of [{}, { 'access-token': 'short' }, { id: 'nonsense', 'access-token': token }] as Headers[]) {
      const refused = await ask(world, headers);
      assert.is(refused.status, 400, JSON.stringify(headers));
      assert.match(String(refused.body.message), /MAC address.*token of 16 characters/);
    }
    assert.is((await ask(world, { 'access-token': token }, 'setup')).status, 400, 'a key is given to an address alone');
  }));

test('a frame whose firmware draws one form alone takes that kind, whatever was chosen for it, and other frames do not', () =>
  withGateway(async (world) => {
    const kindAfter = async (at: number, kind: string, headers: Headers): Promise<string> => {
      const id = macOf(at);
      const serial = await adopt(world, { ...trmnlFrame(world), mac: id }, kind);
      const setup = await ask(world, { id, 'fw-version': '1.8.15' }, 'setup');
      await ask(world, { id, 'access-token': String(setup.body.api_key), 'fw-version': '1.8.15', ...headers });
      return (await world.db('frames').where({ serial }).first()).kind;
    };
    const size = { width: '800', height: '480' };
    assert.is(await kindAfter(4, 'bwr-800x480', { model: 'xiao_epaper_3clr', ...size }), 'trmnlbwr');
    assert.is(await kindAfter(5, 'mono-400x300', { model: 'crowpanel42', width: '400', height: '300' }), 'crowpanel42');
    const kindle = { 'png-width': '800', 'png-height': '600', 'user-agent': 'trmnl-display/0.1.1' };
    assert.is(await kindAfter(6, 'mono-800x600', kindle), 'kindle-600x800');
    assert.is(await kindAfter(7, 'mono-800x480', { model: 'og', ...size }), 'mono-800x480', 'its owner chose that');
    assert.is(
      await kindAfter(8, 'bwr-640x384', { model: 'xiao_epaper_3clr', ...size }),
      'bwr-640x384',
      'another panel',
    );
  }));

test('W-43: a stranger has no sheet drawn of a panel that no frame has, however many he asks for', () =>
  withGateway(async (world) => {
    const statusOf = async (name: string): Promise<number> => (await fetch(`${world.url}/trmnl/${name}`)).status;
    const strange = await Promise.all(Array.from({ length: 60 }, (_, at) => statusOf(`waiting-1872x${1500 - at}.png`)));
    assert.equal([...new Set(strange)].sort(), [404, 429]);
    assert.is(strange.filter((status) => status === 404).length, 12, 'that many are looked for in a minute');
    assert.is(await statusOf('waiting-trmnlx.png'), 200, 'a known model has its sheet all the same');
    const asked = await ask(world, { id: macOf(9), 'access-token': token, width: '701', height: '501' });
    assert.is(
      (await fetch(String(asked.body.image_url))).status,
      429,
      'even a frame’s own, for whoever asked too often',
    );
    world.clock.passes(61_000);
    assert.is((await fetch(String(asked.body.image_url))).status, 200);
    for (const name of [
      'waiting-epd7.png',
      'waiting-mono-99999x9.png',
      'waiting-constructor.png',
      'waiting-0800x480.png',
    ])
      assert.is(await statusOf(name), 404, name);
    assert.is((await fetch(`${world.url}/trmnl/waiting-trmnlx.png`, { method: 'POST' })).status, 405);
  }));

test.run();
