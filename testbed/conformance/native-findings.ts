/** The findings about single messages of a native frame, judged by what is known of the frame so far. */
import type { Hello, Report } from '../../firmware-protocol/messages.ts';
import type { Panel } from '../../firmware-protocol/panels.ts';
import type { StoryStep } from '../../firmware-protocol/stories.ts';
import type { Outgoing } from '../../gateway/dialects/dialect.ts';
import { broken, type ClauseVerdict, type ConformanceFinding, check, kept, type Offer } from './judgement.ts';
import { isFetch, type NativeMessage, owed } from './read-native.ts';

/** The state of a native frame as far as the judge knows it. */
export interface KnownFrame {
  glass: Pick<Hello, 'fileVersion' | 'sha256'> | undefined;
  fileVersion: number;
  boot: number | undefined;
  /** The offers of this story, by the upload that its text names. */
  readonly offers: Map<string, Offer>;
  newest: Offer | undefined;
  readonly fetched: Set<Offer>;
  /** Uploads taken since the last hello. Reports about them that an earlier wake sent may rightly be sent again. */
  readonly takenNow: Set<string>;
  /** Downloads whose end is not judged yet: the frame is quicker than the proof that it took everything. */
  readonly unproven: Map<Offer, Promise<'whole' | 'cut off'>>;
  commandId: string;
  /** The reports of earlier wakes, as JSON. */
  readonly reportedBefore: Set<string>;
  /** The reports of the present wake, as JSON. */
  readonly reportedNow: Set<string>;
  lastDesired: readonly Outgoing[];
}

/** A frame of which nothing is known yet. */
export function unknownFrame(): KnownFrame {
  return {
    glass: undefined,
    fileVersion: 0,
    boot: undefined,
    offers: new Map(),
    newest: undefined,
    fetched: new Set(),
    takenNow: new Set(),
    unproven: new Map(),
    commandId: '',
    reportedBefore: new Set(),
    reportedNow: new Set(),
    lastDesired: [],
  };
}

/** Takes over the state that a hello reports, and begins a new wake. */
export function beginWake(known: KnownFrame, hello: Hello): void {
  known.glass = { fileVersion: hello.fileVersion, ...(hello.sha256 && { sha256: hello.sha256 }) };
  known.fileVersion = hello.fileVersion;
  known.boot = hello.boot;
  for (const report of known.reportedNow) known.reportedBefore.add(report);
  for (const ofThisWake of [known.reportedNow, known.takenNow]) ofThisWake.clear();
}

export function judgeHello(known: KnownFrame, panel: Panel, hello: Hello): ClauseVerdict {
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
  beginWake(known, hello);
  return findings;
}

/** Judges by its repetition a report that may come at any time; undefined when `judgeReport` has to judge it. */
export function judgeRepetition(known: KnownFrame, report: Report): ClauseVerdict | undefined {
  const key = JSON.stringify(report);
  if (known.reportedBefore.has(key) && !known.takenNow.has(report.upload))
    return broken('said-once', `${report.stage} of upload ${report.upload} again`);
  if (known.reportedNow.has(key)) return 'aside';
  known.reportedNow.add(key);
  const ours = [...known.offers.values()].some(
    ({ upload, fileVersion }) => upload === report.upload && fileVersion === report.fileVersion,
  );
  if (ours && known.newest !== undefined) return undefined;
  return broken('names-offer', `upload ${report.upload}, version ${report.fileVersion}`);
}

/** Judges a report that a story expects about an offer. */
export async function judgeReport(
  known: KnownFrame,
  expected: Report['stage'],
  offer: Offer,
  report: Report,
): Promise<ClauseVerdict> {
  const { stage, sha256, pictureSynced } = report;
  if (report.upload !== offer.upload && report.upload === known.newest?.upload) {
    known.reportedNow.delete(JSON.stringify(report));
    return 'left out';
  }
  if (report.upload !== offer.upload) return broken('names-offer', `upload ${report.upload} is not the one at hand`);
  if (stage !== 'failed' && !known.fetched.has(offer)) return broken('fetched-before-said', `${stage} was said`);
  const proven = stage === 'fetched' ? [] : await findProof(known, offer);
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

/** Waits for the end of an offer's download, if it is not judged yet, and judges it. */
export async function findProof(known: KnownFrame, offer: Offer): Promise<readonly ConformanceFinding[]> {
  const end = await known.unproven.get(offer);
  known.unproven.delete(offer);
  if (end === undefined) return [];
  return [check('takes-every-byte', end === 'whole', 'the connection was broken off, or reset, before all was taken')];
}

/** Judges a message that came while a GET, or another message, was expected. */
export function judgeUnexpected(step: StoryStep, received: NativeMessage): ClauseVerdict {
  if (received.name === 'report' && isFetch(step) && received.message.stage !== 'failed')
    return broken('fetched-before-said', `${received.message.stage} was said without a download`);
  return broken(owed(step), `${received.name} came instead`);
}
