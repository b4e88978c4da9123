/** Judges a native frame: what each step asks of it, and what else it may say meanwhile. */
import { encode } from '../../firmware-protocol/codec.ts';
import type { Hello, Message, Report } from '../../firmware-protocol/messages.ts';
import type { StoryStep } from '../../firmware-protocol/stories.ts';
import { nativeTopic } from '../../firmware-protocol/topics.ts';
import type { Conversation, Outgoing } from '../dialects/dialect.ts';
import {
  broken,
  check,
  type Finding,
  type Judge,
  type JudgeEdges,
  kept,
  type Offer,
  offers,
  toldSleepSeconds,
  type Verdict,
} from './judgement.ts';
import { isFetch, messageOf, owed, read, type Said } from './read-native.ts';
import type { Incident } from './stage.ts';

interface Known {
  glass: Pick<Hello, 'fileVersion' | 'sha256'> | undefined;
  fileVersion: number;
  boot: number | undefined;
  /** Offers of this story by the upload its text names. */
  readonly offers: Map<string, Offer>;
  newest: Offer | undefined;
  readonly fetched: Set<Offer>;
  /** Uploads taken since the last hello: what an earlier wake said of them may come to be said again. */
  readonly takenNow: Set<string>;
  /** Downloads of which the end is not judged yet: the frame is quicker than the proof that it took everything. */
  readonly unproven: Map<Offer, Promise<'whole' | 'cut off'>>;
  commandId: string;
  readonly saidBefore: Set<string>;
  readonly saidNow: Set<string>;
  lastDesired: readonly Outgoing[];
}

