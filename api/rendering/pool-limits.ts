/** How much a browser may use, and for how long it is used. */

/** When a browser is replaced between visits, and when it is ended. */
export interface PoolLimits {
  readonly visitsPerBrowser: number;
  /** MB of the browser without its pages, at most, for it to get another visit. */
  readonly keptMb: number;
  readonly pageMb: number;
  readonly browserMb: number;
  /** How long it may leave a question unanswered while there are visits. */
  readonly answerMs: number;
}

/** Those of a service. */
export const usualLimits: PoolLimits = {
  visitsPerBrowser: 200,
  keptMb: 400,
  pageMb: 512,
  browserMb: 1_536,
  answerMs: 20_000,
};
