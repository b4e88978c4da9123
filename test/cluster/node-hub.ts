/** Channels between nodes of one process, which lose, duplicate and delay messages at random. */
import type { NodeChannel } from '../../cluster/nodes/node-channel.ts';

/** The fate of a text: how often it comes, and after how many deliveries of others. */
export type Fate = () => { readonly times: number; readonly behind: number };

const untouched: Fate = () => ({ times: 1, behind: 0 });

/** A hub whose channels deliver in later iterations of the event loop, or on request. */
export function nodeHub({
  fate = untouched,
  byHand = false,
}: {
  readonly fate?: Fate;
  readonly byHand?: boolean;
} = {}) {
  const hearing = new Map<string, Parameters<NodeChannel['open']>[0]>();
  let inFlight: { readonly behind: number; readonly deliver: () => void }[] = [];
  let opened = 0;

  const deliverAll = (): void => {
    while (inFlight.length > 0) {
      const [{ behind, deliver } = { behind: 0, deliver: () => {} }, ...rest] = inFlight;
      inFlight = rest;
      if (behind > 0 && rest.length > 0) inFlight.splice(Math.min(behind, rest.length), 0, { behind: 0, deliver });
      else deliver();
    }
  };

  return {
    /** Delivers all messages, and those sent in reaction to them. */
    deliverAll,
    /** Makes a channel; its node has this name. */
    channel(node = `node-${++opened}`): NodeChannel {
      return {
        node,
        post(to, text) {
          const receivers = to === undefined ? [...hearing.keys()].filter((one) => one !== node) : [to];
          for (const receiver of receivers) {
            const { times, behind } = fate();
            for (let copy = 0; copy < times; copy++) {
              inFlight.push({ behind, deliver: () => hearing.get(receiver)?.receive(node, text) });
            }
          }
          if (!byHand) queueMicrotask(deliverAll);
        },
        receivedAt: () => undefined,
        open: (hear) => void hearing.set(node, hear),
        close: () => void hearing.delete(node),
      };
    },
    /** Tells a node that it may have missed something. */
    reconnect: (node: string): void => hearing.get(node)?.reconnected(),
    /** Ends a node without a word. */
    kill: (node: string): void => void hearing.delete(node),
  };
}
