/** Judges a classic frame by the rules that frames in the field keep (the W-rules). */
import { type ClassicMessage, decodeClassic, encodeClassicAnswer } from '../../firmware-protocol/classic.ts';
import type { ClauseId } from '../../firmware-protocol/clauses.ts';
import type { SaidStep, Story, StoryStep } from '../../firmware-protocol/stories.ts';
import { classicTopics } from '../../firmware-protocol/topics.ts';
import type { Conversation, Outgoing } from '../dialects/dialect.ts';
import {
  broken,
  check,
  type Judge,
  type JudgeEdges,
  kept,
  type Offer,
  offers,
  toldSleepSeconds,
  type Verdict,
} from './judgement.ts';
import type { Incident } from './stage.ts';

type Wake = Extract<ClassicMessage, { kind: 'wake' }>;

/** An answer as a story tells it. */
interface ToldAnswer {
  readonly act?: 'activated' | 'not_started' | 'reset';
  readonly t?: number;
  readonly url?: string;
}

export function classicJudge(edges: JudgeEdges): Judge {
  const { stage } = edges;
  const newOffer = offers(edges);
  /** Version that the frame should report; undefined when that is not known. */
  let stored: number | undefined;
  let reported = 0;
  let told: number | undefined;
  let activated = false;
  /** The story's own `file` of the last report: what its `t` is compared with. */
  let storyFile = 0;
  let offer: Offer | undefined;
  let storyVersion = 0;
  let lastOutcome: string | undefined;
  let lastAnswer: readonly Outgoing[] = [];

  function reply(conversation: Conversation, answer: Parameters<typeof encodeClassicAnswer>[1]): readonly Outgoing[] {
    const payload = encodeClassicAnswer(conversation.spelling, answer, stage.http);
    lastAnswer = [{ topic: classicTopics.receive(conversation.spelling), payload, qos: 0 }];
    return lastAnswer;
  }

  function judgeWake(wake: Wake): Verdict {
    const { fileVersion, firmware, storedTimeoutSeconds } = wake;
    const readable = fileVersion !== undefined && firmware !== undefined;
    const findings = [
      check('reports-wake', readable, `firmware "${firmware ?? ''}", version ${fileVersion ?? 'unreadable'}`),
      check('file-is-stored', stored === undefined || stored === fileVersion, `${fileVersion} instead of ${stored}`),
      check(
        'keeps-timeout',
        told === undefined || told === storedTimeoutSeconds,
        `${storedTimeoutSeconds} instead of ${told}`,
      ),
    ];
    reported = fileVersion ?? 0;
    stored = fileVersion;
    lastOutcome = undefined;
    return findings;
  }

  function judgeState(state: string): Verdict {
    const wanted =
      lastOutcome === 'whole' ? ['update_ok'] : lastOutcome === 'no answer' ? ['update_failed'] : undefined;
    if (state === 'update_ok' && offer !== undefined) stored = offer.fileVersion;
    const holds = wanted?.includes(state) ?? (state === 'update_ok' || state === 'update_failed');
    return [...kept('state-after-download'), check('state-tells-outcome', holds, state)];
  }

  function judgeSaid(step: StoryStep, said: ClassicMessage): Verdict {
    if (said.kind === 'state') {
      const awaited = 'topic' in step && step.topic.endsWith('/updatestate');
      return awaited ? judgeState(said.state) : broken('state-after-download', `${said.state} came unasked`);
    }
    if (said.kind === 'wake') {
      return wakes(step) === 1 ? judgeWake(said) : 'aside';
    }
    if (said.kind === 'deactivate' && wakes(step) === 0) return kept('well-formed');
    if (said.kind === 'request' && owed(step) === 'asks-for-address') return kept('asks-for-address');
    // Asking for an address that it was told already does no harm.
    return said.kind === 'request' && offer !== undefined ? 'aside' : broken(owed(step), `${said.kind} came instead`);
  }

  async function judgeFetch(step: StoryStep, incident: Extract<Incident, { kind: 'fetches' }>): Promise<Verdict> {
    if (incident.path !== offer?.path) return broken('takes-newer', 'GET of another address');
    // W-07: a classic frame may ask as often as it likes.
    if (!('fetches' in step)) return 'aside';
    const end = await incident.end;
    lastOutcome = step.outcome;
    if (step.outcome !== 'whole') return kept('takes-newer');
    return [
      ...kept('takes-newer'),
      check('takes-every-byte', end === 'whole', 'the connection was broken off, or reset, before all was taken'),
    ];
  }

  function sayActivated(answer: ToldAnswer, conversation: Conversation): readonly Outgoing[] {
    const t = answer.t ?? 0;
    told = toldSleepSeconds;
    activated = true;
    if (t <= storyFile) return reply(conversation, { act: 'activated', timeout: told, t: reported });
    if (offer === undefined || t !== storyVersion) offer = newOffer(reported);
    storyVersion = t;
    const url = answer.url === undefined ? {} : { url: offer.path };
    return reply(conversation, { act: 'activated', timeout: told, t: offer.fileVersion, ...url });
  }

  return {
    unfit(story, incident) {
      const said = read(incident);
      if (typeof said === 'string') return undefined;
      const first = firstReport(story);
      if (first.act === 0)
        return said.kind === 'deactivate' ? undefined : 'needs a frame that was just set up: it begins with act 0';
      const file = said.kind === 'wake' ? (said.fileVersion ?? 0) : 0;
      if (Number(first.file) > 0 && file === 0) return 'needs a frame that holds a picture';
      const needsEmpty = first.file === '0';
      return needsEmpty && (file > 0 || activated)
        ? 'needs a frame that was never activated and holds no picture'
        : undefined;
    },
    opens(incident) {
      const said = read(incident);
      return typeof said !== 'string' && (said.kind === 'wake' || said.kind === 'deactivate');
    },
    begin() {
      offer = undefined;
      storyVersion = 0;
    },
    lost() {
      stored = undefined;
      told = undefined;
    },
    async judge(step, incident) {
      if (incident.kind === 'misbehaved') return broken('own-topics', incident.problem);
      if (incident.kind === 'fetches') return judgeFetch(step, incident);
      const said = read(incident);
      if (typeof said === 'string') return broken('well-formed', said);
      if (wakes(step) !== undefined) storyFile = Number(reportOf(step).file ?? 0);
      const verdict = judgeSaid(step, said);
      if (said.kind === 'wake' && verdict === 'aside') stage.send(lastAnswer);
      return verdict;
    },
    owed,
    say(step, conversation) {
      const answer = JSON.parse(step.text ?? '{}') as ToldAnswer;
      if (answer.act === 'activated') return sayActivated(answer, conversation);
      if (answer.act === 'reset') activated = false;
      if (answer.act !== undefined) return reply(conversation, { act: answer.act });
      return reply(conversation, offer === undefined ? {} : { url: offer.path });
    },
    between(incident) {
      const said = read(incident);
      if (typeof said === 'string' || incident.kind !== 'said') return [];
      if (said.kind === 'deactivate') return reply(incident.conversation, { act: 'reset' });
      if (said.kind !== 'wake') return [];
      const t = said.fileVersion ?? 0;
      // W-19: nothing can be said to a frame without a picture that would not draw a screen.
      return t === 0 ? [] : reply(incident.conversation, { act: 'activated', timeout: toldSleepSeconds, t });
    },
  };
}

function read(incident: Incident): ClassicMessage | string {
  if (incident.kind !== 'said') return 'nothing was said';
  const { use, payload } = incident;
  if (use.dialect !== 'classic' || use.name === 'receive') return 'a topic of the native dialect';
  const decoded = decodeClassic(use.name, payload);
  return decoded.ok ? decoded.value : `${use.name}: ${decoded.problem}`;
}

function reportOf(step: StoryStep): { act?: number; file?: string } {
  return 'topic' in step && step.topic.endsWith('/activateepaper') ? JSON.parse(step.text ?? '{}') : {};
}

/** 1 for a step that is a wake report, 0 for a plea to be deactivated. */
function wakes(step: StoryStep): number | undefined {
  return reportOf(step).act;
}

function firstReport(story: Story): { act?: number; file?: string } {
  const [first] = story.steps;
  return first === undefined ? {} : reportOf(first);
}

function owed(step: StoryStep): ClauseId {
  if ('fetches' in step) return 'takes-newer';
  const last = (step as SaidStep).topic.split('/').at(-1);
  if (last === 'getimageurl') return 'asks-for-address';
  return last === 'updatestate' ? 'state-tells-outcome' : 'reports-wake';
}
