/**
 * The packet guard stands between a socket and the broker's parser. It ends connections that claim a packet over the
 * limit before anything of it is buffered. It hands data on in small pieces, and no faster than it is handled;
 * data that is not read stays with its sender. It shadows `read` of the accepted socket, which costs 4 % of the wake
 * rate, where a stream in between would cost 27 %.
 */
import type { Duplex } from 'node:stream';
import { limits } from '../../firmware-protocol/limits.ts';
import type { Clock } from '../../runtime/clock.ts';

/**
 * The most packets in one piece: 64 KiB of packets of two bytes each would keep everybody else waiting for a second.
 */
const packetsAtOnce = 16;
/** The interval in which a busy guard looks again whether the packets before are handled. */
const busyMs = 10;

/** Follows the framing of MQTT through chunks, without keeping any of them. */
export class PacketMeter {
  /** The number of packets that began in the last accepted chunk. */
  begun = 0;
  private bodyLeft = 0;
  private lengthBytes = 0;
  private length = 0;
  private inHeader = false;

  /**
   * Follows a chunk up to where one packet more than `maxPackets` would begin.
   * @returns the number of bytes up to there; undefined when a packet claims more than the limit, or has an invalid
   * length
   */
  accept(chunk: Uint8Array, limitBytes: number, maxPackets = Number.POSITIVE_INFINITY): number | undefined {
    this.begun = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.bodyLeft > 0) {
        const skipped = Math.min(this.bodyLeft, chunk.length - at);
        this.bodyLeft -= skipped;
        at += skipped;
        continue;
      }
      if (!this.inHeader) {
        if (this.begun === maxPackets) break;
        this.begun++;
        at++;
        this.inHeader = true;
        this.length = 0;
        this.lengthBytes = 0;
        continue;
      }
      const byte = chunk[at++] as number;
      this.length += (byte & 0x7f) * 128 ** this.lengthBytes;
      this.lengthBytes++;
      if (this.length > limitBytes || this.lengthBytes > 4) return undefined;
      if ((byte & 0x80) === 0) {
        this.inHeader = false;
        this.bodyLeft = this.length;
      }
    }
    return at;
  }
}

export interface PacketGuardDeps {
  readonly clock: Pick<Clock, 'after'>;
  /** True while so many packets wait to be handled that none is handed on. */
  readonly isBusy: () => boolean;
  /**
   * Called with each piece that is about to be handed on. It returns the pause after the piece in milliseconds, or
   * undefined when the connection is to end instead.
   */
  readonly handsOn: (packets: number, bytes: number) => number | undefined;
  /** Called once, before the socket is destroyed for a packet over the limit. */
  readonly refused: () => void;
}

/** Guards a socket that is about to be handed to the broker. */
export function guardPackets(socket: Duplex, { clock, isBusy, handsOn, refused }: PacketGuardDeps): void {
  const meter = new PacketMeter();
  const read = socket.read.bind(socket);
  let isHeldBack = false;

  function holdBack(ms: number): void {
    isHeldBack = true;
    clock.after(ms, () => {
      isHeldBack = false;
      // The stream has announced its data already and does not announce it again, so the reader is woken here.
      if (!socket.destroyed) socket.emit('readable');
    });
  }

  socket.read = (size?: number) => {
    // A read of size 0 is the stream's own, to have its buffer filled.
    if (size === 0) return read(0);
    if (!isHeldBack && isBusy()) holdBack(busyMs);
    if (isHeldBack) return null;
    const chunk: unknown = read(size);
    if (!(chunk instanceof Uint8Array)) return chunk;
    const bytes = meter.accept(chunk, limits.packetBytes, packetsAtOnce);
    const pauseMs = bytes === undefined ? undefined : handsOn(meter.begun, bytes);
    if (bytes === undefined) refused();
    if (pauseMs === undefined) {
      socket.destroy();
      return null;
    }
    if (pauseMs > 0) holdBack(pauseMs);
    if (bytes === chunk.length) return chunk;
    // The rest goes back into the stream's own buffer, so that the stream ends only when that is empty.
    socket.unshift(chunk.subarray(bytes));
    return chunk.subarray(0, bytes);
  };
}
