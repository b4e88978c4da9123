/** The form of planted bugs: each is a small patch of the sources. */

/** A patch: `find` must stand exactly once in the file. */
export interface Edit {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A bug with its patch. */
export interface PlantedBug {
  readonly name: string;
  /** The thought by which somebody could make this mistake. */
  readonly why: string;
  /** The rules that the bug breaks; the simulation may find any of them first. */
  readonly breaks: readonly string[];
  readonly edits: readonly Edit[];
  /** True for a bug that only several nodes have. */
  readonly amongNodes?: true;
  /** True for a bug that only a restored backup shows: every seed has one. */
  readonly restores?: true;
  /** True for a bug that only a service shows that comes back from its archive: every seed has one. */
  readonly archives?: true;
  /** True for a bug that only frames with the offline firmware show: every seed has some. */
  readonly offlineFrames?: true;
  /** True for a bug that only deadlines show: people set some in every seed. */
  readonly deadlines?: true;
}