export function nativeJudge(edges: JudgeEdges): Judge {
  const { stage, panel, clock, random } = edges;
  const newOffer = offers(edges);
  const known: Known = {
    glass: undefined,
    fileVersion: 0,
    boot: undefined,
    offers: new Map(),
    newest: undefined,
    fetched: new Set(),
    takenNow: new Set(),
    unproven: new Map(),
    commandId: '',
    saidBefore: new Set(),
    saidNow: new Set(),
    lastDesired: [],
  };

  function desired(conversation: Conversation, offer: Offer | undefined): readonly Outgoing[] {
    const message: Message<'desired'> = {
      time: Math.floor(clock.now() / 1000),
      settings: { sleepSeconds: toldSleepSeconds },
    };
    if (offer !== undefined) {
      const { upload, fileVersion, path, bytes, sha256 } = offer;
      message.picture = { upload, fileVersion, url: stage.http + path, bytes, sha256, format: panel.packing };
    }
    const payload = encode('desired', message);
    known.lastDesired = [{ topic: nativeTopic(conversation.spelling, 'desired'), payload, qos: 1 }];
    return known.lastDesired;
  }

  /** Takes in what a hello says, after it was judged. */
  function awake(hello: Hello): void {
    known.glass = { fileVersion: hello.fileVersion, ...(hello.sha256 && { sha256: hello.sha256 }) };
    known.fileVersion = hello.fileVersion;
    known.boot = hello.boot;
    for (const report of known.saidNow) known.saidBefore.add(report);
    for (const ofThisWake of [known.saidNow, known.takenNow]) ofThisWake.clear();
  }

  function judgeHello(hello: Hello): Verdict {
    const { glass, boot } = known;
    const same = glass === undefined || (glass.fileVersion === hello.fileVersion && glass.sha256 === hello.sha256);
    const findings = [
      ...kept('hello-opens'),
      check('names-panel', hello.panel === panel.name, `${hello.panel} instead of ${panel.name}`),
      check('counts-boots', boot === undefined || hello.boot > boot, `${hello.boot} after ${boot}`),
      check(
        'remembers-glass',
        same,
        `version ${hello.fileVersion}, digest ${hello.sha256 ?? 'none'}; last known ${glass?.fileVersion}, ${glass?.sha256 ?? 'none'}`,
      ),
    ];
    awake(hello);
    return findings;
  }

  /** A report at any time: undefined when it is the one that may be weighed further. */
  function judgeRepetition(report: Report): Verdict | undefined {
    const key = JSON.stringify(report);
    if (known.saidBefore.has(key) && !known.takenNow.has(report.upload))
      return broken('said-once', `${report.stage} of upload ${report.upload} again`);
    if (known.saidNow.has(key)) return 'aside';
    known.saidNow.add(key);
    const ours = [...known.offers.values()].some(
      ({ upload, fileVersion }) => upload === report.upload && fileVersion === report.fileVersion,
    );
    if (ours && known.newest !== undefined) return undefined;
    return broken('names-offer', `upload ${report.upload}, version ${report.fileVersion}`);
  }

  async function judgeReport(expected: Report['stage'], offer: Offer, report: Report): Promise<Verdict> {
    const { stage, sha256, pictureSynced } = report;
    if (report.upload !== offer.upload && report.upload === known.newest?.upload) {
      known.saidNow.delete(JSON.stringify(report));
      return 'left out';
    }
    if (report.upload !== offer.upload) return broken('names-offer', `upload ${report.upload} is not the one at hand`);
    if (stage !== 'failed' && !known.fetched.has(offer)) return broken('fetched-before-said', `${stage} was said`);
    const proven = stage === 'fetched' ? [] : await proof(offer);
    if (proven.some((finding) => !finding.kept)) return proven;
    if (stage !== expected) return broken('says-how-far', `${stage} instead of ${expected}`);
    const seen = `digest ${sha256 ?? 'none'}, pictureSynced ${pictureSynced}`;
    if (stage === 'shown') {
      known.glass = { fileVersion: offer.fileVersion, sha256: offer.sha256 };
      const holds = pictureSynced && sha256 === offer.sha256;
      return [...kept('names-offer', 'says-how-far'), ...proven, check('shown-with-digest', holds, seen)];
    }
    const holds = !pictureSynced && sha256 === known.glass?.sha256;
    return [...kept('names-offer', 'says-how-far'), check('glass-as-it-is', holds, seen)];
  }

  async function judgeFetch(step: StoryStep, incident: Extract<Incident, { kind: 'fetches' }>): Promise<Verdict> {
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
    // Whether a reset follows takes half a second to see. A frame that goes on at once is not kept waiting for it.
    known.unproven.set(offer, incident.end);
    const isOver = await Promise.race([incident.end.then(() => true), stage.came().then(() => false)]);
    return isOver ? [...kept('takes-newer'), ...(await proof(offer))] : kept('takes-newer');
  }

  async function proof(offer: Offer): Promise<readonly Finding[]> {
    const end = await known.unproven.get(offer);
    known.unproven.delete(offer);
    if (end === undefined) return [];
    return [
      check('takes-every-byte', end === 'whole', 'the connection was broken off, or reset, before all was taken'),
    ];
  }

  /** What is wrong when something was said while a GET, or something else, was waited for. */
  function instead(step: StoryStep, said: Said): Verdict {
    if (said.name === 'report' && isFetch(step) && said.message.stage !== 'failed')
      return broken('fetched-before-said', `${said.message.stage} was said without a download`);
    return broken(owed(step), `${said.name} came instead`);
  }

  async function judgeSaid(step: StoryStep, said: Said): Promise<Verdict> {
    if (said.name === 'log') return 'aside';
    const expected = isFetch(step) ? 'fetch' : messageOf(step);
    if (said.name === 'hello') {
      if (expected === 'hello') return judgeHello(said.message);
      return said.message.boot === known.boot ? 'aside' : broken('bye-closes', 'another wake began');
    }
    if (said.name === 'report') {
      const repetition = judgeRepetition(said.message);
      if (repetition !== undefined) return repetition;
    }
    if (said.name !== expected || isFetch(step)) return instead(step, said);
    if (said.name === 'report') {
      const offer = known.offers.get(String(step.message?.upload));
      return offer === undefined
        ? instead(step, said)
        : judgeReport(step.message?.stage as Report['stage'], offer, said.message);
    }
    if (said.name === 'reply') {
      return [check('answers-commands', said.message.command === known.commandId, `reply to ${said.message.command}`)];
    }
    if (said.name !== 'bye') return instead(step, said);
    const { sleepSeconds } = said.message;
    return [check('bye-closes', sleepSeconds === toldSleepSeconds, `${sleepSeconds} s, told were ${toldSleepSeconds}`)];
  }

  return {
    unfit(story, incident) {
      const first = story.steps[0];
      const needsEmpty = first !== undefined && 'topic' in first && first.message?.fileVersion === 0;
      const said = read(incident);
      if (typeof said === 'string' || said.name !== 'hello') return undefined;
      const { fileVersion, sha256 } = said.message;
      const empty = fileVersion === 0 && sha256 === undefined;
      return needsEmpty && !empty ? 'needs a frame without a picture: reset it to its factory state first' : undefined;
    },
    opens: (incident) => incident.kind === 'said' && incident.use.name !== 'log',
    begin() {
      known.offers.clear();
      known.fetched.clear();
      known.unproven.clear();
      known.newest = undefined;
    },
    lost() {
      known.glass = undefined;
    },
    async judge(step, incident) {
      if (incident.kind === 'misbehaved') return broken('own-topics', incident.problem);
      if (incident.kind === 'fetches') return judgeFetch(step, incident);
      const said = read(incident);
      if (typeof said === 'string') return broken('well-formed', said);
      const verdict = await judgeSaid(step, said);
      // Asked again, or back after a lost link: the same answer again.
      if (said.name === 'hello' && verdict === 'aside') stage.send(known.lastDesired);
      return verdict;
    },
    owed,
    say(step, conversation) {
      const { spelling } = conversation;
      if (messageOf(step) === 'command') {
        known.commandId = random.id();
        const told = step.message as unknown as Message<'command'>;
        const payload = encode('command', { ...told, id: known.commandId });
        return [{ topic: nativeTopic(spelling, 'command'), payload, qos: 1 }];
      }
      const picture = step.message?.picture as { upload: string } | undefined;
      if (picture === undefined) return desired(conversation, undefined);
      const offer = known.offers.get(picture.upload) ?? newOffer(known.fileVersion);
      known.offers.set(picture.upload, offer);
      known.newest = offer;
      return desired(conversation, offer);
    },
    between(incident) {
      const said = read(incident);
      if (typeof said === 'string' || incident.kind !== 'said') return [];
      if (said.name === 'report') known.saidNow.add(JSON.stringify(said.message));
      if (said.name !== 'hello') return [];
      awake(said.message);
      return desired(incident.conversation, undefined);
    },
  };
}
