/**
 * Work of a run that waits for the disk and the threads of this machine, such as compressing: virtual time stands still until it is done or
 * waits for virtual time itself.
 */
export interface RealWork {
  isUnderWay(): boolean;
  /** Does some work, within which virtual time passes only in `waiting`. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Waits for virtual time in the middle of such work. A wait that never ends belongs to a process that died. */
  waiting<Result>(wait: () => Promise<Result>): Promise<Result>;
}

export function countRealWork(): RealWork {
  let works = 0;
  const counted = <Result>(by: 1 | -1, run: () => Promise<Result>): Promise<Result> => {
    works += by;
    return run().finally(() => {
      works -= by;
    });
  };
  return {
    isUnderWay: () => works > 0,
    during: (work) => counted(1, work),
    waiting: (wait) => counted(-1, wait),
  };
}
