/** How the kit judges TLS sessions: frames that keep none, that are resumed, and that stay away when they are refused. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readStories, type SaidStep, type Story } from '../../firmware-protocol/stories.ts';
import { clauseResults } from '../../testbed/conformance/clause-results.ts';
import { sessionJudge } from '../../testbed/conformance/judge-sessions.ts';
import { kept } from '../../testbed/conformance/judgement.ts';

const test = suite('judged sessions');
const story = readStories().find(({ steps }) => steps.some((step) => 'forgets' in step)) as Story;
const forgetting = story.steps.find((step) => 'forgets' in step) as SaidStep;
const found = kept('hello-opens');

function judged(handshake: 'full' | 'resumed') {
  const forgotten: string[] = [];
  const stage = { handshake: () => handshake, forgetSessions: () => void forgotten.push('sessions') };
  return { forgotten, judge: sessionJudge(story, stage), other: sessionJudge({ ...story, steps: [] }, stage) };
}

test('a resumed session is kept; when it is forgotten the frame has to come all the same', () => {
  const { judge, other, forgotten } = judged('resumed');
  assert.equal(judge.woke(found, true), [...found, ...kept('resumes-session')]);
  assert.is(judge.said(forgetting), undefined);
  assert.equal(forgotten, ['sessions']);
  assert.equal(judge.woke(found, true), [...found, ...kept('shakes-hands-again')]);
  assert.is(judge.said(forgetting), undefined);
  const silence = [{ clause: 'hello-opens', kept: false, detail: 'nothing came within 60 s' }] as const;
  assert.equal(judge.woke(silence, false), [
    { clause: 'shakes-hands-again', kept: false, detail: 'nothing came within 60 s' },
  ]);
  assert.equal(judge.woke(silence, false), silence, 'a frame that stays away later breaks another clause');
  assert.equal(other.woke(found, true), found, 'other stories are about other things');
});

test('a frame that keeps no session is not judged, and the summary says why', () => {
  const { judge, forgotten } = judged('full');
  const detail = judge.said(forgetting);
  assert.equal([judge.woke(found, true), forgotten], [found, []]);
  const step = 1 + story.steps.indexOf(forgetting);
  const said = {
    story: story.name,
    step,
    why: forgetting.why,
    outcome: 'said',
    clauses: [],
    ...(detail && { detail }),
  } as const;
  const tried = clauseResults('native', [story], [said]).find(({ clause }) => clause === 'resumes-session');
  assert.equal(
    [tried?.outcome, tried?.why],
    ['not tried', `${story.name}: the frame kept no session over its sleep, as it may`],
  );
});

test.run();
