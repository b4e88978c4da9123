/**
 * One MQTT connection of a frame, as TCP carries it: messages arrive late and in order, and none after the point where
 * it breaks.
 */
import type { Timer } from '../../../runtime/clock.ts';
import type { FrameIncident } from '../../../simulator/frame/frame.ts';
import type { Chance } from './chance.ts';
import type { FakeBroker, Peer } from './fake-broker.ts';
import type { FaultRates } from './fault-rates.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The dependencies of a link. `currentFaults` returns the fault rates of the moment. */
export interface LinkDeps {
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly currentFaults: () => FaultRates;
  /** The service's broker; undefined while nobody listens. */
  readonly fakeBroker: () => FakeBroker | undefined;
}

/** The frame's end of a connection. */
export interface Link {
  subscribe(subackMs: number): void;
  publish(topic: string, payload: Uint8Array, qos: 0 | 1): void;
  disconnect(): void;
  /** Switches the radio off; the service notices it only by the keepalive (W-26). */
  vanish(): void;
}

/** The identity by which a frame connects. */
interface FrameLogin {
  readonly id: string;
  readonly password: string;
}

/** Everything about one connection. */
interface LinkState {
  readonly deps: LinkDeps;
  readonly onIncident: (incident: FrameIncident) => void;
  /** The broker that listened when the frame connected. */
  readonly fakeBroker: FakeBroker | undefined;
  /** The service's view of this connection. */
  readonly peer: Peer;
  readonly up: Lane;
  readonly down: Lane;
  frameIsIn: boolean;
  serverIsIn: boolean;
  /** The number of messages, either way, that still pass before the connection breaks. */
  messagesLeft: number;
  /** The time that the frame still waits for an answer of the broker. */
  patience: Timer;
}

/** The number of connections that frames of all runs have begun. */
let opened = 0;

/** How long the certificate of a broker is valid. Nothing else of TLS is modelled. */
const certificateMs = 397 * 86_400_000;
const handshakeMs = 500;

/** The service notices a dead peer by its keepalive. */
const keepaliveMs = 45_000;

/** Opens a connection, and reports its events until it is lost or left. */
export function openLink(
  deps: LinkDeps,
  login: FrameLogin,
  { connackMs, clockMs }: { readonly connackMs: number; readonly clockMs?: number },
  onIncident: (incident: FrameIncident) => void,
): Link {
  if (clockMs !== undefined && Math.abs(clockMs - deps.time.now()) > certificateMs)
    return refused(deps.time, onIncident);
  const { time, chance, currentFaults } = deps;
  const fakeBroker = deps.fakeBroker();
  const delayMs = (): number => chance.whole(2, currentFaults().delayMs);
  const link: LinkState = {
    deps,
    onIncident,
    fakeBroker,
    peer: peerOf({ ...login, order: ++opened }, () => link),
    up: lane(time, delayMs),
    down: lane(time, delayMs),
    frameIsIn: true,
    serverIsIn: true,
    messagesLeft: chance.happens(currentFaults().linkBreaks, 'connection breaks')
      ? chance.whole(0, 9)
      : Number.POSITIVE_INFINITY,
    patience: time.after(connackMs, () => lose(link, 'no CONNACK in time')),
  };
  const { up, down, peer } = link;
  if (fakeBroker === undefined) time.after(delayMs(), () => lose(link, 'connection refused'));
  else if (passes(link)) up.send(() => fakeBroker.connect(peer));
  return {
    subscribe(subackMs) {
      link.patience = time.after(subackMs, () => lose(link, 'no SUBACK in time'));
      if (passes(link)) up.send(() => link.serverIsIn && down.send(() => arrive(link, { kind: 'subscribed' })));
    },
    publish(topic, payload, qos) {
      if (!link.frameIsIn || !passes(link)) return;
      for (let copies = copiesOf(link, qos); copies > 0; copies--) {
        up.send(() => fakeBroker?.received(peer, topic, payload));
      }
    },
    disconnect: () => void (frameLeaves(link) && up.send(() => serverLeaves(link))),
    vanish: () => void (frameLeaves(link) && noticeLater(link)),
  };
}

