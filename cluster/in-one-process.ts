/** The nodes that live in one process: one as a rule, several in tests. */
import { maxNodeMessageBytes, type NodeMessage, type Nodes, type SessionKey } from './session-registry.ts';

interface HeldSession extends SessionKey {
  readonly node: symbol;
}

/** Creates the connection between the nodes of this process. */
export function nodesInOneProcess(): Nodes {
  const sessions = new Map<string, HeldSession>();
  const receivers = new Map<symbol, (nodeMessage: NodeMessage) => void>();

  /**
   * Sends a message as text and later, as over any channel, so that nothing relies on shared values or on an immediate
   * effect.
   */
  function post(node: symbol, nodeMessage: NodeMessage): void {
    const text = JSON.stringify(nodeMessage);
    if (Buffer.byteLength(text) > maxNodeMessageBytes)
      throw new Error(`a message of more than ${maxNodeMessageBytes} bytes`);
    queueMicrotask(() => receivers.get(node)?.(JSON.parse(text) as NodeMessage));
  }

  return {
    join(receive) {
      const node = Symbol('node');
      receivers.set(node, receive);
      const seen = ({ session, address, node: at }: HeldSession) => ({ session, address, here: at === node });
      return {
        arrived(serial, session) {
          const before = sessions.get(serial);
          sessions.set(serial, { ...session, node });
          if (before === undefined) return undefined;
          if (before.node !== node) post(before.node, { do: 'end', serial, session: before.session });
          return seen(before);
        },
        left(serial, session) {
          const now = sessions.get(serial);
          if (now?.node === node && now.session === session) sessions.delete(serial);
        },
        whereIs(serial) {
          const now = sessions.get(serial);
          return now && seen(now);
        },
        everyone: () => [...sessions.keys()],
        send(nodeMessage) {
          const now = sessions.get(nodeMessage.serial);
          if (now === undefined || now.node === node) return false;
          post(now.node, nodeMessage);
          return true;
        },
        broadcast(nodeMessage) {
          for (const other of receivers.keys()) if (other !== node) post(other, nodeMessage);
        },
        leave() {
          receivers.delete(node);
          for (const [serial, now] of sessions) if (now.node === node) sessions.delete(serial);
        },
      };
    },
  };
}
