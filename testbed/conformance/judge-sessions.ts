/** The judge of TLS sessions: a frame need not keep one over its sleep; one that is refused costs it a full handshake alone. */
import type { SaidStep, Story } from '../../firmware-protocol/stories.ts';
import { broken, type ConformanceFinding, kept } from './judgement.ts';
import type { StoryStage } from './stage.ts';

/** Creates the judge for one story, which has no findings where nothing is forgotten in it. */
export function sessionJudge(story: Story, stage: Pick<StoryStage, 'handshake' | 'forgetSessions'>) {
  const isAboutSessions = story.steps.some((step) => 'forgets' in step);
  let isForgotten = false;
  return {
    /** Forgets the frame's session where the gateway's step says so; returns the reason where it has none. */
    said(step: SaidStep): string | undefined {
      if (step.forgets === undefined) return undefined;
      if (stage.handshake() !== 'resumed') return 'the frame kept no session over its sleep, as it may';
      stage.forgetSessions();
      isForgotten = true;
      return undefined;
    },
    /** Adds to the findings about the beginning of a wake; `came` is false where it did not begin. */
    woke(findings: readonly ConformanceFinding[], came: boolean): readonly ConformanceFinding[] {
      if (!isAboutSessions) return findings;
      const wasForgotten = isForgotten;
      isForgotten = false;
      if (!came) {
        const detail = findings.map((finding) => finding.detail ?? '').join(', ');
        return wasForgotten ? broken('shakes-hands-again', detail) : findings;
      }
      if (wasForgotten) return [...findings, ...kept('shakes-hands-again')];
      return stage.handshake() === 'resumed' ? [...findings, ...kept('resumes-session')] : findings;
    },
  };
}
