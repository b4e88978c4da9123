/** Follows the mailbox for pictures: by IDLE and a poll, on one node at a time. */
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { inBackground } from '../../runtime/in-background.ts';
import { readMailHeaders } from './mail-headers.ts';
import type { DecidedMail } from './mail-store.ts';
import { type ListedMail, type MailFolder, mailFolders, type OpenMailbox, openMailbox } from './mailbox.ts';
import type { MailboxAddress } from './mailbox-address.ts';
import { describeMailboxError, isLoginRefused } from './mailbox-trouble.ts';
import { leaveMailOut, type TakeDeps, takeDecided, takeMail } from './take-mail.ts';

/** The state of the connection, for the console. */
export type MailboxState =
  | { readonly state: 'connected' }
  | { readonly state: 'away' | 'denied'; readonly reason: Reason };

export interface MailboxDeps extends TakeDeps, Pick<CommonDeps, 'clock' | 'random' | 'logger'> {
  readonly address: MailboxAddress;
  /** Hears each change. */
  readonly hear: (state: MailboxState) => void;
}

/** A mailbox that is followed. */
export interface RunningMailbox {
  /** Looks at once, as after a member's decision. */
  nudge(): void;
  /** Ends the connection, and resolves when nothing is stored any longer. */
  stop(): Promise<void>;
}

/** Waits, until the time is over, a nudge or the end. */
type Wait = (ms: number) => { readonly over: Promise<void>; end(): void };

const pollMs = 5 * 60_000;
const firstRetryMs = 5_000;
const lastRetryMs = 10 * 60_000;
/** Servers lock a login that is tried again and again. */
const deniedMs = 30 * 60_000;
const atOnce = 50;
const maxTries = 3;
/** The time that one message may take: two minutes, and more for its bytes at 50 kB a second. */
const mailMs = 2 * 60_000;
const bytesPerMs = 50;

/** Begins to follow a mailbox. Whatever happens to the connection, it goes on until it is stopped. */
export function runMailbox(deps: MailboxDeps): RunningMailbox {
  const stopping = new AbortController();
  const wakes = new Set<() => void>();
  const wait: Wait = (ms) => {
    let end = (): void => {};
    const over = new Promise<void>((resolve) => {
      const timer = deps.clock.after(ms, () => end());
      end = () => {
        timer.cancel();
        wakes.delete(end);
        resolve();
      };
      wakes.add(end);
    });
    return { over, end };
  };
  const nudge = (): void => {
    for (const wake of [...wakes]) wake();
  };
  const follower = new MailboxFollower(deps, stopping.signal, wait);
  const running = follower.follow();
  inBackground(deps.logger, 'follow the mailbox', () => running);
  return {
    nudge,
    async stop() {
      stopping.abort();
      nudge();
      await running.catch(() => undefined);
    },
  };
}

class MailboxFollower {
  readonly #deps: MailboxDeps;
  readonly #stopping: AbortSignal;
  readonly #wait: Wait;
  /** The tries of messages at which the connection broke. */
  readonly #tries = new BoundedMap<string, number>(100);
  #failures = 0;

  constructor(deps: MailboxDeps, stopping: AbortSignal, wait: Wait) {
    this.#deps = deps;
    this.#stopping = stopping;
    this.#wait = wait;
  }

