/** The parts that the judges of both dialects share: verdicts, offers, and the pictures that are offered. */
import { createHash } from 'node:crypto';
import type { ClauseId } from '../../firmware-protocol/clauses.ts';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import type { Panel } from '../../firmware-protocol/panels.ts';
import type { SaidStep, Story, StoryStep } from '../../firmware-protocol/stories.ts';
import { nextFileVersion } from '../../firmware-protocol/versions.ts';
import type { Conversation, Outgoing } from '../../gateway/dialects/dialect.ts';
import { downloadPathCharacters } from '../../gateway/pictures/upload-row.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Incident, StoryStage } from './stage.ts';

/** The finding about one clause. */
export interface ConformanceFinding {
  readonly clause: ClauseId;
  readonly kept: boolean;
  /** The observation that broke the clause. */
  readonly detail?: string;
}

/**
 * The verdict on an incident for the expected step. It is a list of findings; `aside` for an incident that may come at any
 * time; `later` for one that belongs to a later step, since downloads and messages overtake each other; or `left out` when
 * the frame has rightly left the step out.
 */
export type ClauseVerdict = readonly ConformanceFinding[] | 'aside' | 'later' | 'left out';

/** The judge of one dialect, which also plays the gateway's part. */
export interface DialectJudge {
  /** The reason why this story cannot begin with the frame's message; undefined when it can. */
  unfit(story: Story, incident: Incident): string | undefined;
  /** True when an incident opens a wake. */
  opens(incident: Incident): boolean;
  /** Called when a story begins: the offers of the story before are over. */
  begin(): void;
  /** Called when the frame left the story: its stored picture is no longer known. */
  lost(): void;
  judge(step: StoryStep, incident: Incident): Promise<ClauseVerdict>;
  /** The clause that is broken when the frame does nothing at this step. */
  owed(step: StoryStep): ClauseId;
  /** The messages that the gateway sends at this step. */
  answer(step: SaidStep, conversation: Conversation): readonly Outgoing[];
  /** Records an incident between two stories, and returns the answer with which the frame goes to sleep. */
  between(incident: Incident): readonly Outgoing[];
}

export interface DialectJudgeDeps extends Pick<CommonDeps, 'clock' | 'random'> {
  readonly stage: StoryStage;
  readonly panel: Panel;
}

/** A picture as it was offered to the frame. */
export interface Offer {
  readonly upload: string;
  readonly fileVersion: number;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The sleep that frames are sent while stories are played: the shortest that the protocol allows. */
export const storySleepSeconds = 60;

/** Creates the function that makes offers, each of a picture that differs from those before. */
export function offers({ stage, panel, clock, random }: DialectJudgeDeps): (reportedVersion: number) => Offer {
  let made = 0;
  let announced = 0;
  return (reportedVersion) => {
    const fileVersion = nextFileVersion(reportedVersion, announced, clock.now());
    if (fileVersion === undefined) throw new Error('the frame reports the last version there is');
    announced = fileVersion;
    const file = stripes(panel, made++);
    const path = `/f/${random.secret(16)}`.slice(0, downloadPathCharacters);
    stage.publish(path, file);
    const sha256 = createHash('sha256').update(file).digest('hex');
    return { upload: random.id(), fileVersion, path, bytes: file.length, sha256 };
  };
}

/** Draws stripes in the panel's inks, moved on by one from picture to picture. */
function stripes(panel: Panel, ordinal: number): Uint8Array {
  const { width, height } = panel;
  const wide = 16 + ordinal;
  const indices = Uint8Array.from(
    { length: width * height },
    (_, at) => Math.floor(at / width / wide + ordinal) % panel.colours.length,
  );
  return packPicture(panel, 'landscape', indices);
}

export function kept(...ids: readonly ClauseId[]): readonly ConformanceFinding[] {
  return ids.map((clause) => ({ clause, kept: true }));
}

export function broken(clause: ClauseId, detail: string): readonly ConformanceFinding[] {
  return [{ clause, kept: false, detail }];
}

/** The finding about one clause that a condition decides. */
export function check(clause: ClauseId, holds: boolean, detail: string): ConformanceFinding {
  return holds ? { clause, kept: true } : { clause, kept: false, detail };
}
