/** Looks for changes once for all readers, as long as there are any, and sends each what it may see. */

import type { Cluster } from '../../cluster/cluster.ts';
import { maxNodeTextBytes, readWord, type SubjectChannel } from '../../cluster/subject-channel.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { isoTime, type Timer } from '../../runtime/clock.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Principal } from '../access/principal.ts';
import { EventStream } from '../http/event-stream.ts';
import { Listener, type News } from './listener.ts';
import { cursorAt, lookForNews, maxLookBackMs, noteSeen, overlapMs, type Seen } from './look.ts';
import type { Audience } from './read-changes.ts';
import type { OwnedRecord, RecordChange } from './read-records.ts';
import { type Removal, removalWord } from './removal.ts';
import { streamSharer, surplusStream } from './share-streams.ts';

/** The time between two looks, while anybody reads. */
const lookMs = 300;
/** A look between two wide ones goes back by this time. */
const narrowMs = 2_000;
export const maxStreamsPerAccount = 4;
export const maxStreams = 100;
/** Removals that are remembered for readers that resume. */
const maxRemovals = 1_000;
const retryAfterSeconds = 5;
/** The word for a removal that fits into no text. */
const tooLong = 'removed';

interface HubDeps extends Pick<CommonDeps, 'db' | 'clock' | 'logger'> {
  /** Processes notify each other of removals: no row records that there was one. */
  readonly cluster: Pick<Cluster, 'channel'>;
}

/** Somebody who wants to be notified. */
interface Subscription {
  readonly principal: Principal;
  /** Asks again who the caller is; it rejects when they are nobody any longer. */
  readonly askAgain: () => Promise<Principal>;
  /** The id of the last event that the caller had, where it resumes. */
  readonly lastId?: string | undefined;
}

/** The one that looks. It reads nothing until somebody subscribes. */
export class ChangesHub {
  readonly #deps: HubDeps;
  readonly #others: SubjectChannel;
  readonly #startedAt: number;
  readonly #listeners = new Set<Listener>();
  readonly #seen: Seen = new Map();
  readonly #removals: Removal[] = [];
  #removed: OwnedRecord[] = [];
  #lookedAt = 0;
  #wideAt = 0;
  #timer: Timer | undefined;
  #beginning: Promise<void> | undefined;
  #looking: Promise<void> | undefined;
  #stopped = false;

