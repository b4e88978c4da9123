/** One raw MQTT 3.1.1 connection, byte by byte in the test's hand: nothing is sent, answered or repeated by itself. */
import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { generate, type IPublishPacket, type Packet, parser } from 'mqtt-packet';

/** Where to connect; with `credential` over TLS, and `certificate` left out shows none. */
export interface LineAddress {
  readonly port: number;
  /** This machine's address to connect from. */
  readonly from?: string;
  readonly root?: string;
  readonly credential?: { readonly certificate: string; readonly key: string };
  /** Further options of the client's TLS, such as a session to resume. */
  readonly means?: ConnectionOptions | undefined;
}

/** How a CONNECT differs from a fielded frame's. */
interface Connect {
  readonly clientId: string;
  readonly username?: string;
  readonly password?: string;
  readonly keepalive?: number;
  readonly clean?: boolean;
  readonly will?: { topic: string; payload: string };
  readonly mqtt?: '3.1' | '3.1.1' | '5';
}

export interface MqttLine {
  readonly socket: Socket;
  /** Every packet that came, in order. */
  readonly received: readonly Packet[];
  send(packet: Packet): void;
  write(bytes: Uint8Array): void;
  /** The next packet of a kind that was not taken yet; rejects when the line ends or time is up. */
  take<Cmd extends Packet['cmd']>(cmd: Cmd, timeoutMs?: number): Promise<Extract<Packet, { cmd: Cmd }>>;
  /** Resolves when the connection is over, however it ended; rejects when it lives on for `timeoutMs`. */
  ended(timeoutMs?: number): Promise<void>;
  /** CONNECT, and the CONNACK's return code, or `closed` when the line ended instead. */
  login(connect: Connect): Promise<number | 'closed'>;
  /** SUBSCRIBE, and the granted codes, or `closed`. */
  subscribe(...filters: string[]): Promise<readonly unknown[] | 'closed'>;
  /** PUBLISH; with QoS 1 waits for the PUBACK: false when the line ended instead. */
  publish(topic: string, payload: string | Uint8Array, more?: Partial<IPublishPacket>): Promise<boolean>;
  /** The next message, parsed. */
  message(timeoutMs?: number): Promise<Record<string, unknown>>;
  /** PINGREQ and its answer: everything sent before was read by the broker. */
  ping(): Promise<void>;
  /** The connection just dies, as a sleeping frame's does. */
  vanish(): void;
}

interface Waiter {
  readonly cmd: Packet['cmd'];
  readonly give: (packet: Packet) => void;
  readonly fail: (error: Error) => void;
}

/** Opens a line; resolves once the transport is up. */
export async function openLine(address: LineAddress): Promise<MqttLine> {
  const { port, root, credential, from: localAddress, means } = address;
  const host = '127.0.0.1';
  const socket =
    root === undefined
      ? connectPlain({ host, port, ...(localAddress !== undefined && { localAddress }) })
      : connectTls({ host, port, ca: root, cert: credential?.certificate, key: credential?.key, ...means });
  // What is written in pieces travels in pieces.
  socket.setNoDelay(true);
  await once(socket, root === undefined ? 'connect' : 'secureConnect');
  return lineOver(socket);
}

