/** The limits of a browser's resources and of its use. */

/** The limits at which a browser is replaced between visits, or ended. */
export interface PoolLimits {
  readonly visitsPerBrowser: number;
  /** The MB of the browser without its pages up to which it gets another visit. */
  readonly keptMb: number;
  readonly pageMb: number;
  readonly browserMb: number;
  /** The time for which it may leave a question unanswered while there are visits. */
  readonly answerMs: number;
  /** The time without visits after which it ends; `Infinity` for one that stays. */
  readonly idleMs: number;
}

/** The limits of a service. */
export const defaultLimits: PoolLimits = {
  visitsPerBrowser: 200,
  keptMb: 400,
  pageMb: 512,
  browserMb: 1_536,
  answerMs: 20_000,
  idleMs: 600_000,
};
