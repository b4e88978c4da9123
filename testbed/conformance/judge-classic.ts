/** The judge of classic frames, by the rules that frames in the field keep. */
import { type ClassicMessage, decodeClassic, encodeClassicAnswer } from '../../firmware-protocol/classic.ts';
import type { ClauseId } from '../../firmware-protocol/clauses.ts';
import type { SaidStep, Story, StoryStep } from '../../firmware-protocol/stories.ts';
import { classicTopics } from '../../firmware-protocol/topics.ts';
import type { Conversation, Outgoing } from '../../gateway/dialects/dialect.ts';
import {
  broken,
  type ClauseVerdict,
  check,
  type DialectJudge,
  type DialectJudgeDeps,
  kept,
  type Offer,
  offers,
  storySleepSeconds,
} from './judgement.ts';
import type { Incident } from './stage.ts';

type Wake = Extract<ClassicMessage, { kind: 'wake' }>;

/** An answer of the gateway in a story. */
interface StoryAnswer {
  readonly act?: 'activated' | 'not_started' | 'reset';
  readonly t?: number;
  readonly url?: string;
}

/** Creates the judge of one classic frame. */
export function classicJudge(deps: DialectJudgeDeps): DialectJudge {
  return new ClassicJudge(deps);
}

class ClassicJudge implements DialectJudge {
  readonly #stage: DialectJudgeDeps['stage'];
  readonly #newOffer: (reportedVersion: number) => Offer;
  /** Version that the frame should report; undefined when that is not known. */
  #stored: number | undefined;
  #reported = 0;
  /** The sleep that the frame was sent last. */
  #sentTimeout: number | undefined;
  #activated = false;
  /** The story's own `file` of the last report: the story's `t` is compared with it. */
  #storyFile = 0;
  #offer: Offer | undefined;
  #storyVersion = 0;
  #lastOutcome: string | undefined;
  #lastAnswer: readonly Outgoing[] = [];
  readonly owed = owed;

  constructor(deps: DialectJudgeDeps) {
    this.#stage = deps.stage;
    this.#newOffer = offers(deps);
  }

