/** The service's side of a connection: the socket and the response of one download, by their events only. */
import { EventEmitter } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';

const headBytes = 200;

/** The answer that came over the connection. */
export interface LineAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Uint8Array;
}

/** The service's socket, with the parts that its code uses and nothing else. */
export class LineSocket extends EventEmitter {
  bytesWritten = 0;
  readableEnded = false;
  destroyed = false;
  wasReset = false;
  private hasEnded = false;
  readonly hungUp: () => void;
  constructor(hungUp: () => void) {
    super();
    this.hungUp = hungUp;
  }
  end(): this {
    this.hasEnded = true;
    if (this.readableEnded) this.close();
    return this;
  }
  destroySoon(): void {}
  write(_bytes: Uint8Array, done: (error?: Error) => void): boolean {
    done(this.wasReset ? new Error('write ECONNRESET') : undefined);
    return true;
  }
  /** Is called when the peer ends its side. */
  peerEnds(): void {
    if (this.destroyed) return;
    this.readableEnded = true;
    this.emit('end');
    if (this.hasEnded) this.close();
  }
  /**
   * Is called when the peer closes with bytes unread. Its machine sends a reset at once where nothing more can come.
   */
  peerGivesUp(): void {
    if (this.hasEnded) this.peerResets();
    else this.peerEnds();
  }
  /** Is called when the peer resets the connection, because it threw bytes away. */
  peerResets(): void {
    if (this.destroyed) return;
    this.wasReset = true;
    // Answers whose downloads are not judged leave the socket to the server, which passes over its errors.
    if (this.listenerCount('error') > 0) this.emit('error', new Error('read ECONNRESET'));
    this.close();
  }
  destroy(): this {
    if (!this.destroyed) this.hungUp();
    this.close();
    return this;
  }
  private close(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}

/** The response that the service writes. */
export class LineResponse extends EventEmitter {
  readonly socket: LineSocket;
  readonly answered: (answer: LineAnswer) => void;
  private readonly pieces: Uint8Array[] = [];
  private status = 200;
  private headers: OutgoingHttpHeaders = {};
  constructor(socket: LineSocket, answered: (answer: LineAnswer) => void) {
    super();
    this.socket = socket;
    this.answered = answered;
  }
  setHeader(name: string, value: string): this {
    this.headers = { ...this.headers, [name]: value };
    return this;
  }
  writeHead(status: number, headers: OutgoingHttpHeaders): this {
    this.status = status;
    this.headers = { ...this.headers, ...headers };
    return this;
  }
  get headersSent(): boolean {
    return this.pieces.length > 0;
  }
  /** Takes every piece at once. */
  write(piece: Uint8Array, done: (error?: Error) => void): boolean {
    if (!this.socket.destroyed) {
      this.socket.bytesWritten += piece.length;
      this.pieces.push(piece);
    }
    queueMicrotask(() => done(this.socket.destroyed ? new Error('write after the end') : undefined));
    return true;
  }
  end(piece?: Uint8Array | string): this {
    if (this.socket.destroyed) return this;
    if (piece !== undefined) this.pieces.push(Buffer.from(piece));
    this.socket.bytesWritten += headBytes;
    this.answered({ status: this.status, headers: this.headers, body: Buffer.concat(this.pieces) });
    return this;
  }
}
