/** Frames that poll, step by step, with the bugs of their firmware: what they send, draw, remember and echo. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type TrmnlVersion, trmnlVersions } from '../../simulator/dialects/trmnl/trmnl-firmware.ts';
import {
  displayCall,
  logCall,
  pictureCall,
  setupCall,
  type TrmnlState,
} from '../../simulator/dialects/trmnl/trmnl-state.ts';
import { frameStory, pollingFrame, urlPrefix } from './frame-story.ts';

const test = suite('frames that poll');
const start = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const end = [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82];
const picture = Uint8Array.from([...start, 1, 2, 3, ...end]);
const torn = picture.subarray(0, 11);
const url = `${urlPrefix}/trmnl/f/one`;
const png = { type: 'image/png' } as const;
const fetching = [`get whole ${url}`];

const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const told = (more: object = {}) => json({ status: 0, image_url: url, filename: 'one-1', refresh_rate: 1803, ...more });

/** A frame whose timer has woken it, and that has asked what to show. */
function asking(version: TrmnlVersion, changes: Partial<TrmnlState> = {}) {
  const story = frameStory(pollingFrame(version, changes));
  assert.equal(story.wakes('timer', 900), ['join']);
  const calls = story.happens({ kind: 'joined', isIn: true }, 2);
  if ((changes.logs ?? []).length === 0) assert.equal(calls, [`get whole ${urlPrefix}/trmnl/api/display`]);
  return story;
}

/** Returns the rate that the next display call echoes. */
function echo(story: ReturnType<typeof frameStory>): number | undefined {
  return story.trmnl().refreshRate;
}

/** Plays a picture to its end on the glass. */
function shown(version: TrmnlVersion) {
  const story = asking(version);
  assert.equal(story.downloads(told()), fetching);
  assert.equal(story.downloads(picture, png), ['timer written 700']);
  assert.equal(story.timerRings('written', 0.7), ['draw']);
  assert.equal(story.draws(), ['sleep 1803 timer']);
  return story;
}

for (const version of trmnlVersions) {
  test(`${version}: a picture is fetched, drawn and remembered, and the sleep that was sent comes back`, () => {
    const story = shown(version);
    assert.is(JSON.stringify(story.state.glass.shows), '"picture"');
    assert.is(story.trmnl().remembered, 'one-1');
    assert.is(echo(story), 1803);
    story.wakes('timer', 1803);
    story.happens({ kind: 'joined', isIn: true });
    const again = story.downloads(told({ refresh_rate: 1797 }));
    // 1.7.8 draws a picture of the same name again from its flash; the others leave the glass alone.
    assert.equal(again, version === '1.7.8' ? ['draw'] : ['sleep 1797 timer']);
  });

  test(`${version}: a button draws the logo and makes it forget what it showed`, () => {
    const story = shown(version);
    assert.equal(story.wakes('button', 60), ['draw']);
    assert.is(story.trmnl().remembered, undefined);
    assert.equal(story.draws(), ['join']);
    assert.equal(story.state.glass, { shows: 'screen', screen: 'logo' });
  });

  test(`${version}: whether a download that failed changes the echo`, () => {
    const story = asking(version);
    story.downloads(told());
    // The error is handed over at once; what follows comes after.
    const [log, ...rest] = story.downloads(new Uint8Array(0), { status: 502 });
    assert.match(log ?? '', '/api/log');
    assert.equal(rest, []);
    const fails = version === '1.5.2' || version === '1.8.15';
    const seconds = fails ? story.trmnl().does.apiLadder[0] : 1803;
    let next = story.downloads(new Uint8Array(0), { status: 204 });
    if (version === '1.8.16') {
      assert.equal(next, ['draw'], 'the service is there, and its picture is not');
      next = story.draws();
    }
    assert.equal(next, [`sleep ${seconds} timer`]);
    assert.is(echo(story), seconds);
    assert.equal(story.trmnl().logs, []);
  });
}

