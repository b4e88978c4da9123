/** The steps of a drill: what was done, how it went, and how long it took. */
import { Refusal } from '../../reasons/refusals.ts';

/** A step that was carried out. `warn` is for what an operator should know about, without a failure. */
export interface DrillStep {
  readonly title: string;
  readonly result: 'ok' | 'warn' | 'fail';
  /** Sentences, a line each. */
  readonly findings: readonly string[];
  readonly tookMs: number;
}

/** The result of a step that its work returns. */
export interface StepFindings {
  readonly result: DrillStep['result'];
  readonly findings: readonly string[];
}

/** Steps in their order. */
export interface DrillSteps {
  readonly done: readonly DrillStep[];
  /**
   * Carries one out. One that throws has failed.
   * @returns whether it did not fail
   */
  take(title: string, work: () => Promise<StepFindings>): Promise<boolean>;
}

/**
 * Begins an empty list.
 * @param tell is called with each step that is done
 */
export function drillSteps(tell: (step: DrillStep) => void): DrillSteps {
  const done: DrillStep[] = [];
  return {
    done,
    async take(title, work) {
      const began = performance.now();
      const { result, findings } = await work().catch((error: unknown): StepFindings => {
        // The operator's own mistake is not a finding about the backup.
        if (error instanceof Refusal && error.code === 'bad-configuration') throw error;
        return { result: 'fail', findings: [error instanceof Error ? error.message : String(error)] };
      });
      const step = { title, result, findings, tookMs: Math.round(performance.now() - began) };
      done.push(step);
      tell(step);
      return result !== 'fail';
    },
  };
}
