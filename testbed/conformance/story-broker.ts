/** The broker of a stage for stories: the real one, whose answers the story decides, and whose TLS sessions it can end. */
import { randomBytes } from 'node:crypto';
import { alone } from '../../cluster/alone.ts';
import type { TopicUse } from '../../firmware-protocol/topics.ts';
import { startBroker } from '../../gateway/broker/broker.ts';
import type { Conversation } from '../../gateway/dialects/dialect.ts';
import { frameRegistry, serialKey } from '../../gateway/frames/registry.ts';
import { admission } from '../../gateway/identity/admit-frame.ts';
import { openAuthority, ticketKeyBytes } from '../../gateway/identity/authority.ts';
import type { Reason } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { RecordExchange } from './transcript.ts';

/** Something that the frame said, or did against the rules. */
export type BrokerIncident =
  | {
      readonly kind: 'message';
      readonly conversation: Conversation;
      readonly use: TopicUse;
      readonly payload: Uint8Array;
    }
  | { readonly kind: 'violation'; readonly problem: string };

/** Whether a TLS handshake was a full one. */
export type HandshakeKind = 'full' | 'resumed';

/** Dependencies of the broker. A port of 0 takes a free one. */
export interface StoryBrokerDeps extends Pick<CommonDeps, 'db' | 'clock' | 'logger'> {
  /** Folder of the authority. */
  readonly folder: string;
  readonly serial: string;
  /** Name or address by which the frame reaches this machine. */
  readonly host: string;
  readonly port: number;
  /** Receives every message and download as it comes. */
  readonly record: RecordExchange;
}

/** Opens the broker; each message and each violation of the frame becomes an incident. */
export async function openStoryBroker(
  { db, clock, logger, folder, host, serial, port, record }: StoryBrokerDeps,
  listenOn: string,
  add: (incident: BrokerIncident) => void,
) {
  const registry = frameRegistry(db);
  // A violation before the login is in the log alone, because it is not known which frame it came from.
  const protocolViolated = (from: string | undefined, problem: Reason): void => {
    if (from !== serialKey(serial)) return;
    record('frame', 'violation', wordsOf(problem));
    add({ kind: 'violation', problem: wordsOf(problem) });
  };
  const authority = await openAuthority(folder, clock.now());
  let handshake: HandshakeKind | undefined;
  let useKeys: (keys: Buffer) => void = () => {};
  const newKeys = (): Buffer => randomBytes(ticketKeyBytes);
  const broker = await startBroker(
    {
      messagesAtOnce: 6,
      meter: {
        count(name, labels) {
          if (name !== 'papergate_frame_handshakes_total' || !('kind' in labels)) return;
          handshake = labels.kind === 'resumed' ? 'resumed' : 'full';
        },
        time: () => {},
      },
      logger,
      clock,
      admission: admission({
        registry,
        clock,
        protocolViolated,
        identityConflict: () => undefined,
        counters: alone.counters,
      }),
      // Messages are acknowledged at once; the story decides about the answers, which may come later.
      async receive(conversation, use, payload) {
        if (conversation.serial !== serialKey(serial)) return [];
        record('frame', use.name, payload);
        add({ kind: 'message', conversation, use, payload });
        return [];
      },
      connected: () => undefined,
      left: () => undefined,
      disconnected: () => undefined,
      protocolViolated,
    },
    {
      host: listenOn,
      tlsPort: port,
      plainPort: undefined,
      server: await authority.server([host], clock.now()),
      root: authority.root,
      tickets: {
        first: newKeys(),
        renewed(use) {
          useKeys = use;
        },
      },
    },
  );
  return { broker, handshake: () => handshake, forgetSessions: () => useKeys(newKeys()) };
}
