/** The whereabouts of nodes that live in one process: mostly one, several in tests. */
import { type Errand, errandBytes, type Nodes, type Session } from './whereabouts.ts';

interface Held extends Session {
  readonly node: symbol;
}

/** Makes what nodes of this process have in common. */
export function nodesInOneProcess(): Nodes {
  const held = new Map<string, Held>();
  const hearing = new Map<symbol, (errand: Errand) => void>();

  /** As text and in a later turn, as over any channel: nothing rests on shared values or on being answered at once. */
  function post(node: symbol, errand: Errand): void {
    const text = JSON.stringify(errand);
    if (Buffer.byteLength(text) > errandBytes) throw new Error(`an errand of more than ${errandBytes} bytes`);
    queueMicrotask(() => hearing.get(node)?.(JSON.parse(text) as Errand));
  }

  return {
    join(hear) {
      const node = Symbol('node');
      hearing.set(node, hear);
      const seen = ({ session, address, node: at }: Held) => ({ session, address, here: at === node });
      return {
        arrived(serial, session) {
          const before = held.get(serial);
          held.set(serial, { ...session, node });
          if (before === undefined) return undefined;
          if (before.node !== node) post(before.node, { do: 'end', serial, session: before.session });
          return seen(before);
        },
        left(serial, session) {
          const now = held.get(serial);
          if (now?.node === node && now.session === session) held.delete(serial);
        },
        whereIs(serial) {
          const now = held.get(serial);
          return now && seen(now);
        },
        everyone: () => [...held.keys()],
        send(errand) {
          const now = held.get(errand.serial);
          if (now === undefined || now.node === node) return false;
          post(now.node, errand);
          return true;
        },
        tellOthers(errand) {
          for (const other of hearing.keys()) if (other !== node) post(other, errand);
        },
        leave() {
          hearing.delete(node);
          for (const [serial, now] of held) if (now.node === node) held.delete(serial);
        },
      };
    },
  };
}
