/** The wire of frames that poll as TRMNL's do: what is read, what is written, and what their panels are. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packPicture, unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import { displayAnswer, setupAnswer, waitAnswer } from '../../firmware-protocol/trmnl/answers.ts';
import { readCall } from '../../firmware-protocol/trmnl/headers.ts';
import { addressOfSerial, serialOfAddress } from '../../firmware-protocol/trmnl/mac-address.ts';
import { panelOfCall } from '../../firmware-protocol/trmnl/models.ts';
import { nameCharacters, pictureName, readPictureName } from '../../firmware-protocol/trmnl/picture-name.ts';
import { chooseRefreshRate, isOwnRate } from '../../firmware-protocol/trmnl/refresh-rate.ts';
import { rangeOfFirmware } from '../../firmware-protocol/trmnl/versions.ts';

const test = suite('the wire of frames that poll');

test('a sleep that is sent is near the wanted one, within bounds, never one of the frame’s own, and new', () => {
  const draw = fc.record({
    wanted: fc.integer({ min: -10, max: 200_000 }),
    lately: fc.array(fc.integer({ min: 60, max: 86_400 }), { maxLength: 6 }),
    chance: fc.double({ min: 0, max: 0.999_999, noNaN: true }),
  });
  fc.assert(
    fc.property(draw, ({ wanted, lately, chance }) => {
      const told = chooseRefreshRate(wanted, lately, chance);
      const bounded = Math.min(86_400, Math.max(60, wanted));
      assert.ok(Number.isInteger(told) && told >= 60 && told <= 86_400);
      assert.ok(Math.abs(told - bounded) <= Math.max(8, Math.min(60, bounded * 0.02)));
      assert.not(isOwnRate(told));
      assert.not(lately.includes(told));
    }),
  );
});

test('a name fits the frame, says version and digest, and no other text is taken for one', () => {
  const name = pictureName('0123456789abcdef', 1_795_000_000);
  assert.ok(name.length <= nameCharacters);
  assert.equal(readPictureName(name), { digestStart: '012345', version: 1_795_000_000 });
  for (const other of ['', 'pgate-waiting-800x480', `${name}x`, name.toUpperCase()]) {
    assert.is(readPictureName(other), undefined, other);
  }
});

test('an address is one however it is written, and so is its serial', () => {
  for (const text of ['AA:BB:CC:00:11:22', 'aa-bb-cc-00-11-22', 'aabbcc001122', ' trmnl-AABBCC001122 ']) {
    assert.is(serialOfAddress(text), 'trmnl-aabbcc001122', text);
  }
  for (const text of ['', 'AA:BB:CC:00:11', 'AA:BB:CC:00:11:22:33', 'epd7-b0c1d2e3f405']) {
    assert.is(serialOfAddress(text), undefined, text);
  }
  assert.is(addressOfSerial('trmnl-aabbcc001122'), 'AA:BB:CC:00:11:22');
});

test('whatever stands in the headers, a call is read or left, and its numbers are within bounds', () => {
  const id = 'AA:BB:CC:00:11:22';
  const names = [
    'refresh-rate',
    'battery-voltage',
    'percent-charged',
    'rssi',
    'width',
    'wake-time',
    'model',
    'image-cached',
    'sensors',
  ];
  const anything = fc.dictionary(
    fc.constantFrom(...names),
    fc.oneof(fc.string(), fc.integer().map(String), fc.double().map(String)),
  );
  fc.assert(
    fc.property(anything, (headers) => {
      const call = readCall({ id, ...headers });
      assert.ok(call !== undefined);
      assert.ok(call.batteryMv === undefined || (call.batteryMv > 500 && call.batteryMv <= 6000));
      assert.ok(call.batteryPercent === undefined || (call.batteryPercent >= 0 && call.batteryPercent <= 100));
      assert.ok(call.rssi === undefined || (call.rssi < 0 && call.rssi >= -127));
      assert.is(call.sensors, undefined, 'nothing of that is a measurement');
    }),
  );
  // The script for Kindles sends percent as voltage, and names its pixels otherwise.
  const kindle = readCall({ id, 'battery-voltage': '87', 'png-width': '1236', 'png-height': '1648' });
  assert.equal([kindle?.batteryMv, kindle?.batteryPercent, kindle?.width, kindle?.height], [undefined, 87, 1236, 1648]);
});

test('measurements of sensors are read; what is not one, or too much, is left out', () => {
  const read = (sensors: string) => readCall({ id: 'AA:BB:CC:00:11:22', sensors })?.sensors;
  const of = (kind: string, value: string, unit: string): string =>
    `make=Sensirion;model=SCD41;kind=${kind};value=${value};unit=${unit};created_at=1790000000`;
  const both = [of('temperature', '21.53', 'celsius'), of('humidity', '40', '%')].join(',');
  assert.is(read(both), 'temperature 21.53 celsius, humidity 40 %');
  assert.is(read(`${of('co2', 'NaN', 'ppm')},${of('co2', '1e9', 'ppm')},${of('<b>', '1', 'x')},,;=;`), undefined);
  assert.is(read(`${of('co2', '612', '')},kind=lux`), 'co2 612');
  assert.is(read(Array.from({ length: 9 }, (_, at) => `kind=t;value=${at};unit=c`).join(','))?.split(',').length, 8);
  assert.is(read(both.repeat(40)), undefined);
});

test('answers are compact, keep within the frame’s buffers, and never say what wipes a frame', () => {
  const imageUrl = `http://127.0.0.1/${'x'.repeat(900)}`;
  const told = displayAnswer({ imageUrl, filename: 'a', refreshSeconds: 1803.4 });
  assert.match(told, /"refresh_rate":1803,/);
  assert.not.match(told, /[:,] /);
  assert.is(JSON.parse(told).status, 0);
  assert.is(JSON.parse(told).reset_firmware, false);
  assert.throws(() => displayAnswer({ imageUrl: 'x'.repeat(1000), filename: 'a', refreshSeconds: 1 }));
  for (const text of [
    waitAnswer('ä'.repeat(200)),
    setupAnswer({ apiKey: 'k', friendlyId: 'f', imageUrl, message: 'ä'.repeat(200) }),
  ]) {
    const { message } = JSON.parse(text) as { message: string };
    assert.ok(Buffer.byteLength(message) <= 127);
    assert.not.match(message, /\uFFFD/);
  }
});

test('versions are judged by the range they are in; of an invalid one nothing is known', () => {
  assert.is(rangeOfFirmware('1.5.2')?.survivesDownload, false);
  assert.is(rangeOfFirmware('1.6.9')?.survivesDownload, true);
  assert.equal(
    ['1.7.7', '1.7.8', '1.8.1', '1.8.2', '1.9.0'].map((version) => rangeOfFirmware(version)?.keepsErrorScreen),
    [true, false, false, true, true],
  );
  for (const version of [undefined, '', '1.5.1', '0.9.9', 'HomePlate', '1.8']) {
    assert.is(rangeOfFirmware(version), undefined, String(version));
  }
});

test('a model names its panel however it is written, else its size does, and each panel packs what it unpacks', () => {
  const panelOf = (model?: string, firmware?: string, width?: number, height?: number) =>
    panelOfCall({ model, firmware, width, height });
  assert.equal(
    [panelOf('og', '1.8.14'), panelOf('og', '1.5.2'), panelOf('reTerminal E1001', '1.7.2'), panelOf('X', '1.8.0')],
    ['trmnl4', 'trmnl2', 'seeede1001', 'trmnlx'],
  );
  assert.equal([panelOf('brand new', '1.9.0', 960, 540), panelOf('brand new')], ['mono-960x540', undefined]);
  for (const kind of [
    'mono-799x481',
    'gray4-792x528',
    'gray16-1236x1648',
    'bwr-800x480',
    'bwry-400x300',
    'spectra6-400x600',
  ]) {
    const panel = panelOfKind(kind);
    if (panel === undefined) throw new Error(kind);
    const indices = Uint8Array.from({ length: panel.width * panel.height }, (_, at) => (at * 7) % panel.colours.length);
    const orientation = panel.width >= panel.height ? 'landscape' : 'portrait';
    assert.equal(unpackPicture(panel, packPicture(panel, orientation, indices)), indices, kind);
  }
  for (const kind of ['mono-63x480', 'mono-0800x480', 'mono-800x2881', 'gray5-800x480', 'constructor-800x480']) {
    assert.is(panelOfKind(kind), undefined, kind);
  }
});

test.run();
