/** The judge of native frames: it judges each step of a story, and the other messages that a frame may send meanwhile. */
import { encode } from '../../firmware-protocol/codec.ts';
import type { Message, Report } from '../../firmware-protocol/messages.ts';
import type { SaidStep, Story, StoryStep } from '../../firmware-protocol/stories.ts';
import { nativeTopic } from '../../firmware-protocol/topics.ts';
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
import {
  beginWake,
  findProof,
  judgeHello,
  judgeRepetition,
  judgeReport,
  judgeUnexpected,
  unknownFrame,
} from './native-findings.ts';
import { isFetch, messageOf, type NativeMessage, owed, read } from './read-native.ts';
import type { Incident } from './stage.ts';

/** Creates the judge of one native frame. */
export function nativeJudge(deps: DialectJudgeDeps): DialectJudge {
  return new NativeJudge(deps);
}

class NativeJudge implements DialectJudge {
  readonly #deps: DialectJudgeDeps;
  readonly #newOffer: (reportedVersion: number) => Offer;
  readonly #known = unknownFrame();
  readonly owed = owed;

  constructor(deps: DialectJudgeDeps) {
    this.#deps = deps;
    this.#newOffer = offers(deps);
  }

  unfit(story: Story, incident: Incident): string | undefined {
    const first = story.steps[0];
    const needsEmpty = first !== undefined && 'topic' in first && first.message?.fileVersion === 0;
    const received = read(incident);
    if (typeof received === 'string' || received.name !== 'hello') return undefined;
    const { fileVersion, sha256 } = received.message;
    const empty = fileVersion === 0 && sha256 === undefined;
    return needsEmpty && !empty ? 'needs a frame without a picture: reset it to its factory state first' : undefined;
  }

  opens(incident: Incident): boolean {
    return incident.kind === 'message' && incident.use.name !== 'log';
  }

  begin(): void {
    const known = this.#known;
    known.offers.clear();
    known.fetched.clear();
    known.unproven.clear();
    known.newest = undefined;
  }

  lost(): void {
    this.#known.glass = undefined;
  }

  async judge(step: StoryStep, incident: Incident): Promise<ClauseVerdict> {
    if (incident.kind === 'violation') return broken('own-topics', incident.problem);
    if (incident.kind === 'fetches') return this.#judgeFetch(step, incident);
    const received = read(incident);
    if (typeof received === 'string') return broken('well-formed', received);
    const verdict = await this.#judgeMessage(step, received);
    // A frame that repeats its hello, even after a lost link, gets the same answer again.
    if (received.name === 'hello' && verdict === 'aside') this.#deps.stage.send(this.#known.lastDesired);
    return verdict;
  }

  answer(step: SaidStep, conversation: Conversation): readonly Outgoing[] {
    const known = this.#known;
    if (messageOf(step) === 'command') {
      known.commandId = this.#deps.random.id();
      const command = { ...(step.message as unknown as Message<'command'>), id: known.commandId };
      return [{ topic: nativeTopic(conversation.clientId, 'command'), payload: encode('command', command), qos: 1 }];
    }
    const picture = step.message?.picture as { upload: string } | undefined;
    if (picture === undefined) return this.#desired(conversation, undefined);
    const offer = known.offers.get(picture.upload) ?? this.#newOffer(known.fileVersion);
    known.offers.set(picture.upload, offer);
    known.newest = offer;
    return this.#desired(conversation, offer);
  }

  between(incident: Incident): readonly Outgoing[] {
    const received = read(incident);
    if (typeof received === 'string' || incident.kind !== 'message') return [];
    if (received.name === 'report') this.#known.reportedNow.add(JSON.stringify(received.message));
    if (received.name !== 'hello') return [];
    beginWake(this.#known, received.message);
    return this.#desired(incident.conversation, undefined);
  }

  #desired(conversation: Conversation, offer: Offer | undefined): readonly Outgoing[] {
    const { stage, panel, clock } = this.#deps;
    const message: Message<'desired'> = {
      time: Math.floor(clock.now() / 1000),
      settings: { sleepSeconds: storySleepSeconds },
    };
    if (offer !== undefined) {
      const { upload, fileVersion, path, bytes, sha256 } = offer;
      message.picture = { upload, fileVersion, url: stage.http + path, bytes, sha256, format: panel.packing };
    }
    const payload = encode('desired', message);
    this.#known.lastDesired = [{ topic: nativeTopic(conversation.clientId, 'desired'), payload, qos: 1 }];
    return this.#known.lastDesired;
  }

  async #judgeFetch(step: StoryStep, incident: Extract<Incident, { kind: 'fetches' }>): Promise<ClauseVerdict> {
    const known = this.#known;
    const offer = known.newest;
    if (!isFetch(step)) {
      const isNewer = messageOf(step) === 'report' && offer?.path === incident.path && !known.fetched.has(offer);
      const older = step.message?.upload !== undefined && known.offers.get(String(step.message.upload)) !== offer;
      return isNewer && older
        ? 'later'
        : broken('one-get', `GET ${incident.path === offer?.path ? 'again' : 'of another address'}`);
    }
    if (offer === undefined || incident.path !== offer.path) return broken('takes-newer', 'GET of another address');
    if (step.outcome !== 'whole') return kept('takes-newer');
    known.fetched.add(offer);
    known.takenNow.add(offer.upload);
    // It takes half a second to see whether a reset follows; a frame that goes on at once does not have to wait for
    // that.
    known.unproven.set(offer, incident.end);
    const isOver = await Promise.race([incident.end.then(() => true), this.#deps.stage.came().then(() => false)]);
    return isOver ? [...kept('takes-newer'), ...(await findProof(known, offer))] : kept('takes-newer');
  }

  async #judgeMessage(step: StoryStep, received: NativeMessage): Promise<ClauseVerdict> {
    const known = this.#known;
    if (received.name === 'log') return 'aside';
    const expected = isFetch(step) ? 'fetch' : messageOf(step);
    if (received.name === 'hello') {
      if (expected === 'hello') return judgeHello(known, this.#deps.panel, received.message);
      return received.message.boot === known.boot ? 'aside' : broken('bye-closes', 'another wake began');
    }
    if (received.name === 'report') {
      const repetition = judgeRepetition(known, received.message);
      if (repetition !== undefined) return repetition;
    }
    if (received.name !== expected || isFetch(step)) return judgeUnexpected(step, received);
    if (received.name === 'report') {
      const offer = known.offers.get(String(step.message?.upload));
      return offer === undefined
        ? judgeUnexpected(step, received)
        : judgeReport(known, step.message?.stage as Report['stage'], offer, received.message);
    }
    if (received.name === 'reply') {
      const { command } = received.message;
      return [check('answers-commands', command === known.commandId, `reply to ${command}`)];
    }
    if (received.name !== 'bye') return judgeUnexpected(step, received);
    const { sleepSeconds } = received.message;
    return [
      check('bye-closes', sleepSeconds === storySleepSeconds, `${sleepSeconds} s, told were ${storySleepSeconds}`),
    ];
  }
}
