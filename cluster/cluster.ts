/**
 * The processes that share one database, as each of them sees it. `alone.ts` is all that a reader needs for a process
 * that shares its database with no other; `nodes/` is for several.
 */
import type { Refusal } from '../reasons/refusals.ts';
import type { Database, Transaction } from '../runtime/database/database.ts';
import type { Nodes } from './session-registry.ts';
import type { SubjectChannel } from './subject-channel.ts';

/** Tasks that one process at a time does for all: sweeps, alerts, the clean-up. */
export interface SingleTask {
  /** True while this process is the one that does them. */
  isOurs(): boolean;
  /**
   * Runs a transaction of such a task, which writes nothing when another process has taken over.
   * @throws LeaseLost
   */
  transact<Result>(db: Database, work: (trx: Transaction) => Promise<Result>): Promise<Result>;
  /** Has a function called each time this process takes over. */
  whenOurs(begin: () => void): void;
}

/** Is thrown in a transaction whose lease has gone to another holder. */
export class LeaseLost extends Error {
  constructor({ name, epoch }: { readonly name: string; readonly epoch: number }) {
    super(`the lease "${name}" is no longer held in epoch ${epoch}`);
  }
}

/**
 * Opens the count of one subject, and returns the function by which a process reports that it counted a key once.
 * @param publishFrom the count of a key from which it is published at all
 * @param receive is called with a key, and how many times another process counted it
 */
export type SharedCount = (publishFrom: number, receive: (key: string, times: number) => void) => (key: string) => void;

/** The reason why a node ends without a signal; a refusal states what is wrong with it. */
export type NodeEnd = 'drain' | 'forgotten' | Refusal;

/** The knowledge that a process needs of the others, and they of it. */
export interface Cluster {
  /** Names this process in what it claims; null where no other process could go on with it. */
  readonly id: string | null;
  readonly single: SingleTask;
  /** Does work for as long as this process holds the lease of that name. `begin` returns how it ends, as this function does. */
  readonly underLease: (name: string, begin: () => () => Promise<void>) => () => Promise<void>;
  /** Counts that hold for all processes together, by the name of their subject. */
  readonly counters: (name: string) => SharedCount;
  /** The channel of a subject, which has one character for a name. */
  readonly channel: (subject: string) => SubjectChannel;
  /** Where frames are connected. */
  readonly sessions: Nodes;
  /** The ids of the processes that live and take work. */
  readonly living: () => readonly string[];
  /** True while the silence of another process is its own, see `NodeLife`. */
  readonly isSteady: () => boolean;
  /** Resolves when this process has to end: somebody asked for it, another one has its name, or the tables are too new. */
  readonly asked: Promise<NodeEnd>;
  /** Says where this process is reached. */
  reached(address: string): Promise<void>;
  /** True while this process hears nothing of the others, although their rows move. */
  isDeaf(): boolean;
  /** Says that this process takes no new work; another one does the single tasks from now on. */
  drain(): Promise<void>;
  /** Says that nothing of this process works any longer. */
  leave(): Promise<void>;
}
