/** The classic dialect: every vector, and what holds for bytes nobody thought of. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ClassicAnswer,
  decodeClassic,
  encodeClassicAnswer,
  encodeClassicWake,
  publishPacketBytes,
} from '../../firmware-protocol/classic.ts';
import { limits, reportRanges } from '../../firmware-protocol/limits.ts';
import { wakeReasons } from '../../firmware-protocol/sleep.ts';
import { classicTopics } from '../../firmware-protocol/topics.ts';
import { isFileVersion } from '../../firmware-protocol/versions.ts';
import { bytesOf, classic } from './read-vectors.ts';

const test = suite('classic dialect');
const topics = ['activate', 'request', 'state'] as const;
const utf8 = new TextEncoder();
const int32 = fc.integer({ min: 0, max: limits.fileVersion });

/** Returns a value without its undefined fields. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

for (const vector of classic.messages) {
  test(`${vector.topic}, ${vector.accepted ? 'accepted' : 'refused'}: ${vector.why} ${vector.text ?? ''}`, () => {
    const decoded = decodeClassic(vector.topic, bytesOf(vector));
    if (decoded.ok) {
      assert.ok(vector.accepted, `accepted ${JSON.stringify(decoded.value)}`);
      assert.equal(plain(decoded.value), vector.decoded);
    } else {
      assert.not.ok(vector.accepted, decoded.problem);
      assert.ok(vector.problem !== undefined && decoded.problem.includes(vector.problem), decoded.problem);
    }
  });
}

for (const { why, frame, urlPrefix, answer, payload, refused } of classic.answers) {
  test(`answer, ${refused ?? 'sent'}: ${why}`, () => {
    if (refused === undefined) {
      assert.is(new TextDecoder().decode(encodeClassicAnswer(frame, answer, urlPrefix)), payload);
    } else {
      assert.throws(() => encodeClassicAnswer(frame, answer, urlPrefix), new RegExp(`^${refused}: `));
    }
  });
}

for (const { why, frame, payloadBytes, packetBytes } of classic.packets) {
  test(`W-05, ${packetBytes} bytes: ${why}`, () => {
    assert.is(publishPacketBytes(classicTopics.receive(frame), payloadBytes), packetBytes);
  });
}

test('every topic of a frame has accepted and refused vectors, every checked rule a refusal', () => {
  for (const topic of topics) {
    const own = classic.messages.filter((vector) => vector.topic === topic);
    assert.ok(own.some(({ accepted }) => accepted) && own.some(({ accepted }) => !accepted), topic);
  }
  const refused = new Set(classic.answers.map((vector) => vector.refused));
  for (const rule of ['W-01', 'W-04', 'W-05', 'W-06']) assert.ok(refused.has(rule), rule);
});

const report = fc.record({
  firmware: fc.stringMatching(/^[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}(-[a-z]{1,9})?$/),
  fileVersion: int32,
  batteryMv: fc.integer({ min: 0, max: 20_000 }),
  wake: fc.constantFrom(...wakeReasons),
  rssi: fc.integer({ min: -150, max: 0 }),
  orientation: fc.integer({ min: -1, max: 3 }),
  storedTimeoutSeconds: fc.nat(604_800),
  predictedSleepSeconds: fc.nat(604_800),
});

test('a wake report decodes to what was encoded', () => {
  fc.assert(
    fc.property(report, (said) => {
      const { predictedSleepSeconds: _, ...heard } = said;
      const decoded = decodeClassic('activate', encodeClassicWake(said));
      assert.equal(decoded, { ok: true, value: { kind: 'wake', ...heard } });
    }),
  );
});

test('a wake report is spelled as the fielded firmware spells it', () => {
  const bytes = encodeClassicWake({
    firmware: '3.0.21',
    fileVersion: 1_760_000_000,
    batteryMv: 4850,
    wake: 'timer',
    rssi: -61,
    orientation: -1,
    storedTimeoutSeconds: 3600,
    predictedSleepSeconds: 3540,
  });
  assert.is(
    new TextDecoder().decode(bytes),
    '{"act": 1,"v": "3.0.21","file": "1760000000","bat": "4850","wake": "3","wifi": "1, -61","usb": "0",' +
      '"orient": "-1","timeout": "3600","timeoutPredict": "3540"}',
  );
});

const answer: fc.Arbitrary<ClassicAnswer> = fc.record(
  {
    act: fc.constantFrom('activated', 'not_started', 'reset'),
    timeout: fc.oneof(fc.integer(), fc.double()),
    t: fc.oneof(int32, fc.integer(), fc.double()),
    url: fc.string({ maxLength: 60, unit: 'binary' }),
    overlay: fc.boolean(),
    lut: fc.string({ maxLength: 500 }),
  },
  { requiredKeys: [] },
);

test('W-01, W-04, W-05, W-06: whatever is asked for, an answer that leaves keeps the rules', () => {
  const prefix = 'http://127.0.0.1:3000';
  let sent = 0;
  const frames = fc.constantFrom('epd7-b0c1d2e3f405', 'epd13-b0c1d2e3f405', 'f'.repeat(64));
  fc.assert(
    fc.property(frames, answer, (frame, wanted) => {
      let payload: Uint8Array;
      try {
        payload = encodeClassicAnswer(frame, wanted, prefix);
      } catch (error) {
        assert.match(String(error), /^Error: W-(01|04|05|06): /);
        return;
      }
      sent++;
      const said = new Map<string, unknown>(Object.entries(JSON.parse(new TextDecoder().decode(payload))));
      if (said.get('act') === 'activated') assert.ok(said.has('t'));
      assert.is(said.get('sleepdisabled'), said.get('act') === 'activated' ? false : undefined, 'W-27');
      for (const key of ['t', 'timeout']) if (said.has(key)) assert.ok(Number.isSafeInteger(said.get(key)));
      if (said.has('url')) assert.ok(utf8.encode(prefix + said.get('url')).length <= limits.classicUrlCharacters);
      assert.not.match(new TextDecoder().decode(payload), /"t(imeout)?":[^,}]*[.e"]/);
      assert.ok(publishPacketBytes(classicTopics.receive(frame), payload.length) <= limits.classicPacketBytes);
    }),
    { numRuns: 2000 },
  );
  assert.ok(sent > 100, `only ${sent} answers were sent at all`);
});

test('W-37: no bytes whatever make decoding throw', () => {
  fc.assert(
    fc.property(fc.constantFrom(...topics), fc.uint8Array({ maxLength: 600 }), (topic, bytes) => {
      assert.is(decodeClassic(topic, bytes).ok, false);
    }),
    { numRuns: 2000 },
  );
});

test('W-37: whatever values the fields have, act 1 is a wake with fields of the right kind', () => {
  const keys = ['v', 'fw', 'file', 'bat', 'wake', 'wifi', 'usb', 'orient', 'timeout', '__proto__'];
  const fields = fc.dictionary(
    fc.constantFrom(...keys),
    fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.integer().map(String)),
  );
  fc.assert(
    fc.property(fields, (said) => {
      const bytes = utf8.encode(JSON.stringify({ ...said, act: 1 }));
      const decoded = decodeClassic('activate', bytes);
      if (bytes.length > limits.classicPacketBytes) return assert.is(decoded.ok, false);
      assert.ok(decoded.ok && decoded.value.kind === 'wake');
      if (!decoded.ok || decoded.value.kind !== 'wake') return;
      const { firmware, fileVersion, batteryMv, wake, rssi, orientation, storedTimeoutSeconds } = decoded.value;
      assert.ok(firmware === undefined || /^[^\0]{1,64}$/s.test(firmware));
      assert.ok(fileVersion === undefined || isFileVersion(fileVersion));
      assert.ok(wakeReasons.includes(wake));
      for (const [number, { lowest, highest }] of [
        [batteryMv, reportRanges.batteryMv],
        [rssi, reportRanges.rssi],
        [orientation, reportRanges.orientation],
        [storedTimeoutSeconds, reportRanges.sleepSeconds],
      ] as const) {
        assert.ok(number === undefined || (Number.isInteger(number) && number >= lowest && number <= highest));
      }
    }),
    { numRuns: 2000 },
  );
});

test.run();
