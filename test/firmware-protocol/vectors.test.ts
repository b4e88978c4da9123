/** The vectors as a whole: readable, without repetition, and stories that agree with the code. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeClassic, encodeClassicAnswer } from '../../firmware-protocol/classic.ts';
import { decode } from '../../firmware-protocol/codec.ts';
import { fileBytes } from '../../firmware-protocol/framebuffer.ts';
import type { Desired, Hello, Report } from '../../firmware-protocol/messages.ts';
import { epd7, epd13, kindOfSerial, panelOfKind } from '../../firmware-protocol/panels.ts';
import type { StoryStep as Step, Story } from '../../firmware-protocol/stories.ts';
import { type TopicUse, topicUse } from '../../firmware-protocol/topics.ts';
import { classic, native, pictures, stories } from './read-vectors.ts';

const test = suite('vectors');
type Said = Extract<Step, { topic: string }>;

test('every why is a sentence, and every vector says either text or hex, decoded or problem', () => {
  const all = [
    ...native,
    ...classic.messages,
    ...classic.answers,
    ...classic.packets,
    ...classic.manifests,
    ...pictures.pictures,
    ...pictures.corners,
    ...pictures.files,
    ...stories.flatMap((story) => [story, ...story.steps]),
  ];
  assert.ok(all.length > 400, `${all.length} vectors`);
  for (const { why } of all) assert.match(why, /^.{3,}\.$/);
  for (const vector of [...native, ...classic.messages]) {
    assert.is((vector.text === undefined) !== (vector.hex === undefined), true, vector.why);
    assert.is(vector.decoded !== undefined, vector.accepted, vector.why);
    assert.is(vector.problem !== undefined, !vector.accepted, vector.why);
  }
  for (const vector of classic.answers) {
    assert.is((vector.payload === undefined) !== (vector.refused === undefined), true, vector.why);
  }
});

test('no vector stands there twice', () => {
  const keys = [
    ...native.map(({ message, text, hex }) => JSON.stringify([message, text, hex])),
    ...classic.messages.map(({ topic, text, hex }) => JSON.stringify([topic, text, hex])),
    ...classic.answers.map(({ frame, urlPrefix, answer }) => JSON.stringify([frame, urlPrefix, answer])),
    ...classic.packets.map(({ frame, payloadBytes }) => JSON.stringify([frame, payloadBytes])),
    ...classic.manifests.map(({ text }) => text),
    ...pictures.files.map(({ panel, parts }) => JSON.stringify([panel, parts])),
    ...stories.map(({ dialect, name }) => JSON.stringify([dialect, name])),
  ];
  assert.equal(
    keys.filter((key, at) => keys.indexOf(key) !== at),
    [],
  );
});

test('PANEL-05: fielded panels have pictures, corners in both orientations, and files that are drawn and refused', () => {
  for (const name of [epd7.name, epd13.name]) {
    const own = (list: readonly { panel: string }[]) => list.filter(({ panel }) => panel === name).length;
    assert.is(own(pictures.pictures), 2, name);
    assert.is(own(pictures.corners), 2, name);
    assert.ok(own(pictures.files.filter(({ accepted }) => accepted)) >= 3, name);
    assert.ok(own(pictures.files.filter(({ accepted }) => !accepted)) >= 7, name);
  }
});

test('serials name their kinds in any spelling, and kinds their panels', () => {
  assert.equal(['epd7-a', 'EPD7-A', 'epd13-a', 'epd-a', 'epd7', 'xepd7-a', 'constructor', ''].map(kindOfSerial), [
    'epd7',
    'epd7',
    'openpaper13',
    'epaper',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  assert.equal(
    ['epd7', 'openpaper13', 'epd13', 'epaper', '__proto__', 'constructor'].map((kind) => panelOfKind(kind)?.name),
    ['epd7', 'openpaper13', 'openpaper13', undefined, undefined, undefined],
  );
});

function payloadOf(step: Said): Uint8Array {
  return new TextEncoder().encode(step.text ?? JSON.stringify(step.message));
}

/** The one use this step makes of its topic. */
function useOf(story: Story, step: Said): TopicUse {
  const [act, wrong] = step.who === 'frame' ? (['publish', 'subscribe'] as const) : (['subscribe', 'publish'] as const);
  const use = topicUse(story.frame, step.topic, act);
  if (use === undefined) throw new Error(`${story.name}: ${step.topic} is not for ${act}`);
  assert.is(topicUse(story.frame, step.topic, wrong), undefined);
  assert.is(use.dialect, story.dialect);
  return use;
}

const said = (step: Step): step is Said => 'topic' in step;