test('1.8.16 keeps the glass through eleven failures of Wi-Fi by its timer, and through none while somebody may look', () => {
  const story = shown('1.8.16');
  const failure = (wake: 'timer' | 'button', slept: number): readonly string[] => {
    let said = story.wakes(wake, slept);
    if (wake === 'button') said = story.draws();
    assert.equal(said, ['join']);
    return story.happens({ kind: 'joined', isIn: false });
  };
  for (let at = 1; at <= 11; at++) {
    assert.equal([failure('timer', 300), echo(story)], [['sleep 300 timer'], 300], `failure ${at}`);
    assert.is(story.state.glass.shows, 'picture');
  }
  assert.equal([failure('timer', 300), story.draws(), echo(story)], [['draw'], ['sleep 900 timer'], 900]);
  assert.equal(story.state.glass, { shows: 'screen', screen: 'Wi-Fi failed' });
  assert.is(story.trmnl().remembered, 'one-1');
  assert.equal([failure('button', 30), story.draws(), echo(story)], [['draw'], ['sleep 300 timer'], 300]);
  assert.is(story.trmnl().remembered, undefined, 'it draws from its flash what it is told next');
});

test('the fourth failure of the service in a row draws an error screen, and what was shown stays remembered', () => {
  const story = shown('1.8.15');
  const ladder = [15, 30, 60, 900];
  for (const [at, seconds] of ladder.entries()) {
    story.wakes('timer', 1803);
    let said = story.happens({ kind: 'joined', isIn: true });
    // The error of the wake before was accepted by nobody: it goes first.
    if (at > 0) assert.match(said.join(), '/api/log');
    if (at > 0) said = story.happens({ kind: 'download failed', why: 'refused' });
    assert.match(said.join(), '/api/display');
    for (let tries = 1; tries <= 5; tries++) {
      said = story.happens({ kind: 'download failed', why: 'refused' });
      if (tries < 5) assert.equal([said, story.timerRings('pause', 2)[0]?.slice(0, 3)], [['timer pause 2000'], 'get']);
    }
    assert.match(said.join(), '/api/log');
    said = story.happens({ kind: 'download failed', why: 'refused' });
    if (at === 3) {
      assert.equal(said, ['draw']);
      said = story.draws();
      assert.equal(story.state.glass, { shows: 'screen', screen: 'service failed' });
    }
    assert.equal(said, [`sleep ${seconds} timer`]);
    assert.is(echo(story), seconds);
  }
  assert.is(story.trmnl().remembered, 'one-1');
  story.wakes('timer', 900);
  story.happens({ kind: 'joined', isIn: true });
  story.happens({
    kind: 'downloaded',
    status: 204,
    body: new Uint8Array(0),
    complete: true,
    lengthKnown: true,
    partsOffered: false,
  });
  assert.equal(story.downloads(told()), ['sleep 1803 timer'], 'the error screen stays on the wall');
});

test('without Wi-Fi it climbs a ladder of its own, and from 1.8 on it then waits for its button', () => {
  for (const [version, last] of [
    ['1.7.8', 'sleep 900 timer'],
    ['1.8.15', 'draw'],
  ] as const) {
    const story = frameStory(pollingFrame(version));
    for (const seconds of [60, 180, 300]) {
      story.wakes('timer', 900);
      assert.equal(story.happens({ kind: 'joined', isIn: false }), ['draw']);
      assert.equal(story.draws(), [`sleep ${seconds} timer`]);
    }
    story.wakes('timer', 300);
    story.happens({ kind: 'joined', isIn: false });
    assert.equal(story.draws(), [last]);
    if (last === 'draw') assert.equal(story.draws(), ['sleep until button button']);
  }
});

test('a frame without a key asks for one, and waits on a screen while nobody has adopted it', () => {
  const story = frameStory(pollingFrame('1.8.15', { key: undefined }));
  story.wakes('timer');
  assert.equal(story.happens({ kind: 'joined', isIn: true }), [`get whole ${urlPrefix}/trmnl/api/setup`]);
  assert.equal(story.downloads(json({ status: 404 })), ['draw']);
  assert.equal(story.draws(), ['sleep 900 timer']);
  assert.equal(story.state.glass, { shows: 'screen', screen: 'not registered' });
  story.wakes('timer', 900);
  story.happens({ kind: 'joined', isIn: true });
  assert.equal(story.downloads(json({ status: 200, api_key: 'new' })), ['draw']);
  assert.equal(story.draws(), [`get whole ${urlPrefix}/trmnl/api/display`]);
  assert.is(story.trmnl().key, 'new');
});

test('a status of 500 in an answer wipes the key of versions before 1.8.15, apart from 1.5.2', () => {
  for (const version of trmnlVersions) {
    const story = asking(version);
    assert.equal(story.downloads(json({ status: 500 })), ['sleep 5 timer']);
    assert.is(story.trmnl().key === undefined, ['1.6.9', '1.7.8', '1.8.14'].includes(version), version);
  }
});