/** Resolves when a socket is closed, however that came; rejects when it lives on. */
export function endOf(socket: Socket, timeoutMs = 60_000): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.closed) return resolve();
    const timer = setTimeout(() => reject(new Error('the connection lives on')), timeoutMs);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function lineOver(socket: Socket): MqttLine {
  const received: Packet[] = [];
  const inbox: Packet[] = [];
  let waiters: Waiter[] = [];
  let open = true;
  let messageId = 0;
  const reading = parser({ protocolVersion: 4 });
  reading.on('packet', (packet) => {
    received.push(packet);
    const waiter = waiters.find(({ cmd }) => cmd === packet.cmd);
    if (waiter === undefined) inbox.push(packet);
    else waiter.give(packet);
  });
  socket.on('data', (bytes: Buffer) => reading.parse(bytes));
  socket.on('error', () => {});
  socket.on('end', () => socket.destroy());
  socket.once('close', () => {
    open = false;
    for (const waiter of waiters) waiter.fail(new Error(`the line ended before ${waiter.cmd}`));
  });

  function take(cmd: Packet['cmd'], timeoutMs = 60_000): Promise<Packet> {
    const at = inbox.findIndex((packet) => packet.cmd === cmd);
    const [ready] = at === -1 ? [] : inbox.splice(at, 1);
    if (ready !== undefined) return Promise.resolve(ready);
    if (!open) return Promise.reject(new Error(`the line ended before ${cmd}`));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => waiter.fail(new Error(`no ${cmd} within ${timeoutMs} ms`)), timeoutMs);
      const over = () => {
        clearTimeout(timer);
        waiters = waiters.filter((other) => other !== waiter);
      };
      const waiter: Waiter = {
        cmd,
        give(packet) {
          over();
          resolve(packet);
        },
        fail(error) {
          over();
          reject(error);
        },
      };
      waiters.push(waiter);
    });
  }

  /**
   * Returns the answer, or `otherwise` where the broker refused by ending the line. A broker that merely stays silent is an
   * error.
   */
  function unlessEnded<Answer, Other>(answer: Promise<Answer>, otherwise: Other): Promise<Answer | Other> {
    return answer.catch((error: unknown) => {
      if (open) throw error;
      return otherwise;
    });
  }

  const line: MqttLine = {
    socket,
    received,
    ended: (timeoutMs) => endOf(socket, timeoutMs),
    send: (packet) => void socket.write(generate(packet)),
    write: (bytes) => void socket.write(bytes),
    take: take as MqttLine['take'],
    async login({ clientId, username, password, keepalive = 10, clean = true, will, mqtt = '3.1.1' }) {
      line.send({
        cmd: 'connect',
        protocolId: mqtt === '3.1' ? 'MQIsdp' : 'MQTT',
        protocolVersion: ({ '3.1': 3, '3.1.1': 4, 5: 5 } as const)[mqtt],
        clientId,
        clean,
        keepalive,
        ...(username === undefined ? {} : { username }),
        ...(password === undefined ? {} : { password: Buffer.from(password) }),
        ...(will === undefined ? {} : { will: { ...will, qos: 0, retain: false } }),
      });
      const answer = line.take('connack').then(({ returnCode }) => returnCode ?? 0);
      return unlessEnded(answer, 'closed' as const);
    },
    async subscribe(...filters) {
      const subscriptions = filters.map((topic) => ({ topic, qos: 0 as const }));
      line.send({ cmd: 'subscribe', messageId: ++messageId, subscriptions });
      const answer = line.take('suback').then(({ granted }) => granted);
      return unlessEnded(answer, 'closed' as const);
    },
    async publish(topic, payload, more = {}) {
      const packet: IPublishPacket = {
        cmd: 'publish',
        topic,
        payload: Buffer.from(payload),
        qos: 0,
        retain: false,
        dup: false,
        ...more,
      };
      if (packet.qos === 0) {
        line.send(packet);
        return true;
      }
      line.send({ ...packet, messageId: ++messageId });
      const answer = line.take(packet.qos === 1 ? 'puback' : 'pubrec').then(() => true);
      return unlessEnded(answer, false);
    },
    async message(timeoutMs) {
      const packet = await line.take('publish', timeoutMs);
      if (packet.qos === 1 && packet.messageId !== undefined) line.send({ cmd: 'puback', messageId: packet.messageId });
      return JSON.parse(packet.payload.toString()) as Record<string, unknown>;
    },
    async ping() {
      line.send({ cmd: 'pingreq' });
      await line.take('pingresp');
    },
    vanish: () => void socket.destroy(),
  };
  return line;
}
