/** One MQTT connection of a frame on a socket of its own, opened, used and ended as a frame does. */
import net from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { MqttClient } from 'mqtt';
import type { Clock } from '../../runtime/clock.ts';
import { checkedBy } from '../frame/certificate-dates.ts';
import type { SimulatedCredentials } from '../frame/credentials.ts';
import type { FrameIncident } from '../frame/frame.ts';
import type { Connect } from './air.ts';

const openMs = 10_000;
const farewellMs = 2000;
/** Fielded frames use the library's default. */
const keepaliveSeconds = 10;

/** A frame's identity at the broker, and how it connects: over a socket of its own unless something else is given. */
export interface SessionFrame {
  readonly serial: string;
  readonly credentials: SimulatedCredentials;
  readonly mqttUrl: string;
  /** The longest wait for CONNACK once the transport is up. */
  readonly connackMs: number;
  /** Its own time, where that is wrong. */
  readonly clockMs?: number;
  readonly connect?: Connect | undefined;
  /** Where it keeps its TLS session over its sleep; without one each handshake is a full one. */
  readonly sessions?: KeptSession | undefined;
}

/** The memory for one TLS session, which survives a sleep and not a loss of power. */
export interface KeptSession {
  kept: Buffer | undefined;
}

/** A connection that is opening, open, or over. */
export interface MqttSession {
  subscribe(topics: readonly string[], qos: 0 | 1, subackMs: number): void;
  publish(topic: string, payload: Uint8Array, qos: 0 | 1): void;
  /** Sends DISCONNECT once everything that was sent is acknowledged. */
  disconnect(): void;
  /** Switches the radio off: no byte follows, and nobody notifies the other side (W-26). */
  vanish(): void;
  destroy(): void;
}

/** Opens a connection and reports its events until it is lost or the frame leaves it. */
export function openSession(frame: SessionFrame, clock: Clock, tell: (incident: FrameIncident) => void): MqttSession {
  const socket = openSocket(frame);
  const life = lifeOf(socket, clock, tell);
  let client: MqttClient | undefined;
  if (socket instanceof tls.TLSSocket) keepSession(socket, frame.sessions);
  socket.once(socket instanceof tls.TLSSocket ? 'secureConnect' : 'connect', () => {
    if (life.isOver()) return;
    life.expect('CONNACK', frame.connackMs);
    client = greet(socket, frame, clock, life.isOver);
    client.on('error', (error) => life.lose(error.message));
    client.on('connect', () => life.say({ kind: 'connected' }));
    client.on('message', (topic, payload) => {
      life.say({ kind: 'message', topic, payload: new Uint8Array(payload) });
    });
  });
  return {
    subscribe(topics, qos, subackMs) {
      life.expect('SUBACK', subackMs);
      client?.subscribe([...topics], { qos }, (error, granted) => {
        if (error !== null || granted?.some((grant) => grant.qos > 2)) life.lose('subscription refused');
        else life.say({ kind: 'subscribed' });
      });
    },
    publish(topic, payload, qos) {
      if (!life.isOver()) client?.publish(topic, Buffer.from(payload), { qos });
    },
    disconnect() {
      if (!life.leave()) return;
      client?.end();
      const farewell = clock.after(farewellMs, () => socket.destroy());
      socket.once('close', () => farewell.cancel());
    },
    vanish() {
      if (!life.leave()) return;
      socket.unpipe();
      socket.pause();
    },
    destroy() {
      life.leave();
      socket.destroy();
    },
  };
}

/**
 * The life of a connection as its frame sees it: it ends once, by loss or by leaving, and nothing is reported
 * afterwards.
 */
function lifeOf(socket: Duplex, clock: Clock, tell: (incident: FrameIncident) => void) {
  let over = false;
  const leave = (): boolean => {
    const first = !over;
    over = true;
    patience.cancel();
    return first;
  };
  const lose = (why: string): void => {
    if (!leave()) return;
    socket.destroy();
    tell({ kind: 'link lost', why });
  };
  let patience = clock.after(openMs, () => lose('no connection in time'));
  socket.on('error', (error) => lose(error.message));
  socket.on('close', () => lose('connection closed'));
  return {
    isOver: () => over,
    leave,
    lose,
    /** Gives the connection up unless the packet comes within this time. */
    expect(what: 'CONNACK' | 'SUBACK', withinMs: number): void {
      patience.cancel();
      patience = clock.after(withinMs, () => lose(`no ${what} in time`));
    },
    say(incident: FrameIncident): void {
      if (over) return;
      if (incident.kind !== 'message') patience.cancel();
      tell(incident);
    },
  };
}

/** Keeps the newest session that the service gives, and forgets one with which no handshake came about. */
function keepSession(socket: tls.TLSSocket, sessions: KeptSession | undefined): void {
  if (sessions === undefined) return;
  const forget = (): void => {
    sessions.kept = undefined;
  };
  socket.once('error', forget);
  socket.once('secureConnect', () => socket.off('error', forget));
  socket.on('session', (session: Buffer) => {
    sessions.kept = session;
  });
}

function openSocket({ mqttUrl, credentials, clockMs, connect, sessions }: SessionFrame): Duplex {
  const { protocol, hostname, port } = new URL(mqttUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'mqtt:') return (connect ?? net.connect)({ host, port: Number(port || 1883) });
  const proof = credentials.kind === 'certificate' ? { key: credentials.key, cert: credentials.cert } : {};
  const trust = credentials.ca === undefined ? {} : { ca: credentials.ca };
  const to = { host, port: Number(port || 8883) };
  return tls.connect({
    ...(connect === undefined ? to : { ...to, socket: connect(to) }),
    ...(net.isIP(host) === 0 ? { servername: host } : {}),
    ...proof,
    ...trust,
    ...(sessions?.kept && { session: sessions.kept }),
    checkServerIdentity: checkedBy(clockMs),
  });
}

/** Sends CONNECT on an open socket. The keepalive runs on the frame's clock and stops with the frame. */
function greet(socket: Duplex, frame: SessionFrame, clock: Clock, isOver: () => boolean): MqttClient {
  const login =
    frame.credentials.kind === 'password' ? { username: frame.serial, password: frame.credentials.password } : {};
  return new MqttClient(() => socket, {
    clientId: frame.serial,
    protocolId: 'MQTT',
    protocolVersion: 4,
    clean: true,
    keepalive: keepaliveSeconds,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    timerVariant: pulse(clock, isOver),
    ...login,
  });
}

/**
 * Makes intervals on the frame's clock, in the shape that the MQTT client takes. They stop when the frame has vanished.
 */
function pulse(clock: Clock, isOver: () => boolean) {
  const beating = new Map<number, { cancel(): void }>();
  let last = 0;
  const beat = (id: number, run: () => void, ms: number): void => {
    beating.set(
      id,
      clock.after(ms, () => {
        if (isOver() || !beating.has(id)) return;
        beat(id, run, ms);
        run();
      }),
    );
  };
  return {
    set(run: () => void, ms: number): number {
      last += 1;
      beat(last, run, ms);
      return last;
    },
    clear(id: number): void {
      beating.get(id)?.cancel();
      beating.delete(id);
    },
  };
}