test('a torn file: refused, or taken for whole and drawn as garbage, without an error', () => {
  for (const version of trmnlVersions) {
    const story = asking(version);
    story.downloads(told());
    const said = story.downloads(torn, { ...png, complete: false });
    if (version !== '1.7.8') {
      assert.match(said.join(), '/api/log', version);
      continue;
    }
    assert.equal(said, ['draw']);
    assert.equal(story.draws(), ['sleep 1803 timer']);
    assert.equal([story.state.glass, echo(story)], [{ shows: 'screen', screen: 'garbled' }, 1803]);
    assert.is(story.trmnl().outcomes.at(-1)?.ended, 'swallowed');
  }
});

test('from 1.7.8 on a file that lies in flash under the name is drawn without a download, and the next call says so', () => {
  for (const version of ['1.7.8', '1.8.14', '1.8.15'] as const) {
    const story = shown(version);
    story.wakes('button', 60);
    story.draws();
    story.happens({ kind: 'joined', isIn: true });
    assert.equal(story.downloads(told({ refresh_rate: 1797 })), ['draw'], version);
    assert.equal([story.trmnl().isCached, story.draws()], [true, ['sleep 1797 timer']]);
  }
});

test('errors that were not accepted are kept, the five oldest and the five newest, and handed over first', () => {
  const logs = Array.from({ length: 10 }, (_, at) => `error ${at}`);
  const story = frameStory(pollingFrame('1.8.15', { logs }));
  story.wakes('timer');
  assert.equal(story.happens({ kind: 'joined', isIn: true }), [`get whole ${urlPrefix}/trmnl/api/log`]);
  assert.equal(story.downloads(new Uint8Array(0), { status: 500 }), [`get whole ${urlPrefix}/trmnl/api/display`]);
  story.downloads(told());
  story.downloads(new Uint8Array(0), { status: 404 });
  assert.equal(
    story.trmnl().logs.map((log) => log.slice(0, 7)),
    [...logs.slice(0, 5), ...logs.slice(6), 'GET fai'],
  );
});

/**
 * The headers that each version sends, in the order of its sources; `setup` and `log` are the same from 1.6 on but for the
 * address.
 */
const display18 = [
  'ID',
  'Content-Type',
  'Update-Source',
  'Access-Token',
  'Refresh-Rate',
  'Battery-Voltage',
  'FW-Version',
  'Model',
  'Image-Cached',
  'Wake-Time',
  'RSSI',
  'WiFi-Band',
  'Temperature-Profile',
  'Width',
  'Height',
];
const notIn17 = ['Update-Source', 'Image-Cached', 'Wake-Time', 'WiFi-Band'];
const notIn16 = [...notIn17, 'Temperature-Profile'];
const notIn15 = [...notIn16, 'Content-Type', 'Model'];
const leftOut: Readonly<Record<TrmnlVersion, readonly string[]>> = {
  '1.5.2': notIn15,
  '1.6.9': notIn16,
  '1.7.8': notIn17,
  '1.8.14': [],
  '1.8.15': [],
  '1.8.16': [],
};

for (const version of trmnlVersions) {
  test(`${version} sends the headers of its sources with each of its calls, in their order`, () => {
    const frame = frameStory(pollingFrame(version, { key: 'k1', logs: ['Wi-Fi'] })).trmnl();
    const sent = (effect: ReturnType<typeof displayCall>) =>
      (effect.do === 'download' ? effect.call?.headers : undefined) ?? {};
    const without = leftOut[version];
    assert.equal(
      Object.keys(sent(displayCall(frame))),
      display18.filter((name) => !without.includes(name)),
    );
    assert.equal(
      Object.keys(sent(setupCall(frame))),
      ['ID', 'Content-Type', 'FW-Version', 'Model'].filter((name) => !without.includes(name)),
    );
    assert.equal(Object.keys(sent(logCall(frame))), ['ID', 'Accept', 'Access-Token', 'Content-Type']);
    assert.is(sent(logCall(frame)).Accept, version === '1.5.2' ? 'application/json' : 'application/json, */*');
    const [own, foreign] = [`${urlPrefix}/trmnl/f/1`, 'http://elsewhere.example/f/1'].map((address) =>
      Object.keys(sent(pictureCall(frame, address))),
    );
    const plain = without.includes('Temperature-Profile') ? [] : ['Accept-Encoding'];
    assert.equal(foreign, plain);
    assert.equal(own, plain.length === 0 ? [] : [...plain, 'ID', 'Access-Token']);
  });
}

test.run();
