/** The names of peers that connect through a load balancer, for TLS sockets too. */
import type { Socket } from 'node:net';
import { type NamedPeer, nameSocket } from '../../runtime/proxy-header.ts';
import { peerOf } from './limit-unauthenticated.ts';

/** Remembers which peer a connection of a balancer stands for, for the socket and for the TLS socket above it. */
export function openPeerNames() {
  const named = new Map<string, NamedPeer>();
  return {
    /** Gives a socket the address and port of the peer that it stands for. */
    name(socket: Socket, peer: NamedPeer): void {
      const own = peerOf(socket);
      named.set(own, peer);
      socket.once('close', () => named.delete(own));
      nameSocket(socket, peer);
    },
    /** Gives a TLS socket the name of the socket below it. */
    rename(socket: Socket): void {
      const peer = named.get(peerOf(socket));
      if (peer !== undefined) nameSocket(socket, peer);
    },
  };
}
