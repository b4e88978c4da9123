/** The panels without a frame in the field: their files byte by byte, and what a record has to say (PANEL-01 to PANEL-12). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fileBytes, packPicture, rotateToView, unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import { namedPalettes, problemOfPalette, spectra6 } from '../../firmware-protocol/palettes.ts';
import { epd7, type Panel, panels, viewSize, withPalette } from '../../firmware-protocol/panels.ts';
import { digested, type PanelVector, panelsWithVectors, panelVectors, sha256 } from './panel-vectors.ts';

const test = suite('panels');

const panelOf = ({ panel }: PanelVector): Panel => panels[panel] as Panel;
const indexOf = (panel: Panel, code: number): number => panel.colours.findIndex((colour) => colour.code === code);

test('PANEL-05: every panel has vectors', () => {
  const accept = 'node --import tsx test/accept.ts panels writes those of a new panel';
  assert.equal(panelVectors.map(({ panel }) => panel).sort(), [...panelsWithVectors].sort(), accept);
});

for (const vector of panelVectors) {
  const panel = panelOf(vector);
  test(`PANEL-04, PANEL-05: ${panel.name} is packed as its vectors say, and read back`, () => {
    const check = (stored: Uint8Array, orientation: 'portrait' | 'landscape', expected: string) => {
      const file = packPicture(panel, orientation, rotateToView(panel, orientation, stored));
      const bytes = digested(panel, file);
      assert.is(sha256(bytes), expected, orientation);
      assert.is(bytes.length, vector.bytes);
      if (panel.packing !== 'png') assert.is(fileBytes(panel), vector.bytes);
      const read = unpackPicture(panel, file);
      assert.ok(read instanceof Uint8Array && Buffer.compare(read, stored) === 0, 'read back');
      return bytes;
    };
    const { width, height } = panel;
    const white = new Uint8Array(width * height).fill(indexOf(panel, vector.white.code));
    check(white, 'landscape', vector.white.sha256);
    const { codes, firstBytes } = vector.diagonal;
    const places = codes.map((code) => indexOf(panel, code));
    const diagonal = white.map((_, at) => places[((at % width) + Math.floor(at / width)) % codes.length] as number);
    const bytes = check(diagonal, 'portrait', vector.diagonal.sha256);
    assert.is(Buffer.from(bytes.subarray(0, 8)).toString('hex'), firstBytes);
  });

  test(`PANEL-05: ${panel.name} turns its corners as its vectors say`, () => {
    for (const orientation of ['portrait', 'landscape'] as const) {
      const { turn, codes, sha256: expected } = vector.corners[orientation];
      assert.is(panel.rotation[orientation], turn);
      const { width, height } = viewSize(panel, orientation);
      const seen = new Uint8Array(width * height).fill(indexOf(panel, vector.white.code));
      [0, width - 1, (height - 1) * width, height * width - 1].forEach((at, corner) => {
        seen[at] = indexOf(panel, codes[corner] as number);
      });
      assert.is(sha256(digested(panel, packPicture(panel, orientation, seen))), expected, orientation);
    }
  });

  test(`PANEL-05: ${panel.name} refuses files that are short, long, or something else`, () => {
    const file = packPicture(panel, 'landscape', new Uint8Array(panel.width * panel.height));
    for (const wrong of [file.subarray(0, file.length - 1), new Uint8Array(0), file.subarray(4)]) {
      const read = unpackPicture(panel, wrong);
      assert.not.ok(read instanceof Uint8Array && panel.packing !== 'png', 'a packed file of another length');
      if (wrong.length < file.length - 1) assert.not.instance(read, Uint8Array);
    }
    if (panel.packing === 'png') {
      const broken = Uint8Array.from(file);
      broken[60] = (broken[60] as number) ^ 1;
      assert.match((unpackPicture(panel, broken) as { problem: string }).problem, /checksum|ends|needed/);
      const smaller = packPicture(
        { ...panel, width: panel.width / 2 },
        'landscape',
        new Uint8Array((panel.width / 2) * panel.height),
      );
      assert.match((unpackPicture(panel, smaller) as { problem: string }).problem, /PNG of \d+x\d+/);
    }
  });
}

test('landscape is as wide as tall or wider on every panel, portrait as tall as wide or taller', () => {
  for (const panel of Object.values(panels)) {
    const [wide, tall] = [viewSize(panel, 'landscape'), viewSize(panel, 'portrait')];
    assert.ok(wide.width >= wide.height, `${panel.name}: landscape is ${wide.width}x${wide.height}`);
    assert.ok(tall.height >= tall.width, `${panel.name}: portrait is ${tall.width}x${tall.height}`);
  }
});

test('PANEL-03: a code that a panel does not know is drawn as its record says', () => {
  const { acep7 } = panels as { acep7: Panel };
  const file = packPicture(acep7, 'landscape', new Uint8Array(acep7.width * acep7.height));
  file[4] = 0x7f;
  const read = unpackPicture(acep7, file) as Uint8Array;
  assert.equal(
    [...read.subarray(0, 3)].map((index) => acep7.colours[index]?.name),
    ['white', 'white', 'black'],
  );
});

test('PANEL-04: a row that does not fill a byte is filled with white', () => {
  for (const packing of ['nibble', 'pairs', 'bits', 'planes'] as const) {
    const base = Object.values(panels).find((panel) => panel.packing === packing && panel !== epd7) as Panel;
    const panel: Panel = { ...base, width: 3, height: 2 };
    const seen = Uint8Array.from({ length: 6 }, (_, at) => at % 2);
    const file = packPicture(panel, 'landscape', rotateToView(panel, 'landscape', seen));
    assert.equal([...(unpackPicture(panel, file) as Uint8Array)], [...seen], packing);
    if (packing === 'bits') assert.is((file[4] as number) & 0x1f, 0x1f);
  }
});

test('PANEL-04: hokku13 has no header, its left half first, and the codes of the controller', () => {
  const { hokku13 } = panels as { hokku13: Panel };
  const { width, height, colours } = hokku13;
  const names = ['black', 'white', 'yellow', 'red', 'blue', 'green'];
  const codes = [0, 1, 2, 3, 5, 6];
  const inkAt = (x: number, y: number): number => (x * 7 + y * 3) % names.length;
  const stored = Uint8Array.from({ length: width * height }, (_, at) =>
    colours.findIndex(({ name }) => name === names[inkAt(at % width, Math.floor(at / width))]),
  );
  const file = packPicture(hokku13, 'portrait', stored);
  assert.is(file.length, 960_000);
  const wanted = Buffer.alloc(960_000);
  for (let at = 0; at < file.length; at++) {
    const [side, inHalf] = [Math.floor(at / 480_000), at % 480_000];
    const [y, x] = [Math.floor(inHalf / 300), side * 600 + (inHalf % 300) * 2];
    wanted[at] = ((codes[inkAt(x, y)] as number) << 4) | (codes[inkAt(x + 1, y)] as number);
  }
  assert.is(Buffer.compare(file, wanted), 0);
  assert.is(Buffer.compare(unpackPicture(hokku13, file) as Uint8Array, stored), 0);
});

test('PANEL-01, PANEL-02, PANEL-09: every record is complete, its palette sound, and what nobody saw is said', () => {
  for (const panel of Object.values(panels)) {
    assert.is(problemOfPalette(panel.colours), undefined, panel.name);
    assert.ok(panel.source.length > 8 && panel.title.length > 5, panel.name);
    assert.is(
      panel.isMeasured,
      panel.colours.some(({ nominal, measured }) => nominal !== measured),
      panel.name,
    );
    assert.is(panel.unverified.includes('refreshSeconds'), panel.refreshSource === 'unverified', panel.name);
    assert.ok(panel.colours[panel.foreignCodeDrawnAs]?.name === 'white', panel.name);
  }
});

test('PANEL-09: palettes that cannot be drawn with are refused', () => {
  const changed = (at: number, change: object) =>
    spectra6.map((colour, place) => (place === at ? { ...colour, ...change } : colour));
  assert.match(String(problemOfPalette(spectra6.slice(0, 1))), /two colours/);
  assert.match(String(problemOfPalette(changed(2, { code: 0 }))), /same code/);
  assert.match(String(problemOfPalette(changed(5, { measured: '#ffffff' }))), /white is not the lightest/);
  assert.match(String(problemOfPalette(changed(0, { measured: '#808080' }))), /black is not the darkest/);
  assert.match(String(problemOfPalette(changed(2, { measured: 'blue' }))), /#rrggbb/);
  assert.match(String(problemOfPalette(changed(2, { measured: '#020202' }))), /look the same/);
  const lookLike = (...seen: string[]) => spectra6.map((colour, at) => ({ ...colour, measured: seen[at] ?? '' }));
  const flat = lookLike('#100000', '#10ffff', '#00f000', '#00f0ff', '#f00000', '#f0f000');
  assert.match(String(problemOfPalette(flat)), /lighter than black in one of red, green and blue/);
  for (const [name, colours] of namedPalettes) assert.is(problemOfPalette(colours), undefined, name);
});

test('PANEL-08: a named palette changes what the inks look like, and nothing else', () => {
  const other = withPalette(epd7, 'spectra6Palette');
  assert.equal(
    other.colours.map(({ code }) => code),
    epd7.colours.map(({ code }) => code),
  );
  assert.is(other.colours[1]?.measured, '#b9c7c9');
  assert.is(withPalette(epd7, 'aitjcizeSpectra6Palette').colours[1]?.measured, '#bec8c8');
  for (const unknown of [undefined, 'nobody', '__proto__']) assert.is(withPalette(epd7, unknown), epd7);
  const { bw7 } = panels as { bw7: Panel };
  assert.is(withPalette(bw7, 'spectra6'), bw7);
});

test.run();