  constructor(deps: HubDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock.now();
    this.#others = deps.cluster.channel('c');
    this.#others.open({
      receive: (_from, text) => this.#receive(text),
      reconnected: () => this.#loseAll(),
    });
  }

  /** Opens a stream of what changes from now on, or from an earlier event on. */
  async subscribe({ principal, askAgain, lastId }: Subscription): Promise<EventStream> {
    this.#requirePlace(principal);
    const now = this.#deps.clock.now();
    const stream = new EventStream();
    const listener = new Listener(stream, principal, askAgain, now);
    this.#listeners.add(listener);
    stream.once('close', () => this.#leave(listener));
    try {
      this.#beginning ??= this.#begin(now);
      await this.#beginning;
      listener.introduce(cursorAt(now));
      if (lastId !== undefined) await this.#resume(listener, lastId);
    } catch (error) {
      stream.destroy();
      throw error;
    }
    if (this.#stopped) stream.end();
    return stream;
  }

  /** A reader that comes after the last one has left is notified only of later changes: nothing is kept up for it. */
  #leave(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0 || this.#timer === undefined || this.#looking !== undefined) return;
    this.#timer.cancel();
    this.#timer = undefined;
    this.#beginning = undefined;
  }

  /**
   * Notes that a record was removed, or that some who saw it no longer see it.
   * @param after those who see it now
   */
  left(recordName: RecordChange['record'], recordId: string, before: Audience, after?: Audience): void {
    const at = this.#deps.clock.now();
    const id = `${recordId}.removed.${at}`;
    const change = { id, at: isoTime(at), record: recordName, recordId, what: 'removed' as const };
    const record = { change, audience: before, except: after };
    this.#note({ at, record });
    const text = JSON.stringify({ at, record });
    this.#others.post(undefined, Buffer.byteLength(text) < maxNodeTextBytes ? text : tooLong);
  }

  #note(removal: Removal): void {
    this.#removals.push(removal);
    if (this.#removals.length > maxRemovals) this.#removals.shift();
    if (this.#listeners.size > 0) this.#removed.push(removal.record);
  }

  /** Receives a removal at another node. */
  #receive(text: string): boolean {
    if (text === tooLong) {
      this.#loseAll();
      return true;
    }
    const removal = readWord(removalWord, text);
    if (removal !== undefined) this.#note(removal);
    return removal !== undefined;
  }

  /** Something may have been missed: every reader reads again. */
  #loseAll(): void {
    for (const listener of this.#listeners) listener.lose(cursorAt(this.#deps.clock.now()));
  }

  /** The number of open streams. */
  open(): number {
    return this.#listeners.size;
  }

  /** Ends every stream at once, and opens none any longer. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#others.close();
    for (const { stream } of this.#listeners) stream.end();
    await this.#looking;
  }

  /**
   * Finds a place for one more stream. When all are taken, one of those who have most makes room for anyone who has
   * fewer, so that one organization's consoles cannot silence another's (T-78).
   */
  #requirePlace(principal: Principal): void {
    const { accountId } = principal;
    if (this.#stopped) throw refuse('unavailable', { message: reasonOf('service-stopping'), retryAfterSeconds });
    if ([...this.#listeners].filter((one) => one.accountId === accountId).length >= maxStreamsPerAccount) {
      throw refuse('rate-limited', {
        message: reasonOf('many-streams-account', { most: maxStreamsPerAccount }),
        hint: 'close one of them, or read GET /changes/ from time to time',
        retryAfterSeconds,
      });
    }
    if (this.#listeners.size < maxStreams) return;
    const surplus = surplusStream(this.#listeners, streamSharer(principal));
    if (surplus === undefined) {
      throw refuse('unavailable', {
        message: reasonOf('many-streams', { most: maxStreams }),
        hint: 'read GET /changes/ from time to time, or try again later',
        retryAfterSeconds,
      });
    }
    this.#listeners.delete(surplus);
    surplus.stream.end();
  }

  /** Notes the present state before the first reader, who is notified only of later changes, and looks from then on. */
  async #begin(now: number): Promise<void> {
    this.#seen.clear();
    this.#removed = [];
    this.#lookedAt = now;
    this.#wideAt = now;
    try {
      await noteSeen(this.#deps.db, this.#seen, now - overlapMs, now);
    } catch (error) {
      this.#beginning = undefined;
      throw error;
    }
    if (!this.#stopped) this.#lookLater();
  }

  #lookLater(): void {
    this.#timer = this.#deps.clock.after(lookMs, () => {
      this.#timer = undefined;
      this.#looking = this.#look().finally(() => {
        this.#looking = undefined;
        if (this.#listeners.size > 0 && !this.#stopped) this.#lookLater();
        else this.#beginning = undefined;
      });
    });
  }

  async #look(): Promise<void> {
    const { clock, logger } = this.#deps;
    const news = await this.#find(clock.now()).catch((error: unknown) => {
      logger.error({ error }, 'changes could not be read; readers are notified later');
      return undefined;
    });
    const now = clock.now();
    for (const listener of this.#listeners) {
      listener.judge(now, cursorAt(this.#lookedAt));
      if (news !== undefined) listener.send(news, now);
      listener.beat(now);
    }
  }

  /** Reads the changes that no reader was notified of yet. */
  async #find(now: number): Promise<News> {
    // Every two seconds the look goes back as far as a change may be committed late; between them less is enough.
    const isWide = now - this.#wideAt >= narrowMs;
    const since = Math.min(now - (isWide ? overlapMs : narrowMs), this.#lookedAt - narrowMs);
    const found = await lookForNews(this.#deps.db, this.#seen, Math.max(since, now - maxLookBackMs), now);
    if (isWide) this.#wideAt = now;
    this.#lookedAt = now;
    const gone = this.#removed;
    this.#removed = [];
    return { ...found, records: [...found.records, ...gone], cursor: cursorAt(now) };
  }

  /** Sends a reader what it missed, or that this is no longer known. */
  async #resume(listener: Listener, lastId: string): Promise<void> {
    const now = this.#deps.clock.now();
    const cursor = cursorAt(now);
    const since = /^[0-9a-f]{8}$/.test(lastId) ? Number.parseInt(lastId, 16) * 1000 : 0;
    // Removals are remembered by this process alone.
    if (since < now - maxLookBackMs - overlapMs || since + overlapMs < this.#startedAt - 1_000) {
      listener.lose(cursor);
      return;
    }
    const missed = await lookForNews(this.#deps.db, new Map(), since, now);
    const gone = this.#removals.filter(({ at }) => at >= since).map(({ record }) => record);
    const isLinked = listener.isOneOf(missed.linked);
    if (isLinked || missed.overflows || missed.isLeft || gone.length === maxRemovals) listener.lose(cursor);
    else listener.send({ ...missed, records: [...missed.records, ...gone], cursor }, now);
  }
}