/** A connection that the frame itself ends, because the certificate is not valid at the time that it has. */
function refused(time: VirtualTime, onIncident: (incident: FrameIncident) => void): Link {
  const ends = time.after(handshakeMs, () => onIncident({ kind: 'link lost', why: 'the certificate is out of date' }));
  const nothing = (): void => undefined;
  return { subscribe: nothing, publish: nothing, disconnect: nothing, vanish: () => ends.cancel() };
}

/** The service's view of a connection. */
function peerOf(login: FrameLogin & { readonly order: number }, linkOf: () => LinkState): Peer {
  return {
    ...login,
    accepted() {
      const link = linkOf();
      if (passes(link)) link.down.send(() => arrive(link, { kind: 'connected' }));
    },
    deliver({ topic, payload, qos }) {
      const link = linkOf();
      if (!passes(link)) return;
      for (let copies = copiesOf(link, qos); copies > 0; copies--) {
        link.down.send(() => arrive(link, { kind: 'message', topic, payload }));
      }
    },
    cut() {
      const link = linkOf();
      if (link.serverIsIn) link.down.send(() => lose(link, 'connection closed'));
      serverLeaves(link);
    },
  };
}

/** Counts one message on its way; returns false when the connection breaks under it. */
function passes(link: LinkState): boolean {
  if (link.messagesLeft-- > 0) return true;
  const { time, chance } = link.deps;
  link.messagesLeft = Number.POSITIVE_INFINITY;
  link.up.drop();
  link.down.drop();
  time.after(chance.whole(0, 2000), () => {
    if (link.frameIsIn && frameLeaves(link)) link.onIncident({ kind: 'link lost', why: 'reset' });
  });
  noticeLater(link);
  return false;
}

/** Draws how many times a message arrives: with QoS 1 it may arrive twice. */
function copiesOf({ deps }: LinkState, qos: 0 | 1): number {
  return qos === 1 && deps.chance.happens(deps.currentFaults().messageTwice, 'message comes twice') ? 2 : 1;
}

/** Passes to the frame what arrived, unless it has left. */
function arrive(link: LinkState, incident: FrameIncident): void {
  if (!link.frameIsIn) return;
  if (incident.kind !== 'message') link.patience.cancel();
  link.onIncident(incident);
}

/** Lets the frame give its connection up, which the service learns like any message. */
function lose(link: LinkState, why: string): void {
  if (!frameLeaves(link)) return;
  link.up.send(() => serverLeaves(link));
  link.onIncident({ kind: 'link lost', why });
}

/** Ends the frame's side; returns false when it had ended before. */
function frameLeaves(link: LinkState): boolean {
  const wasIn = link.frameIsIn;
  link.frameIsIn = false;
  link.patience.cancel();
  link.down.drop();
  return wasIn;
}

function serverLeaves(link: LinkState): void {
  link.serverIsIn = false;
  link.up.drop();
  link.fakeBroker?.ended(link.peer);
}

/** Lets the service notice within a keepalive that the frame is gone. */
function noticeLater(link: LinkState): void {
  const { time, chance } = link.deps;
  time.after(chance.whole(0, keepaliveMs), () => link.serverIsIn && serverLeaves(link));
}

/** One direction of a connection. */
interface Lane {
  send(arrive: () => void): void;
  /** Loses everything that is on its way. */
  drop(): void;
}

/** Opens a lane: what is sent first arrives first. */
function lane(time: VirtualTime, delayMs: () => number): Lane {
  let queue: (() => void)[] = [];
  let last = 0;
  return {
    send(arrive: () => void): void {
      last = Math.max(last, time.now() + delayMs());
      const mine = queue;
      mine.push(arrive);
      time.after(last - time.now(), () => mine.shift()?.());
    },
    drop(): void {
      queue.length = 0;
      queue = [];
    },
  };
}
