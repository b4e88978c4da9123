/** The sessions of the frames that are connected to this broker. */
import type { Client } from 'aedes';
import type PQueue from 'p-queue';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Conversation } from '../dialects/dialect.ts';
import type { FrameMeter } from '../frames/frame-measures.ts';
import { serialKey } from '../frames/registry.ts';
import { type AcceptedLogin, inTurn, newSession, type Session } from './session.ts';

export interface SessionDeps extends Pick<CommonDeps, 'clock' | 'logger'> {
  readonly meter?: FrameMeter | undefined;
  /** Called when a session has begun. An older session of the same identity is ended. */
  readonly connected: (conversation: Conversation) => void;
  /** Called when a session is over, unless another one took over. */
  readonly left: (conversation: Conversation) => void;
  /** Called after `left`, once the last message of the session is recorded. */
  readonly disconnected: (conversation: Conversation) => void | Promise<void>;
}

/** The time between two looks at frames that finish, and the frames that are ended in each such time afterwards. */
const drainStepMs = 100;
const endedAStep = 10;

/** The live sessions of one broker. */
export class LiveSessions {
  readonly #deps: SessionDeps;
  readonly #recording: PQueue;
  readonly #byClient = new Map<Client, Session>();
  readonly #bySerial = new Map<string, Session>();
  #entered = 0;

  constructor(deps: SessionDeps, recording: PQueue) {
    this.#deps = deps;
    this.#recording = recording;
  }

  /** The number of frames that are connected. */
  get connected(): number {
    return this.#bySerial.size;
  }

  of(client: Client): Session | undefined {
    return this.#byClient.get(client);
  }

  ofFrame(serial: string): Session | undefined {
    return this.#bySerial.get(serialKey(serial));
  }

  /** Begins the session of a client whose login was accepted. */
  enter(client: Client, login: AcceptedLogin): void {
    const { clock, meter, connected } = this.#deps;
    const { serial } = login;
    const session = newSession(client, { ...login, ordinal: ++this.#entered, now: clock.now() });
    const before = this.#bySerial.get(serial);
    this.#byClient.set(client, session);
    this.#bySerial.set(serial, session);
    // W-26: a frame may come back, under another client id too, before its old connection was seen to die.
    before?.client.close();
    meter?.count('papergate_frame_connects_total', {});
    connected(session.conversation);
  }

  /** Ends the session of a client whose connection is closed. */
  leave(client: Client): void {
    const session = this.#byClient.get(client);
    if (session === undefined) return;
    this.#byClient.delete(client);
    const { serial } = session.conversation;
    // W-26: the late end of an old connection must not touch the new one.
    if (this.#bySerial.get(serial) !== session) return;
    this.#bySerial.delete(serial);
    this.#deps.left(session.conversation);
    inTurn(this.#deps.logger, session, () =>
      this.#recording.add(async () => this.#deps.disconnected(session.conversation)),
    );
  }

  /** Ends this session of a frame that continues at another node; a later session is left alone. */
  end(serial: string, ordinal: number): void {
    const session = this.#bySerial.get(serial);
    if (session?.conversation.session !== ordinal) return;
    this.#bySerial.delete(serial);
    // Messages of this session may still be waiting: they are older than what the frame sends elsewhere.
    session.conversation.isOver = true;
    session.client.close();
  }

  /**
   * Resolves when no frame is connected any longer: frames have so many milliseconds to end their sessions, then a hundred
   * are ended each second.
   */
  async finished(finishMs: number): Promise<void> {
    const { clock } = this.#deps;
    const endAt = clock.now() + finishMs;
    while (this.#byClient.size > 0) {
      if (clock.now() >= endAt) for (const client of [...this.#byClient.keys()].slice(0, endedAStep)) client.close();
      await new Promise<void>((resolve) => clock.after(drainStepMs, resolve));
    }
  }

  /** Returns a function that resolves when the messages of the present sessions are recorded, each time it is called. */
  recorded(): () => Promise<unknown> {
    const sessions = [...this.#byClient.values()];
    return () => Promise.all(sessions.map(({ lastRecorded }) => lastRecorded));
  }
}
