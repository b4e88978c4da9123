/**
 * Handles the PUBLISH packets of frames: each is allowed by its topic, counted, and recorded in order before it is
 * acknowledged.
 */

import type { Client, PublishPacket } from 'aedes';
import type PQueue from 'p-queue';
import { limits } from '../../firmware-protocol/limits.ts';
import { type TopicUse, topicUse, unknownVersion } from '../../firmware-protocol/topics.ts';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Conversation, Outgoing } from '../dialects/dialect.ts';
import type { FrameMeter } from '../frames/frame-measures.ts';
import type { AdmittingFrames } from '../identity/admit-frame.ts';
import { countPerMinute } from '../identity/count-per-minute.ts';
import { foreignVersion } from './connect-rules.ts';
import { inTurn, type Session, stillStands } from './session.ts';

export interface PublishDeps extends Pick<CommonDeps, 'clock' | 'logger'> {
  readonly meter?: FrameMeter | undefined;
  readonly admission: Pick<AdmittingFrames, 'stands'>;
  /** Returns what a message has to wait for, without holding up the messages of other frames. It never rejects. */
  readonly awaited?: (conversation: Conversation, use: TopicUse) => Promise<unknown> | undefined;
  /**
   * Commits a message and resolves with the answers. It is called for one frame at a time, in the order of its messages
   * (B-05).
   */
  readonly receive: (conversation: Conversation, use: TopicUse, payload: Uint8Array) => Promise<Outgoing[]>;
}

/** The parts of the broker that handling PUBLISH packets needs. */
export interface PublishBroker {
  readonly sessionOf: (client: Client) => Session | undefined;
  readonly recording: PQueue;
  readonly protocolViolated: (serial: string | undefined, problem: Reason) => void;
  /** Reports a violation that may come by the thousand on one connection. */
  readonly alertOnce: (session: Session, problem: Reason) => void;
  readonly deliver: (session: Session, messages: readonly Outgoing[]) => void;
}

type Done = (error?: Error | null) => void;

/** Creates the function that the broker calls for each PUBLISH. */
export function handlePublishes(
  deps: PublishDeps,
  broker: PublishBroker,
): (client: Client | null, packet: PublishPacket, done: Done) => void {
  const { sessionOf, recording, protocolViolated, alertOnce, deliver } = broker;
  const messages = countPerMinute(deps.clock);

  async function record(session: Session, use: TopicUse, packet: PublishPacket, done: Done): Promise<void> {
    const payload = typeof packet.payload === 'string' ? Buffer.from(packet.payload) : packet.payload;
    try {
      // The credential may have been revoked since the login, also by another process.
      if (!(await stillStands(session, deps))) {
        done(new Error('credential revoked'));
        return;
      }
      deps.meter?.count('papergate_frame_messages_total', { dialect: use.dialect, message: use.name });
      const answers = await deps.receive(session.conversation, use, payload);
      done(null);
      deliver(session, answers);
    } catch (error) {
      deps.logger.error({ frame: session.conversation.serial, error }, 'message not recorded');
      done(new Error('not recorded'));
    }
  }

  return (client, packet, done) => {
    // B-13: the sweep of stored wills passes no client.
    const session = client === null ? undefined : sessionOf(client);
    const use = session && topicUse(session.conversation.clientId, packet.topic, 'publish');
    const version = session && unknownVersion(session.conversation.clientId, packet.topic);
    if (session !== undefined && version !== undefined && !packet.retain && packet.qos < 2) {
      // A frame that is disconnected would come back at once with the same message, so it is acknowledged like an
      // unreadable one.
      alertOnce(session, foreignVersion(version));
      return inTurn(deps.logger, session, () => done(null));
    }
    if (session === undefined || use === undefined || packet.retain || packet.qos > 1) {
      protocolViolated(session?.conversation.serial, reasonOf('publishes-forbidden'));
      return done(new Error('not allowed'));
    }
    const times = messages(session.conversation.serial);
    if (times > limits.messagesPerMinute) {
      // T-44: the message is acknowledged, because the frame would only send it again, and is neither read nor stored.
      if (times === limits.messagesPerMinute + 1)
        protocolViolated(session.conversation.serial, reasonOf('says-too-much'));
      return inTurn(deps.logger, session, () => done(null));
    }
    // The messages of a frame are handled one after the other, and acknowledged only when committed (B-04).
    inTurn(deps.logger, session, async () => {
      await deps.awaited?.(session.conversation, use);
      await recording.add(() => record(session, use, packet, done));
    });
  };
}
