/**
 * The air between a live frame and its service: connections through a climate. A socket of it stands below TLS and HTTP and
 * above a real one, so that the service sees what it would see: late bytes, resets, or a peer that is silent for ever.
 */
import net from 'node:net';
import { Duplex } from 'node:stream';
import type { Clock } from '../../runtime/clock.ts';
import { type AirLane, airLane } from './air-lane.ts';
import type { Climate } from './climates.ts';

/** Where a connection leads. */
interface Destination {
  readonly host: string;
  readonly port: number;
}

/** Opens a TCP connection; it emits `connect` once it is there, as a socket does. */
export type Connect = (to: Destination) => Duplex;

/** The air around one frame. */
export interface Air {
  /**
   * Opens a connection through the current climate; undefined while that is calm and the frame opens its own sockets.
   */
  readonly connect: Connect | undefined;
  /** Changes the climate: it applies to connections that are opened from now on. */
  enter(climate: Climate): void;
  /** Ends all of its connections at once, including those that neither side knows to be dead. */
  end(): void;
}

/** A connection that falls silent or is cut does so within its first 2^18 bytes. */
const lastByteExponent = 18;
/** How long the service does not notice that a frame has left a connection which fell silent. */
const ghostMs = 60_000;

/** Opens the air of a climate around a frame. */
export function openAir(first: Climate, draw: () => number, clock: Clock): Air {
  const open = new Set<net.Socket>();
  let climate = first;
  const connect: Connect = (to) => {
    const inner = net.connect(to);
    open.add(inner);
    inner.once('close', () => open.delete(inner));
    return new AirSocket(inner, climate, draw, clock);
  };
  return {
    get connect() {
      return Object.values(climate).every((value) => value === 0) ? undefined : connect;
    },
    enter(next) {
      climate = next;
    },
    end() {
      for (const inner of open) inner.destroy();
    },
  };
}

/** Draws the fate of a connection: chance decides it at its beginning. */
function fateOf({ cuts, halfOpen }: Climate, draw: () => number) {
  const [cut, silent, exponent] = [draw() < cuts, draw() < halfOpen, draw() * lastByteExponent];
  return { ends: cut ? 'cut' : silent ? 'silent' : undefined, bytesLeft: Math.floor(2 ** exponent) } as const;
}

class AirSocket extends Duplex {
  /** Whether the socket is still connecting; TLS reads this. */
  connecting = true;
  readonly #inner: net.Socket;
  readonly #clock: Clock;
  readonly #up: AirLane;
  readonly #down: AirLane;
  readonly #fate: ReturnType<typeof fateOf>['ends'];
  #bytesLeft: number;
  #isSilent = false;
  /** Whether the reader has asked for more. */
  #isAsked = false;
  #written: (() => void) | undefined;

  constructor(inner: net.Socket, climate: Climate, draw: () => number, clock: Clock) {
    super({ allowHalfOpen: false });
    this.#inner = inner;
    this.#clock = clock;
    const { ends, bytesLeft } = fateOf(climate, draw);
    this.#fate = ends;
    this.#bytesLeft = bytesLeft;
    const lost = (): void => this.#cut();
    this.#up = airLane(climate, draw, clock, {
      arrived: (bytes) => inner.write(bytes),
      lost,
      drained: () => this.#release(),
    });
    this.#down = airLane(climate, draw, clock, {
      arrived: (bytes) => {
        this.#isAsked = this.push(bytes);
      },
      lost,
      drained: () => this.#listen(),
    });
    this.#watch(inner);
  }

  /** The members that HTTP asks of sockets; the frames' own timers and the process need none of them. */
  readonly timeout = 0;
  setKeepAlive(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }

  override _read(): void {
    this.#isAsked = true;
    this.#listen();
  }

  override _write(bytes: Uint8Array, _encoding: string, done: () => void): void {
    this.#pass(this.#up, bytes);
    if (this.#up.isFull() && !this.#isSilent) this.#written = done;
    else done();
  }

  override _final(done: () => void): void {
    if (this.#isSilent) done();
    else {
      this.#up.afterwards(() => {
        this.#inner.end();
        done();
      });
    }
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#down.drop();
    this.#release();
    if (this.#isSilent) this.#clock.after(ghostMs, () => this.#inner.destroy());
    else this.#up.afterwards(() => this.#inner.destroy());
    done(error);
  }

  #watch(inner: net.Socket): void {
    inner.setNoDelay(true).pause();
    // The TCP handshake takes one round trip.
    inner.once('connect', () =>
      this.#up.afterwards(() =>
        this.#down.afterwards(() => {
          this.connecting = false;
          this.emit('connect');
          this.#listen();
        }),
      ),
    );
    inner.on('data', (bytes) => {
      this.#pass(this.#down, bytes);
      if (this.#down.isFull() || this.#isSilent) inner.pause();
    });
    let hasEnded = false;
    inner.on('end', () => {
      hasEnded = true;
      this.#down.afterwards(() => this.push(null));
    });
    inner.on('error', (error) => this.#isSilent || this.#down.afterwards(() => this.destroy(error)));
    inner.on('close', () => hasEnded || this.#isSilent || this.#down.afterwards(() => this.destroy()));
  }

  /** Takes more of what the service sends, where there is room for it. */
  #listen(): void {
    const hasRoom = this.#isAsked && !this.#down.isFull();
    if (hasRoom && !this.#isSilent && !this.connecting && !this.destroyed) this.#inner.resume();
  }

  /** Sends bytes into a lane, up to the one at which the connection ends. */
  #pass(lane: AirLane, bytes: Uint8Array): void {
    if (this.#isSilent) return;
    if (this.#fate === undefined || bytes.length < this.#bytesLeft) {
      this.#bytesLeft -= bytes.length;
      lane.send(bytes);
      return;
    }
    lane.send(bytes.subarray(0, this.#bytesLeft));
    this.#bytesLeft = 0;
    if (this.#fate === 'cut') lane.afterwards(() => this.#cut());
    else {
      this.#isSilent = true;
      this.#inner.pause();
    }
  }

  #cut(): void {
    this.#inner.resetAndDestroy();
    this.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
  }

  #release(): void {
    const done = this.#written;
    this.#written = undefined;
    done?.();
  }
}
