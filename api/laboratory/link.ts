/** One MQTT connection of a frame, as TCP carries it: in order each way, delayed, all or nothing from where it breaks. */
import type { FrameIncident } from '../../simulator/frame.ts';
import type { Chance } from './chance.ts';
import type { Climate } from './climate.ts';
import type { Door, Peer } from './door.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What links are made of. `weather` is that of the moment. */
export interface LinkEdges {
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly weather: () => Climate;
  /** The service's door; undefined while nobody listens. */
  readonly door: () => Door | undefined;
}

/** The frame's end. */
export interface Link {
  subscribe(subackMs: number): void;
  publish(topic: string, payload: Uint8Array, qos: 0 | 1): void;
  disconnect(): void;
  /** The radio is off; the other side hears of it late (W-26). */
  vanish(): void;
}

/** A dead peer is noticed by its keepalive. */
const keepaliveMs = 45_000;

/** Opens a connection, and tells what comes of it until it is lost or left. */
export function openLink(
  { time, chance, weather, door: doorNow }: LinkEdges,
  frame: { readonly id: string; readonly password: string },
  connackMs: number,
  tell: (incident: FrameIncident) => void,
): Link {
  const door = doorNow();
  let frameIsIn = true;
  let serverIsIn = true;
  /** So many messages pass, either way, before it breaks. */
  let lasts = chance.hits(weather().linkBreaks) ? chance.whole(0, 9) : Number.POSITIVE_INFINITY;
  const up = lane(time, () => chance.whole(2, weather().delayMs));
  const down = lane(time, () => chance.whole(2, weather().delayMs));
  let patience = time.after(connackMs, () => lose('no CONNACK in time'));

  const leave = (): boolean => {
    const first = frameIsIn;
    frameIsIn = false;
    patience.cancel();
    down.drop();
    return first;
  };
  const serverLeaves = (): void => {
    serverIsIn = false;
    up.drop();
    door?.ended(peer);
  };
  function lose(why: string): void {
    if (!leave()) return;
    up.send(serverLeaves);
    tell({ kind: 'link lost', why });
  }
  const hear = (incident: FrameIncident): void => {
    if (!frameIsIn) return;
    if (incident.kind !== 'message') patience.cancel();
    tell(incident);
  };
  /** One message on its way; false when the connection broke under it. */
  const passes = (): boolean => {
    if (lasts-- > 0) return true;
    lasts = Number.POSITIVE_INFINITY;
    up.drop();
    down.drop();
    time.after(chance.whole(0, 2000), () => frameIsIn && leave() && tell({ kind: 'link lost', why: 'reset' }));
    time.after(chance.whole(0, keepaliveMs), () => serverIsIn && serverLeaves());
    return false;
  };
  const peer: Peer = {
    ...frame,
    accepted: () => passes() && down.send(() => hear({ kind: 'connected' })),
    deliver({ topic, payload, qos }) {
      if (!passes()) return;
      const twice = qos === 1 && chance.hits(weather().messageTwice);
      for (let copy = 0; copy < (twice ? 2 : 1); copy++) {
        down.send(() => hear({ kind: 'message', topic, payload }));
      }
    },
    cut() {
      if (serverIsIn) down.send(() => lose('connection closed'));
      serverLeaves();
    },
  };
  if (door === undefined) time.after(chance.whole(2, weather().delayMs), () => lose('connection refused'));
  else if (passes()) up.send(() => door.connect(peer));

  return {
    subscribe(subackMs) {
      patience = time.after(subackMs, () => lose('no SUBACK in time'));
      if (passes()) up.send(() => serverIsIn && down.send(() => hear({ kind: 'subscribed' })));
    },
    publish(topic, payload, qos) {
      if (!frameIsIn || !passes()) return;
      const twice = qos === 1 && chance.hits(weather().messageTwice);
      for (let copy = 0; copy < (twice ? 2 : 1); copy++) up.send(() => door?.heard(peer, topic, payload));
    },
    disconnect: () => void (leave() && up.send(serverLeaves)),
    vanish: () => void (leave() && time.after(chance.whole(0, keepaliveMs), () => serverIsIn && serverLeaves())),
  };
}

/** One direction: what is sent first arrives first. */
function lane(time: VirtualTime, delayMs: () => number) {
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
