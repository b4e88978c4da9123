/**
 * Sends messages to frames wherever they are connected: at this node directly, at another node through a node message.
 */

import type { NodeMessage, SessionRegistry } from '../../cluster/session-registry.ts';
import type { Message } from '../../firmware-protocol/messages.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { FrameBroker } from '../broker/broker.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { serialKey } from '../frames/registry.ts';

/** Dependencies of reaching frames. `broker` is undefined until the gateway listens for frames. */
export interface ReachDeps {
  readonly sessionRegistry: Pick<SessionRegistry, 'whereIs' | 'everyone' | 'send'>;
  readonly broker: () => FrameBroker | undefined;
  /** The dialects that connected frames speak. They may be added after this: they are looked at for each message. */
  readonly dialects: readonly Dialect[];
}

/** The known state of a frame that is connected. */
export interface Connection {
  readonly awake: boolean;
  /** Time of the last packet from the frame, epoch milliseconds. */
  readonly lastSeenAt?: number;
}

export type FrameReach = ReturnType<typeof reachFrames>;

/** Creates the functions that reach the frames of one gateway. */
export function reachFrames({ sessionRegistry, broker, dialects }: ReachDeps) {
  /** Notifies a frame that is connected here, by the messages of its dialect. */
  async function notifyHere(serial: string, what: 'pictureOffered' | 'settingsChanged'): Promise<void> {
    const conversation = broker()?.conversation(serial);
    if (conversation === undefined) return;
    const messages = await Promise.all(dialects.map((dialect) => dialect[what](conversation)));
    broker()?.send(serial, messages.flat());
  }

  const announceHere = (serial: string): Promise<void> => notifyHere(serial, 'pictureOffered');
  const settingsHere = (serial: string): Promise<void> => notifyHere(serial, 'settingsChanged');

  function sendHere(serial: string, command: Message<'command'>): boolean {
    const conversation = broker()?.conversation(serial);
    if (conversation === undefined) return false;
    const messages = dialects.flatMap((dialect) => dialect.command?.(conversation, command) ?? []);
    return messages.length > 0 && broker()?.send(serial, messages) === true;
  }

  return {
    announceHere,
    settingsHere,
    sendHere,

    isConnected: (serial: string): boolean => sessionRegistry.whereIs(serialKey(serial)) !== undefined,

    /** The serials of all frames that are connected now. */
    connected: (): readonly string[] => sessionRegistry.everyone(),

    /**
     * Returns a frame's connection. A frame at another node is assumed to be awake, because only that node knows; the
     * time of its last packet is not known here.
     */
    connection(serial: string): Connection | undefined {
      const location = sessionRegistry.whereIs(serialKey(serial));
      if (location === undefined) return undefined;
      return location.here ? broker()?.conversation(serial) : { awake: true };
    },

    /** Announces the newest picture to a frame that is awake now; a frame that sleeps gets it at its next wake. */
    async announce(clientId: string): Promise<void> {
      const serial = serialKey(clientId);
      if (!sessionRegistry.send({ do: 'announce', serial })) await announceHere(serial);
    },

    /** Sends a frame that is awake now its settings. */
    async announceSettings(clientId: string): Promise<void> {
      const serial = serialKey(clientId);
      if (!sessionRegistry.send({ do: 'settings', serial })) await settingsHere(serial);
    },

    /** Sends a recorded command to a frame; false when it was certainly not sent. */
    sendCommand(clientId: string, command: Message<'command'>): boolean {
      const serial = serialKey(clientId);
      return sessionRegistry.send({ do: 'say', serial, command: command.id }) || sendHere(serial, command);
    },
  };
}

export interface NodeMessageDeps {
  readonly broker: () => FrameBroker | undefined;
  readonly reach: Pick<FrameReach, 'announceHere' | 'settingsHere' | 'sendHere'>;
  readonly commands: {
    sendFor(id: string, send: (serial: string, command: Message<'command'>) => boolean): Promise<void>;
    look(id: string): Promise<void>;
  };
  readonly logger: Logger;
}

/** Creates the handler of node messages. A message whose handling fails has the effect of a lost one. */
export function handleNodeMessages({
  broker,
  reach,
  commands,
  logger,
}: NodeMessageDeps): (nodeMessage: NodeMessage) => void {
  async function run(nodeMessage: NodeMessage): Promise<void> {
    if (nodeMessage.do === 'announce') await reach.announceHere(nodeMessage.serial);
    else if (nodeMessage.do === 'settings') await reach.settingsHere(nodeMessage.serial);
    else if (nodeMessage.do === 'say') await commands.sendFor(nodeMessage.command, reach.sendHere);
    else if (nodeMessage.do === 'look') await commands.look(nodeMessage.command);
    else broker()?.end(nodeMessage.serial, nodeMessage.session);
  }
  return (nodeMessage) => {
    run(nodeMessage).catch((error: unknown) =>
      logger.error({ nodeMessage, error }, 'a message of another node failed'),
    );
  };
}
