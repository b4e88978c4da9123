/** Who may use which topic: equality with the frame's own, and nothing else (T-41, FACT-04). */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { frameIdPattern } from '../../firmware-protocol/limits.ts';
import { topicUse } from '../../firmware-protocol/topics.ts';

const test = suite('topics');
const me = 'epd7-b0c1d2e3f405';
const other = 'epd7-b0c1d2e3f406';
const acts = ['publish', 'subscribe'] as const;

/** Everything a frame may do, written out. */
function rights(frame: string): readonly (readonly [act: 'publish' | 'subscribe', topic: string, use: string])[] {
  return [
    ['publish', `frames/1/${frame}/hello`, 'native hello'],
    ['subscribe', `frames/1/${frame}/desired`, 'native desired'],
    ['publish', `frames/1/${frame}/report`, 'native report'],
    ['subscribe', `frames/1/${frame}/command`, 'native command'],
    ['publish', `frames/1/${frame}/reply`, 'native reply'],
    ['publish', `frames/1/${frame}/log`, 'native log'],
    ['publish', `frames/1/${frame}/bye`, 'native bye'],
    ['subscribe', `$aws/things/${frame}/epaper/receive`, 'classic receive'],
    ['publish', `$aws/things/${frame}/activateepaper`, 'classic activate'],
    ['publish', `$aws/things/${frame}/epaper/getimageurl`, 'classic request'],
    ['publish', `$aws/things/${frame}/epaper/updatestate`, 'classic state'],
  ];
}

/** Topics that no frame at all may publish or subscribe to. */
const foreign: readonly string[] = [
  ...rights(other).map(([, topic]) => topic),
  '',
  '/',
  '#',
  '+',
  '+/+/+/+',
  '/#',
  'frames',
  'frames/#',
  'frames/+/+/desired',
  'frames/1/#',
  'frames/1/+/desired',
  'frames/1/+/hello',
  `frames/1/${me}`,
  `frames/1/${me}/`,
  `frames/1/${me}/#`,
  `frames/1/${me}/+`,
  `frames/1/${me}/desired/#`,
  `frames/1/${me}/desired/`,
  `frames/1/${me}/desired/more`,
  `frames/1/${me}//desired`,
  `/frames/1/${me}/desired`,
  `frames/1/${me}/../${other}/desired`,
  `frames/2/${me}/hello`,
  `frames/1/${me}/status`,
  `frames/1/${me}/constructor`,
  `frames/1/${me}/__proto__`,
  `frames/1/${me}x/hello`,
  `frames/1/x${me}/hello`,
  `frames/1/${me.slice(0, -1)}/hello`,
  `frames/1/${me.toUpperCase()}/hello`,
  `Frames/1/${me}/hello`,
  `frames/1/${me}/Hello`,
  `frames/1/${me}/hello\0`,
  `frames/1/${me}\0/hello`,
  `frames/1/${me}/hello `,
  ` frames/1/${me}/hello`,
  `frames/1/${me}/hello\n`,
  `frames/1/${me}%2Fhello`,
  '$SYS/#',
  '$SYS/broker/clients/total',
  '$share/group/frames/1/+/hello',
  `$share/group/frames/1/${me}/desired`,
  `$queue/frames/1/${me}/desired`,
  '$aws/#',
  '$aws/things/+/epaper/receive',
  `$aws/things/${me}`,
  `$aws/things/${me}/#`,
  `$aws/things/${me}/epaper/+`,
  `$aws/things/${me}/epaper/receive/more`,
  `$aws/things/${me}/epaper/activateepaper`,
  `$aws/things/${me}/getimageurl`,
  `$aws/things/${me.toUpperCase()}/epaper/receive`,
  `$AWS/things/${me}/epaper/receive`,
  `aws/things/${me}/epaper/receive`,
  `${'a/'.repeat(1000)}${me}/hello`,
];

test('a frame may use its own eleven topics, each in one direction', () => {
  for (const [act, topic, use] of rights(me)) {
    const found = topicUse(me, topic, act);
    assert.is(found && `${found.dialect} ${found.name}`, use);
    assert.is(topicUse(me, topic, act === 'publish' ? 'subscribe' : 'publish'), undefined, topic);
  }
});

test('T-41: no foreign topic may be published or subscribed to', () => {
  assert.ok(new Set(foreign).size >= 40);
  for (const topic of foreign) {
    for (const act of acts) assert.is(topicUse(me, topic, act), undefined, `${act} ${JSON.stringify(topic)}`);
  }
});

const noIdentities = [
  '',
  '+',
  '#',
  '+/+',
  'A/#',
  'A/+',
  '../B',
  '$SYS',
  `${me}/`,
  `/${me}`,
  `${me}\0`,
  `${me}\n`,
  ` ${me}`,
  'ä',
  'epd7.b0c1',
  'f'.repeat(65),
];
for (const id of noIdentities) {
  test(`T-41: an invalid identity may do nothing, not even under its own name: ${JSON.stringify(id).slice(0, 40)}`, () => {
    for (const topic of [...foreign, ...rights(id).map(([, own]) => own), ...rights(me).map(([, own]) => own)]) {
      for (const act of acts) assert.is(topicUse(id, topic, act), undefined, `${act} ${JSON.stringify(topic)}`);
    }
  });
}

for (const id of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'hello', '1', '-', 'f'.repeat(64)]) {
  test(`an odd identity has its own topics and no others: ${id.slice(0, 20)}`, () => {
    for (const [act, topic, use] of rights(id)) {
      const found = topicUse(id, topic, act);
      assert.is(found && `${found.dialect} ${found.name}`, use);
    }
    for (const topic of [...foreign, ...rights(me).map(([, own]) => own)]) {
      for (const act of acts) assert.is(topicUse(id, topic, act), undefined, topic);
    }
  });
}

const identity = fc.stringMatching(frameIdPattern);

test('T-41: no frame ever has a right under another name', () => {
  fc.assert(
    fc.property(identity, identity, (one, two) => {
      fc.pre(one !== two);
      for (const [act, topic] of rights(two)) assert.is(topicUse(one, topic, act), undefined);
    }),
  );
});

test('T-41: whatever id asks for whatever topic, a right is one of the eleven and holds no wildcard', () => {
  const anyId = fc.oneof(identity, fc.string({ maxLength: 20 }), fc.constantFrom(...noIdentities));
  const piece = fc.constantFrom(
    'frames',
    '1',
    '$aws',
    'things',
    'epaper',
    'hello',
    'desired',
    'receive',
    '+',
    '#',
    me,
    '',
  );
  fc.assert(
    fc.property(
      anyId,
      fc.array(piece, { maxLength: 6 }),
      fc.constantFrom(...acts),
      fc.nat(10),
      (id, pieces, act, at) => {
        const own = rights(id)[at]?.[1] ?? '';
        for (const topic of [pieces.join('/'), own, own.replace(id, () => '+')]) {
          if (topicUse(id, topic, act) === undefined) continue;
          assert.ok(rights(id).some(([may, exactly]) => may === act && exactly === topic));
          assert.not.match(topic, /[+#\0]/);
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test.run();
