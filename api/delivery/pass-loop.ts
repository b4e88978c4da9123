/** Runs the passes of the line, one after the other, for as long as something has changed meanwhile. */
import type { Logger } from '../../runtime/logger.ts';

/**
 * A change. `reported` names a frame that reported something, `assignments` has every request checked again, `shared`
 * begins work that another node has found, `ended` begins work that waited for other work to end.
 */
export interface Changed {
  readonly reported?: string;
  readonly shared?: true;
  readonly ended?: true;
  readonly assignments?: true;
}

/** The scope of one pass: all that has changed since the last pass began. */
export interface PassScope {
  /** Frames that reported something. */
  readonly reported: readonly string[];
  readonly assignments: boolean;
  /** True when another node has found work that anybody may do. */
  readonly shared: boolean;
  /** True when a work of this node has ended. */
  readonly ended: boolean;
  /** True when something changed besides the reports of frames and the ends of works. */
  readonly everything: boolean;
}

/** The loop. Nothing runs before `start`; changes until then are looked at after it. */
export interface PassLoop {
  start(): void;
  nudge(changed?: Changed): void;
  isRunning(): boolean;
  /** Resolves after the pass that is under way and those that follow at once; undefined when no pass is. */
  underWay(): Promise<void> | undefined;
  /** Begins no other pass. */
  stop(): void;
}

/** Opens the loop. A pass that fails is logged, and ends nothing: what it left undone is still due. */
export function passLoop(logger: Pick<Logger, 'error'>, runPass: (scope: PassScope) => Promise<void>): PassLoop {
  const reported = new Set<string>();
  let assignments = false;
  let shared = false;
  let ended = false;
  let everything = false;
  let again = false;
  let running = false;
  let pass: Promise<void> | undefined;

  function takeScope(): PassScope {
    const scope = { reported: [...reported], assignments, shared, ended, everything };
    reported.clear();
    assignments = false;
    shared = false;
    ended = false;
    everything = false;
    return scope;
  }

  async function runPasses(): Promise<void> {
    while (again && running) {
      again = false;
      await runPass(takeScope()).catch((error: unknown) =>
        logger.error({ error }, 'a pass of the delivery line failed'),
      );
    }
    pass = undefined;
  }

  return {
    start() {
      running = true;
    },
    nudge(changed = {}) {
      if (changed.reported !== undefined) reported.add(changed.reported);
      if (changed.assignments === true) assignments = true;
      if (changed.shared === true) shared = true;
      else if (changed.ended === true) ended = true;
      else if (changed.reported === undefined || changed.assignments === true) everything = true;
      if (!running) return;
      again = true;
      pass ??= runPasses();
    },
    isRunning: () => running,
    underWay: () => pass,
    stop() {
      running = false;
    },
  };
}
