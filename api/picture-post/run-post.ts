/** Runs the mailbox and the bot for pictures on one node at a time, and answers senders. */
import type { Cluster } from '../../cluster/cluster.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { inBackground } from '../../runtime/in-background.ts';
import { inRounds } from '../../runtime/rounds.ts';
import type { Mail } from '../alerts/mail.ts';
import type { ProgressDeps } from '../explanations/picture-progress.ts';
import type { FollowDeps } from '../outgoing/follow-redirects.ts';
import { type BotState, type RunningBot, runBot } from '../picture-bot/run-bot.ts';
import type { MailboxAddress } from '../picture-mail/mailbox-address.ts';
import { type MailboxState, type RunningMailbox, runMailbox } from '../picture-mail/run-mailbox.ts';
import { botOfToken, botRows } from './bot-rows.ts';
import { mailRows } from './mail-rows.ts';
import type { PostDeps } from './post-deps.ts';
import { keepBotName, keepPostState, type PostWay } from './post-states.ts';
import { receiptSender } from './send-receipts.ts';

/** The ways for pictures that the operator set up. */
export interface PostSetUp {
  readonly mailbox?:
    | {
        readonly at: MailboxAddress;
        /** The address that people write to, in lower case. */
        readonly address: string;
        /** The name of its server in `Authentication-Results`; left out, it is learnt. */
        readonly trusted?: string | undefined;
      }
    | undefined;
  readonly bot?: { readonly token: string; readonly server?: URL | undefined; readonly follow: FollowDeps } | undefined;
  /** By which senders of mail are answered; left out, they are not. */
  readonly mail?: Pick<Mail, 'send'> | undefined;
}

export interface RunPostDeps extends Omit<PostDeps, 'signal'>, CommonDeps {
  readonly setUp: PostSetUp;
  readonly cluster: Pick<Cluster, 'underLease'>;
  readonly frames: ProgressDeps['frames'];
}

/** The worker that takes in pictures which people mail and send. */
export interface PicturePost {
  start(): void;
  /** Looks at the mailbox at once, where this node has it. */
  nudge(): void;
  /** Resolves when nothing is stored any longer. */
  stop(): Promise<void>;
}

const leaseName = 'picture post';
const receiptsMs = 15_000;
/** A bot that another program kept from its messages is tried again: that one may have been the node before. */
const restartMs = 10 * 60_000;

/** Composes it; nothing is asked before `start`. */
export function picturePost(deps: RunPostDeps): PicturePost {
  const { setUp, cluster } = deps;
  let running: RunningPost | undefined;
  let end: (() => Promise<void>) | undefined;
  return {
    start() {
      if (setUp.mailbox === undefined && setUp.bot === undefined) return;
      end = cluster.underLease(leaseName, () => {
        const own = new RunningPost(deps);
        running = own;
        return async () => {
          if (running === own) running = undefined;
          await own.stop();
        };
      });
    },
    nudge: () => running?.nudge(),
    stop: async () => end?.(),
  };
}

/** The mailbox and the bot while this node has them. */
class RunningPost {
  readonly #deps: RunPostDeps;
  readonly #stopping = new AbortController();
  readonly #rows: PostDeps;
  readonly #mailbox: RunningMailbox | undefined;
  readonly #receipts: ReturnType<typeof inRounds>;
  #bot: RunningBot | undefined;
  #written: Promise<void> = Promise.resolve();
  #restart = { cancel(): void {} };

  constructor(deps: RunPostDeps) {
    this.#deps = deps;
    this.#rows = { ...deps, signal: this.#stopping.signal };
    const { clock, logger, setUp } = deps;
    if (setUp.mailbox !== undefined) this.#keep('mail', { state: 'starting' });
    if (setUp.bot !== undefined) this.#keep('telegram', { state: 'starting' });
    this.#mailbox = this.#followMailbox();
    this.#beginBot();
    const send = receiptSender({ ...this.#rows, frames: deps.frames, mail: setUp.mail, bot: () => this.#bot });
    this.#receipts = inRounds(clock, receiptsMs, () =>
      send().catch((error: unknown) => {
        if (!this.#stopping.signal.aborted) logger.error({ error }, 'senders of pictures were not answered');
      }),
    );
    this.#receipts.start();
  }

  nudge(): void {
    this.#mailbox?.nudge();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#restart.cancel();
    await Promise.all([this.#mailbox?.stop(), this.#bot?.stop(), this.#receipts.stop()]);
    await this.#written;
  }

  #followMailbox(): RunningMailbox | undefined {
    const { setUp, clock, random, logger } = this.#deps;
    if (setUp.mailbox === undefined) return undefined;
    const { at, address, trusted } = setUp.mailbox;
    const store = mailRows(this.#rows, at, trusted);
    const hear = (state: MailboxState): void => this.#keep('mail', state);
    return runMailbox({ address: at, store, ownAddresses: [address], clock, random, logger, hear });
  }

  #beginBot(): void {
    const { setUp, clock, logger } = this.#deps;
    if (setUp.bot === undefined || this.#stopping.signal.aborted) return;
    const { token, server, follow } = setUp.bot;
    const store = botRows(this.#rows, botOfToken(token));
    const hear = (state: BotState): void => this.#hearBot(state);
    this.#bot = runBot({ token, follow, store, clock, logger, hear, ...(server && { server }) });
  }

  #hearBot(state: BotState): void {
    const { db, clock, logger } = this.#deps;
    const bot = this.#bot;
    this.#keep('telegram', state);
    if ('reason' in state) logger.info({ reason: state.reason.code }, `the bot for pictures is ${state.state}`);
    if (state.state === 'stopped') this.#restart = clock.after(restartMs, () => this.#beginBot());
    if (state.state === 'connected' && bot !== undefined) {
      inBackground(logger, 'ask for the name of the bot', async () => {
        const name = await bot.readName();
        await this.#written;
        if (name !== undefined) await keepBotName(db, name);
      });
    }
  }

  /** Writes states down in their order. */
  #keep(way: PostWay, state: MailboxState | BotState | { readonly state: 'starting' }): void {
    const { db, clock, logger } = this.#deps;
    const now = clock.now();
    this.#written = this.#written
      .then(() => keepPostState(db, way, { ...state, now }))
      .catch((error: unknown) => logger.error({ error }, 'the state of the picture post was not kept'));
  }
}
