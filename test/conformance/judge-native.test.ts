/** The judge of native frames, given the acts of a frame in order. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { epd7 } from '../../firmware-protocol/panels.ts';
import { readStories, type StoryStep } from '../../firmware-protocol/stories.ts';
import type { Conversation } from '../../gateway/dialects/dialect.ts';
import { systemClock } from '../../runtime/clock.ts';
import { systemRandom } from '../../runtime/random.ts';
import { nativeJudge } from '../../testbed/conformance/judge-native.ts';
import type { Incident, StoryStage } from '../../testbed/conformance/stage.ts';

const test = suite('judge of native frames');

test('a download that fails like the one of the wake before is not a replay, also when it is reported before its end is known', async () => {
  const stage = { http: 'http://127.0.0.1', publish: () => {}, send: () => {}, came: async () => {} };
  const judge = nativeJudge({
    stage: stage as unknown as StoryStage,
    panel: epd7,
    clock: systemClock,
    random: systemRandom(systemClock),
  });
  const steps = readStories().find(({ name, dialect }) => name === 'failed download' && dialect === 'native')?.steps;
  const conversation = { clientId: 'epd7-b0c1d2e3f405' } as Conversation;
  const picture = { upload: '', fileVersion: 0, url: '' };
  let endSecond: (end: 'cut off') => void = () => {};
  const second = new Promise<'cut off'>((resolve) => {
    endSecond = resolve;
  });

  const said = (step: StoryStep): Incident => {
    if (!('topic' in step)) {
      const end = step.outcome === 'whole' ? second : Promise.resolve('cut off' as const);
      return { kind: 'fetches', path: new URL(picture.url).pathname, end };
    }
    const name = step.topic.split('/').at(-1);
    const { upload, fileVersion } = picture;
    const failed = { upload, fileVersion, stage: 'failed', reason: 'half came', pictureSynced: false };
    const { sha256 } = step.message ?? {};
    const told =
      name === 'report' ? { ...failed, sha256 } : { ...step.message, ...(name === 'bye' && { sleepSeconds: 60 }) };
    const use = { dialect: 'native', name } as Extract<Incident, { kind: 'message' }>['use'];
    return { kind: 'message', conversation, use, payload: Buffer.from(JSON.stringify(told)) };
  };

  judge.begin();
  for (const step of steps?.slice(0, 8) ?? []) {
    if (step.who === 'gateway') {
      const [desired] = judge.answer(step, conversation);
      Object.assign(picture, JSON.parse(String(Buffer.from(desired?.payload ?? []))).picture);
      continue;
    }
    const verdict = await judge.judge(step, said(step));
    assert.ok(Array.isArray(verdict) && verdict.every(({ kept }) => kept), JSON.stringify([step, verdict]));
  }
  const last = steps?.[8] as StoryStep;
  const verdict = judge.judge(last, said(last));
  endSecond('cut off');
  assert.equal(
    ((await verdict) as { clause: string; kept: boolean }[]).map(({ clause, kept }) => [clause, kept]),
    [['takes-every-byte', false]],
  );
});

test.run();
