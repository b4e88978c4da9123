/** The picture for each model, against the decoder of its own firmware. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import { type Orientation, type Panel, panelOfKind, viewSize } from '../../firmware-protocol/panels.ts';
import { readCall } from '../../firmware-protocol/trmnl/headers.ts';
import { panelInsteadOf, panelOfCall } from '../../firmware-protocol/trmnl/models.ts';
import { drawNeutral } from '../../gateway/pictures/neutral-picture.ts';
import { boards, headersOf, kindles } from './trmnl-boards.ts';
import { type Board, drawOn, seen } from './trmnl-decoders.ts';

const test = suite('models of frames that poll');

const id = 'AA:BB:CC:00:11:22';

function panelOf(board: Board): Panel {
  const call = readCall({ ...headersOf(board), id });
  const panel = panelOfKind((call && panelOfCall(call)) ?? '');
  if (panel === undefined) throw new Error(`${board.model} has no panel`);
  return panel;
}

/** Returns the shade or colour that a person should see of each ink. */
function looksOf(panel: Panel): Uint8Array {
  return Uint8Array.from(panel.colours, ({ name, nominal }) =>
    name in seen ? seen[name as keyof typeof seen] : Number.parseInt(nominal.slice(1, 3), 16),
  );
}

/** A picture with a pattern that no turn leaves as it is, and what the panel is to show of it, pixel by pixel as it is made. */
function pattern(
  panel: Panel,
  orientation: Orientation,
): { readonly picture: Uint8Array; readonly wanted: Uint8Array } {
  const { width, height } = viewSize(panel, orientation);
  const looks = looksOf(panel);
  const picture = new Uint8Array(width * height);
  const wanted = new Uint8Array(width * height);
  const isTurned = width !== panel.width;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const ink = ((x >> 3) + 3 * (y >> 4) + (y >> 7) * (x >> 6)) % looks.length;
      picture[y * width + x] = ink;
      // A landscape picture on an upright screen is turned by 90 degrees clockwise, as is an upright one on a wide screen.
      wanted[isTurned ? x * panel.width + (height - 1 - y) : y * width + x] = looks[ink] as number;
    }
  }
  return { picture, wanted };
}

const wrongIn = (drawn: Uint8Array, wanted: Uint8Array): number =>
  wanted.reduce((wrong, look, at) => (look === drawn[at] ? wrong : wrong + 1), 0);

/** One board for each panel and decoder: what another name of it is sent is the same. */
const different = new Map(
  [...boards, ...kindles].map((board) => [`${panelOf(board).name} ${board.decoder}`, board] as const),
);

test('every name of a board has a panel of its size', () => {
  for (const board of [...boards, ...kindles]) {
    const { width, height } = panelOf(board);
    assert.equal([width, height], board.size, `${board.model}: the raster that the firmware draws into`);
  }
});

for (const board of different.values()) {
  test(`${board.model} (${board.decoder}) draws every ink where it belongs, whichever way it hangs`, () => {
    const panel = panelOf(board);
    for (const orientation of ['landscape', 'portrait'] as const) {
      const { picture, wanted } = pattern(panel, orientation);
      const drawn = drawOn(board, packPicture(panel, orientation, picture));
      assert.ok(drawn, `${orientation}: it shows`);
      assert.is(wrongIn(drawn, wanted), 0, `${orientation}: pixels of ${wanted.length} that are wrong`);
    }
  });

  test(`${board.model} (${board.decoder}) draws pictures of one and of two colours, and its quiet sheet`, async () => {
    const panel = panelOf(board);
    const white = panel.colours.findIndex(({ name }) => name === 'white');
    const black = panel.colours.findIndex(({ name }) => name === 'black');
    const blank = new Uint8Array(panel.width * panel.height).fill(white);
    const halves = blank.map((_, at) => (at % 7 < 3 ? white : black));
    const lowest = blank.map((_, at) => (at > panel.width * (panel.height - 20) ? black : white));
    const dot = blank.map((_, at) => (at === 0 ? black : white));
    const stored = { ...panel, rotation: { portrait: 0, landscape: 0 } } as const;
    for (const picture of [blank, halves, lowest, dot]) {
      const drawn = drawOn(board, packPicture(stored, 'landscape', picture));
      assert.ok(drawn, 'it shows');
      const looks = looksOf(panel);
      const wrong = wrongIn(
        drawn,
        picture.map((ink) => looks[ink] as number),
      );
      assert.ok(wrong <= 2, `${wrong} pixels are wrong`);
    }
    const sheet = drawOn(board, (await drawNeutral(panel)).file);
    assert.ok(sheet, 'the sheet shows');
    const count = (look: number): number => sheet.reduce((all, one) => (one === look ? all + 1 : all), 0);
    const [whites, blacks] = [count(seen.white), count(seen.black)];
    assert.ok(
      whites > sheet.length * 0.9 && blacks > 100 && whites + blacks >= sheet.length - 2,
      `${whites} ${blacks}`,
    );
  });

  test(`${board.model} (${board.decoder}) is sent no file that its firmware does not take`, () => {
    const panel = panelOf(board);
    assert.ok((panel.maxFileBytes ?? 0) < board.maxBytes, `${panel.maxFileBytes} bytes`);
    assert.is(board.maxBytes === Number.POSITIVE_INFINITY, panel.maxFileBytes === undefined);
  });
}