  async follow(): Promise<void> {
    const { hear, random, logger } = this.#deps;
    while (!this.#stopping.aborted) {
      let pauseMs = 0;
      try {
        await this.#stayConnected();
      } catch (error) {
        if (this.#stopping.aborted) return;
        const isDenied = isLoginRefused(error);
        const reason = describeMailboxError(error);
        hear({ state: isDenied ? 'denied' : 'away', reason });
        logger.info({ reason: reason.code }, 'the mailbox for pictures is away');
        pauseMs = isDenied ? deniedMs : Math.min(lastRetryMs, firstRetryMs * 2 ** this.#failures++);
      }
      if (!this.#stopping.aborted) await this.#wait(pauseMs * (1 + random.jitter() / 4)).over;
    }
  }

  async #stayConnected(): Promise<void> {
    const mailbox = await openMailbox(this.#deps.address, this.#stopping);
    try {
      this.#deps.hear({ state: 'connected' });
      while (mailbox.isOpen() && !this.#stopping.aborted) {
        await this.#pass(mailbox);
        this.#failures = 0;
        const poll = this.#wait(pollMs);
        if (!this.#stopping.aborted) await mailbox.idle(poll.over);
        poll.end();
      }
      if (!this.#stopping.aborted) throw Object.assign(new Error('closed'), { code: 'EConnectionClosed' });
    } finally {
      mailbox.close();
    }
  }

  /** Takes what is new, and what members decided about. */
  async #pass(mailbox: OpenMailbox): Promise<void> {
    const { store } = this.#deps;
    const { uidValidity } = mailbox;
    const known = await store.readPlace();
    const place = known?.uidValidity === uidValidity ? known : undefined;
    // Numbers of a folder that was made again say nothing; the keys of messages keep them from being taken twice (ML-2).
    const uids = await mailbox.uidsAfter(place?.lastUid ?? 0);
    const oldUntil = place?.oldUntil ?? uids.at(-1) ?? 0;
    if (place === undefined) await store.keepPlace({ uidValidity, lastUid: 0, oldUntil });
    for (let from = 0; from < uids.length; from += atOnce) {
      if (this.#stopping.aborted) return;
      const some = uids.slice(from, from + atOnce);
      await this.#takeSome(mailbox, await mailbox.list(some), oldUntil);
      await store.keepPlace({ uidValidity, lastUid: some.at(-1) ?? 0, oldUntil });
    }
    const decisions = await store.decisions();
    if (decisions.length > 0) await mailbox.within('waiting', () => this.#takeDecisions(mailbox, decisions));
  }

  async #takeSome(mailbox: OpenMailbox, mails: readonly ListedMail[], oldUntil: number): Promise<void> {
    const moves = new Moves(this.#deps, mailbox);
    for (const mail of mails) {
      const isOld = mail.uid <= oldUntil;
      const folder = await this.#bounded(mailbox, mail, () => takeMail(this.#deps, mailbox, { mail, isOld }));
      if (folder !== 'stays') moves.add(folder ?? 'leftOut', mail.uid);
    }
    await moves.carryOut();
  }

  async #takeDecisions(mailbox: OpenMailbox, all: readonly DecidedMail[]): Promise<void> {
    const decisions = new Map(all.map((one) => [one.key, one]));
    const uids = await mailbox.uidsAfter(0);
    for (let from = 0; from < uids.length && decisions.size > 0; from += atOnce) {
      const moves = new Moves(this.#deps, mailbox);
      for (const mail of await mailbox.list(uids.slice(from, from + atOnce))) {
        const taken = await this.#bounded(mailbox, mail, () => takeDecided(this.#deps, mailbox, { mail, decisions }));
        if (taken === undefined) continue;
        decisions.delete(taken.key);
        if (taken.folder !== 'stays') moves.add(taken.folder, mail.uid);
      }
      await moves.carryOut();
    }
    const lost = { sender: undefined, targets: [], pictures: [], leftOut: [], answer: undefined };
    // Somebody moved or deleted it meanwhile.
    const reason = reasonOf('album-source-mail-broken');
    for (const key of decisions.keys()) await this.#deps.store.closeMail({ key, outcome: 'left out', reason, ...lost });
  }

  /**
   * Takes a message within its time. One at which the connection breaks again and again is left out, so that it keeps nobody
   * else waiting; undefined then.
   */
  async #bounded<Result>(
    mailbox: OpenMailbox,
    mail: ListedMail,
    take: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const id = `${mailbox.uidValidity}.${mail.uid}`;
    const tries = this.#tries.get(id) ?? 0;
    if (tries >= maxTries) {
      await leaveMailOut(this.#deps.store, await readMailHeaders(mail.headers), reasonOf('album-source-mail-broken'));
      return undefined;
    }
    const timer = this.#deps.clock.after(mailMs + (mail.bytes ?? 0) / bytesPerMs, () => mailbox.close());
    try {
      return await take();
    } catch (error) {
      // With the connection whole it was the database: the message is not to blame.
      if (!mailbox.isOpen() && !this.#stopping.aborted) this.#tries.set(id, tries + 1);
      throw error;
    } finally {
      timer.cancel();
    }
  }
}

/** Moves that are made together. */
class Moves {
  readonly #deps: Pick<MailboxDeps, 'logger'>;
  readonly #mailbox: OpenMailbox;
  readonly #uids = new Map<MailFolder, number[]>();

  constructor(deps: Pick<MailboxDeps, 'logger'>, mailbox: OpenMailbox) {
    this.#deps = deps;
    this.#mailbox = mailbox;
  }

  add(folder: MailFolder, uid: number): void {
    this.#uids.set(folder, [...(this.#uids.get(folder) ?? []), uid]);
  }

  /** A server that refuses keeps the messages where they are; they are not taken again. */
  async carryOut(): Promise<void> {
    for (const [folder, uids] of this.#uids) {
      const isMoved = await this.#mailbox.move(uids, folder);
      const name = ['Papergate', ...mailFolders[folder]].join('/');
      if (!isMoved)
        this.#deps.logger.info({ folder: name, messages: uids.length }, 'the mailbox did not move messages');
    }
  }
}