for (const story of stories) {
  test(`${story.dialect}, ${story.name}: every step is allowed and readable`, () => {
    for (const step of story.steps.filter(said)) {
      const use = useOf(story, step);
      if (use.dialect === 'native') {
        assert.equal(decode(use.name, payloadOf(step)), { ok: true, value: step.message }, step.why);
      } else if (use.name === 'receive') {
        const bytes = encodeClassicAnswer(story.frame, JSON.parse(step.text ?? ''), story.urlPrefix ?? '');
        assert.is(new TextDecoder().decode(bytes), step.text, step.why);
      } else {
        assert.is(decodeClassic(use.name, payloadOf(step)).ok, true, step.why);
      }
    }
  });
}

/** Follows a native story as its frame does, and checks each step against what the frame knows. */
function followNative(story: Story): void {
  let glass: Pick<Hello, 'fileVersion' | 'sha256'> | undefined;
  const announced = new Map<string, NonNullable<Desired['picture']>>();
  const fetched = new Set<string>();
  for (const step of story.steps) {
    if (!said(step)) {
      assert.ok(
        [...announced.values()].some(({ url }) => url === step.fetches),
        step.why,
      );
      if (step.outcome === 'whole') fetched.add(step.fetches);
      continue;
    }
    const name = useOf(story, step).name;
    if (name === 'hello') {
      const { fileVersion, sha256 } = step.message as unknown as Hello;
      if (glass !== undefined) assert.equal({ fileVersion, sha256 }, glass, step.why);
      glass = { fileVersion, sha256 };
    }
    if (name === 'desired') {
      const { picture } = step.message as unknown as Desired;
      if (picture === undefined) continue;
      assert.ok(picture.fileVersion > (glass?.fileVersion ?? 0), step.why);
      assert.is(picture.bytes, fileBytes(epd7));
      announced.set(picture.upload, picture);
    }
    if (name === 'report') {
      const report = step.message as unknown as Report;
      const picture = announced.get(report.upload);
      assert.is(report.fileVersion, picture?.fileVersion, step.why);
      assert.is(report.pictureSynced, report.stage === 'shown', step.why);
      assert.is(fetched.has(picture?.url ?? ''), report.stage !== 'failed', step.why);
      if (report.stage === 'shown') glass = { fileVersion: report.fileVersion, sha256: picture?.sha256 };
      assert.is(report.sha256, glass?.sha256, step.why);
    }
  }
}

/** Follows a classic story as its frame does, and checks each step against what the frame knows. */
function followClassic(story: Story): void {
  let file = 0;
  let url: string | undefined;
  let t = 0;
  let probed = false;
  for (const step of story.steps) {
    if (!said(step)) {
      assert.is(step.fetches, `${story.urlPrefix}${url}`, step.why);
      assert.ok(probed || step.outcome === 'probe' || step.outcome === 'no answer', `W-07: ${step.why}`);
      probed = step.outcome === 'probe';
      continue;
    }
    const use = useOf(story, step);
    if (use.dialect === 'classic' && use.name === 'receive') {
      const answer = JSON.parse(step.text ?? '') as { act?: string; t?: number; url?: string; timeout?: number };
      url = answer.url ?? url;
      if (answer.act !== 'activated') continue;
      t = answer.t ?? 0;
      assert.ok(t >= file && answer.timeout !== undefined, `W-01, W-20: ${step.why}`);
      if (answer.url !== undefined) assert.ok(t > file, `W-02: ${step.why}`);
    } else if (use.dialect === 'classic' && use.name !== 'receive') {
      const heard = decodeClassic(use.name, payloadOf(step));
      if (!heard.ok) throw new Error(heard.problem);
      if (heard.value.kind === 'wake') file = heard.value.fileVersion ?? 0;
      if (heard.value.kind === 'request') assert.ok(t > file, step.why);
      if (heard.value.kind === 'state' && heard.value.state === 'update_ok') file = t;
    }
  }
}

for (const story of stories) {
  test(`${story.dialect}, ${story.name}: each step follows from the ones before`, () => {
    assert.is(kindOfSerial(story.frame), 'epd7');
    assert.ok(story.steps.length >= 2);
    if (story.dialect === 'native') followNative(story);
    else followClassic(story);
  });
}

test('the stories tell what firmware authors ask first, in both dialects', () => {
  for (const dialect of ['native', 'classic']) {
    const told = stories.filter((story) => story.dialect === dialect).map(({ name }) => name);
    for (const name of [
      'wake without news',
      'wake with a picture',
      'picture pushed while the frame is awake',
      'failed download',
      'unpaired frame',
    ]) {
      assert.ok(told.includes(name), `${dialect}: ${name}`);
    }
  }
  assert.ok(stories.some(({ name }) => name === 'act 0 exchange'));
});

test.run();