test('firmware before 1.8.0 that names nothing is the first TRMNL; later one, and what is not a firmware, is unknown', () => {
  const bare = (firmware?: string) => panelOfCall({ model: undefined, firmware, width: undefined, height: undefined });
  assert.equal(['1.5.2', '1.6.9', '1.7.8'].map(bare), ['trmnl2', 'trmnl2', 'trmnl2']);
  assert.equal([undefined, '1.5.1', '1.8.0', '1.8.15', 'HomePlate'].map(bare), Array(5).fill(undefined));
  assert.is(panelOfCall({ model: 'new', firmware: '1.7.8', width: undefined, height: undefined }), undefined);
});

test('firmware that reads one bit a pixel is sent no grays', () => {
  const of = (model: string, firmware: string) => panelOfCall({ model, firmware, width: 800, height: 480 });
  assert.equal(
    ['og', 'reterminal_e1001', 'seeed_esp32c3', 'waveshare'].map((model) => of(model, '1.5.12')),
    ['trmnl2', 'trmnl2', 'mono-800x480', 'mono-800x480'],
  );
  assert.is(of('seeed_esp32c3', '1.6.0'), 'gray4-800x480');
});

test('the plugin of KOReader says the pixels of its screen as it is held, and decodes grays', () => {
  const call = readCall(
    {
      'access-token': 'x'.repeat(20),
      'png-width': '1920',
      'png-height': '1440',
      'user-agent': 'trmnl-display/0.1.0-koreader',
    },
    'trmnl-020000000001',
  );
  assert.ok(call);
  assert.equal([panelOfCall(call), panelInsteadOf('mono-1920x1440', call)], ['gray16-1920x1440', undefined]);
});

test('a kind that a firmware does not draw is replaced, and any other choice of its owner stands', () => {
  const instead = (kind: string, model: string) =>
    panelInsteadOf(kind, { model, firmware: '1.8.15', width: 800, height: 480 });
  for (const model of ['og', 'x', 'xiao_epaper_display', 'nobody knows']) {
    assert.is(instead('mono-800x480', model), undefined, model);
    assert.is(instead('gray4-800x480', model), undefined, model);
  }
  assert.is(instead('trmnl4', 'xiao_epaper_3clr'), 'trmnlbwr');
  assert.is(instead('trmnlbwr', 'xiao_epaper_3clr'), undefined, 'it has it already');
  assert.is(
    instead('bwr-800x480', 'xiao_epaper_display'),
    'mono-800x480',
    'no firmware of this family draws red beside',
  );
  assert.is(instead('bwr-800x480', 'nobody knows'), undefined, 'a client of another kind may');
});

test('sides are bounded, and so are the pixels in all', () => {
  for (const kind of ['kindle-1860x2480', 'gray16-1920x1440', 'gray16-2560x1440', 'gray16-2880x2160']) {
    assert.ok(panelOfKind(kind), kind);
  }
  for (const kind of ['mono-2881x64', 'gray16-2880x2161', 'mono-2880x2880', 'mono-9999x9999']) {
    assert.is(panelOfKind(kind), undefined, kind);
  }
});

test.run();
