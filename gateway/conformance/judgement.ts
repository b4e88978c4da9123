/** What the two dialects' judges share: verdicts, offers, and the pictures that are offered. */
import { createHash } from 'node:crypto';
import type { ClauseId } from '../../firmware-protocol/clauses.ts';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import type { Panel } from '../../firmware-protocol/panels.ts';
import type { SaidStep, Story, StoryStep } from '../../firmware-protocol/stories.ts';
import { nextFileVersion } from '../../firmware-protocol/versions.ts';
import type { Conversation, Outgoing } from '../dialects/dialect.ts';
import { downloadPathCharacters } from '../pictures/upload-log.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Random } from '../runtime/random.ts';
import type { Incident, Stage } from './stage.ts';

/** One clause, and whether it was kept. */
export interface Finding {
  readonly clause: ClauseId;
  readonly kept: boolean;
  /** What was seen instead. */
  readonly detail?: string;
}

/**
 * What an incident means to the step that is waited for: findings; nothing, because it may come at any time; that it
 * belongs to a later step, since downloads and messages overtake each other; or that the frame has rightly left this step
 * out.
 */
export type Verdict = readonly Finding[] | 'aside' | 'later' | 'left out';

/** Judges one dialect, and speaks the gateway's part of it. */
export interface Judge {
  /** Why this story cannot begin with what the frame just said; undefined when it can. */
  unfit(story: Story, incident: Incident): string | undefined;
  /** Whether an incident opens a wake. */
  opens(incident: Incident): boolean;
  /** A story begins: what was known of offers is over. */
  begin(): void;
  /** The story did not go on as told: what the frame holds is no longer known. */
  lost(): void;
  judge(step: StoryStep, incident: Incident): Promise<Verdict>;
  /** The clause that silence breaks when this step was waited for. */
  owed(step: StoryStep): ClauseId;
  /** What the gateway says at this step. */
  say(step: SaidStep, conversation: Conversation): readonly Outgoing[];
  /** Between stories: remembers what was said, and answers so that the frame goes to sleep. */
  between(incident: Incident): readonly Outgoing[];
}

/** What judges are handed. */
export interface JudgeEdges {
  readonly stage: Stage;
  readonly panel: Panel;
  readonly clock: Clock;
  readonly random: Random;
}

/** A picture as it was offered to the frame. */
export interface Offer {
  readonly upload: string;
  readonly fileVersion: number;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The sleep frames are told while stories are played: the shortest there is. */
export const toldSleepSeconds = 60;

/** Makes offers, each of a picture that differs from those before. */
export function offers({ stage, panel, clock, random }: JudgeEdges): (reportedVersion: number) => Offer {
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

/** Stripes in the panel's inks, moved on by one from picture to picture. */
function stripes(panel: Panel, ordinal: number): Uint8Array {
  const { width, height } = panel;
  const wide = 16 + ordinal;
  const indices = Uint8Array.from(
    { length: width * height },
    (_, at) => Math.floor(at / width / wide + ordinal) % panel.colours.length,
  );
  return packPicture(panel, 'landscape', indices);
}

export function kept(...ids: readonly ClauseId[]): readonly Finding[] {
  return ids.map((clause) => ({ clause, kept: true }));
}

export function broken(clause: ClauseId, detail: string): readonly Finding[] {
  return [{ clause, kept: false, detail }];
}

/** One clause, judged by a condition. */
export function check(clause: ClauseId, holds: boolean, detail: string): Finding {
  return holds ? { clause, kept: true } : { clause, kept: false, detail };
}
