/** The network, which is handed in: everything that asks somebody else's server stands on it. */
import type { Socket } from 'node:net';

/** The target of a connection: an address, never a name. `servername` is there for TLS to a named host. */
export interface DialTarget {
  readonly address: string;
  readonly port: number;
  readonly secure: boolean;
  readonly servername?: string;
}

/** The look-ups and connections of a network. Both leave nothing behind when the signal aborts them. */
export interface Network {
  /** Returns all IPv4 and IPv6 addresses of a name, as text. Throws when there is no answer. */
  resolve(name: string, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Returns the addresses of a name as this machine itself knows it, by its `hosts` file and search domains, too; left
   * out, as name servers know it.
   */
  resolveAsMachine?(name: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Returns a connected socket, after the TLS handshake where one is asked for. */
  dial(target: DialTarget, signal: AbortSignal): Promise<Socket>;
}
