/** Speaking to frames wherever they are connected: at this node directly, at another through an errand. */
import type { Message } from '../../firmware-protocol/messages.ts';
import type { FrameBroker } from '../broker/broker.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { serialKey } from '../frames/registry.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Errand, Whereabouts } from './whereabouts.ts';

/** What reaching frames needs. `broker` is there once frames are listened for. */
export interface ReachEdges {
  readonly whereabouts: Pick<Whereabouts, 'whereIs' | 'everyone' | 'send'>;
  readonly broker: () => FrameBroker | undefined;
  readonly dialects: () => readonly Dialect[];
}

export type Reach = ReturnType<typeof reachFrames>;

/** Makes the ways to frames of one gateway. */
export function reachFrames({ whereabouts, broker, dialects }: ReachEdges) {
  /** Tells a frame that is connected here; `what` is in the words of its dialect. */
  async function tellHere(serial: string, what: 'pictureOffered' | 'settingsChanged'): Promise<void> {
    const conversation = broker()?.conversation(serial);
    if (conversation === undefined) return;
    const messages = await Promise.all(dialects().map((dialect) => dialect[what](conversation)));
    broker()?.send(serial, messages.flat());
  }

  const announceHere = (serial: string): Promise<void> => tellHere(serial, 'pictureOffered');
  const settingsHere = (serial: string): Promise<void> => tellHere(serial, 'settingsChanged');

  function sayHere(serial: string, command: Message<'command'>): boolean {
    const conversation = broker()?.conversation(serial);
    if (conversation === undefined) return false;
    const messages = dialects().flatMap((dialect) => dialect.command?.(conversation, command) ?? []);
    return messages.length > 0 && broker()?.send(serial, messages) === true;
  }

  return {
    announceHere,
    settingsHere,
    sayHere,

    isConnected: (serial: string): boolean => whereabouts.whereIs(serialKey(serial)) !== undefined,

    /** Serials of all frames that are connected right now. */
    connected: (): readonly string[] => whereabouts.everyone(),

    /** A frame's connection. Whether one at another node is awake is found out there: it is taken to be. */
    connection(serial: string): { readonly awake: boolean } | undefined {
      const stay = whereabouts.whereIs(serialKey(serial));
      if (stay === undefined) return undefined;
      return stay.here ? broker()?.conversation(serial) : { awake: true };
    },

    /** Tells a frame that is awake right now; one that sleeps learns it at its next wake. */
    async announce(spelling: string): Promise<void> {
      const serial = serialKey(spelling);
      if (!whereabouts.send({ do: 'announce', serial })) await announceHere(serial);
    },

    /** Tells a frame that is awake right now what was set for it. */
    async announceSettings(spelling: string): Promise<void> {
      const serial = serialKey(spelling);
      if (!whereabouts.send({ do: 'settings', serial })) await settingsHere(serial);
    },

    /** Says a recorded command to a frame; false when it surely was not said. */
    say(spelling: string, command: Message<'command'>): boolean {
      const serial = serialKey(spelling);
      return whereabouts.send({ do: 'say', serial, command: command.id }) || sayHere(serial, command);
    },
  };
}

/** What errands do at the node that hears them. */
export interface ErrandEdges {
  readonly broker: () => FrameBroker | undefined;
  readonly reach: Pick<Reach, 'announceHere' | 'settingsHere' | 'sayHere'>;
  readonly commands: {
    sayFor(id: string, say: (serial: string, command: Message<'command'>) => boolean): Promise<void>;
    look(id: string): Promise<void>;
  };
  readonly logger: Logger;
}

/** Makes what a node does about errands. One that fails is like one that was lost. */
export function runErrands({ broker, reach, commands, logger }: ErrandEdges): (errand: Errand) => void {
  async function run(errand: Errand): Promise<void> {
    if (errand.do === 'announce') await reach.announceHere(errand.serial);
    else if (errand.do === 'settings') await reach.settingsHere(errand.serial);
    else if (errand.do === 'say') await commands.sayFor(errand.command, reach.sayHere);
    else if (errand.do === 'look') await commands.look(errand.command);
    else broker()?.end(errand.serial, errand.session);
  }
  return (errand) => {
    run(errand).catch((error: unknown) => logger.error({ errand, error }, 'an errand of another node failed'));
  };
}