  unfit(story: Story, incident: Incident): string | undefined {
    const received = read(incident);
    if (typeof received === 'string') return undefined;
    const first = firstReport(story);
    if (first.act === 0)
      return received.kind === 'deactivate' ? undefined : 'needs a frame that was just set up: it begins with act 0';
    const file = received.kind === 'wake' ? (received.fileVersion ?? 0) : 0;
    if (Number(first.file) > 0 && file === 0) return 'needs a frame that holds a picture';
    const needsEmpty = first.file === '0';
    return needsEmpty && (file > 0 || this.#activated)
      ? 'needs a frame that was never activated and holds no picture'
      : undefined;
  }

  opens(incident: Incident): boolean {
    const received = read(incident);
    return typeof received !== 'string' && (received.kind === 'wake' || received.kind === 'deactivate');
  }

  begin(): void {
    this.#offer = undefined;
    this.#storyVersion = 0;
  }

  lost(): void {
    this.#stored = undefined;
    this.#sentTimeout = undefined;
  }

  async judge(step: StoryStep, incident: Incident): Promise<ClauseVerdict> {
    if (incident.kind === 'violation') return broken('own-topics', incident.problem);
    if (incident.kind === 'fetches') return this.#judgeFetch(step, incident);
    const received = read(incident);
    if (typeof received === 'string') return broken('well-formed', received);
    if (wakes(step) !== undefined) this.#storyFile = Number(reportOf(step).file ?? 0);
    const verdict = this.#judgeMessage(step, received);
    if (received.kind === 'wake' && verdict === 'aside') this.#stage.send(this.#lastAnswer);
    return verdict;
  }

  answer(step: SaidStep, conversation: Conversation): readonly Outgoing[] {
    const answer = JSON.parse(step.text ?? '{}') as StoryAnswer;
    if (answer.act === 'activated') return this.#answerActivated(answer, conversation);
    if (answer.act === 'reset') this.#activated = false;
    if (answer.act !== undefined) return this.#reply(conversation, { act: answer.act });
    return this.#reply(conversation, this.#offer === undefined ? {} : { url: this.#offer.path });
  }

  between(incident: Incident): readonly Outgoing[] {
    const received = read(incident);
    if (typeof received === 'string' || incident.kind !== 'message') return [];
    if (received.kind === 'deactivate') return this.#reply(incident.conversation, { act: 'reset' });
    if (received.kind !== 'wake') return [];
    const t = received.fileVersion ?? 0;
    // W-19: a frame without a picture gets no answer, because each would make it draw a screen.
    return t === 0 ? [] : this.#reply(incident.conversation, { act: 'activated', timeout: storySleepSeconds, t });
  }

  #reply(conversation: Conversation, answer: Parameters<typeof encodeClassicAnswer>[1]): readonly Outgoing[] {
    const payload = encodeClassicAnswer(conversation.clientId, answer, this.#stage.http);
    this.#lastAnswer = [{ topic: classicTopics.receive(conversation.clientId), payload, qos: 0 }];
    return this.#lastAnswer;
  }

  #judgeWake(wake: Wake): ClauseVerdict {
    const { fileVersion, firmware, storedTimeoutSeconds } = wake;
    const [stored, sent] = [this.#stored, this.#sentTimeout];
    const readable = fileVersion !== undefined && firmware !== undefined;
    const findings = [
      check('reports-wake', readable, `firmware "${firmware ?? ''}", version ${fileVersion ?? 'unreadable'}`),
      check('file-is-stored', stored === undefined || stored === fileVersion, `${fileVersion} instead of ${stored}`),
      check(
        'keeps-timeout',
        sent === undefined || sent === storedTimeoutSeconds,
        `${storedTimeoutSeconds} instead of ${sent}`,
      ),
    ];
    this.#reported = fileVersion ?? 0;
    this.#stored = fileVersion;
    this.#lastOutcome = undefined;
    return findings;
  }

  #judgeState(state: string): ClauseVerdict {
    const last = this.#lastOutcome;
    const wanted = last === 'whole' ? ['update_ok'] : last === 'no answer' ? ['update_failed'] : undefined;
    if (state === 'update_ok' && this.#offer !== undefined) this.#stored = this.#offer.fileVersion;
    const holds = wanted?.includes(state) ?? (state === 'update_ok' || state === 'update_failed');
    return [...kept('state-after-download'), check('state-tells-outcome', holds, state)];
  }

  #judgeMessage(step: StoryStep, received: ClassicMessage): ClauseVerdict {
    if (received.kind === 'state') {
      const awaited = 'topic' in step && step.topic.endsWith('/updatestate');
      return awaited
        ? this.#judgeState(received.state)
        : broken('state-after-download', `${received.state} came unasked`);
    }
    if (received.kind === 'wake') {
      return wakes(step) === 1 ? this.#judgeWake(received) : 'aside';
    }
    if (received.kind === 'deactivate' && wakes(step) === 0) return kept('well-formed');
    if (received.kind === 'request' && owed(step) === 'asks-for-address') return kept('asks-for-address');
    // A request for an address that was sent already does no harm.
    return received.kind === 'request' && this.#offer !== undefined
      ? 'aside'
      : broken(owed(step), `${received.kind} came instead`);
  }

  async #judgeFetch(step: StoryStep, incident: Extract<Incident, { kind: 'fetches' }>): Promise<ClauseVerdict> {
    if (incident.path !== this.#offer?.path) return broken('takes-newer', 'GET of another address');
    // W-07: a classic frame may ask as often as it likes.
    if (!('fetches' in step)) return 'aside';
    const end = await incident.end;
    this.#lastOutcome = step.outcome;
    if (step.outcome !== 'whole') return kept('takes-newer');
    return [
      ...kept('takes-newer'),
      check('takes-every-byte', end === 'whole', 'the connection was broken off, or reset, before all was taken'),
    ];
  }

  #answerActivated(answer: StoryAnswer, conversation: Conversation): readonly Outgoing[] {
    const t = answer.t ?? 0;
    const timeout = storySleepSeconds;
    this.#sentTimeout = timeout;
    this.#activated = true;
    if (t <= this.#storyFile) return this.#reply(conversation, { act: 'activated', timeout, t: this.#reported });
    const offer = this.#offer !== undefined && t === this.#storyVersion ? this.#offer : this.#newOffer(this.#reported);
    this.#offer = offer;
    this.#storyVersion = t;
    const url = answer.url === undefined ? {} : { url: offer.path };
    return this.#reply(conversation, { act: 'activated', timeout, t: offer.fileVersion, ...url });
  }
}

function read(incident: Incident): ClassicMessage | string {
  if (incident.kind !== 'message') return 'nothing was said';
  const { use, payload } = incident;
  if (use.dialect !== 'classic' || use.name === 'receive') return 'a topic of the native dialect';
  const decoded = decodeClassic(use.name, payload);
  return decoded.ok ? decoded.value : `${use.name}: ${decoded.problem}`;
}

function reportOf(step: StoryStep): { act?: number; file?: string } {
  return 'topic' in step && step.topic.endsWith('/activateepaper') ? JSON.parse(step.text ?? '{}') : {};
}

/** The `act` of a step: 1 for a wake report, 0 for a request to be deactivated. */
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
