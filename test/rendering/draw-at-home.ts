/**
 * Draws two websites of the house over TLS in a process of its own: Node reads `NODE_EXTRA_CA_CERTS` at its start alone.
 * Takes the certificates of both as JSON, and prints what came of each.
 */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import { homeNetworks } from '../../api/outgoing/home-networks.ts';
import { publicHosts } from '../../api/outgoing/reach-host.ts';
import type { Credential } from '../../gateway/identity/make-certificate.ts';
import { wordsOf } from '../../reasons/words.ts';
import { dialHere, wayHere, withRendering } from './render-world.ts';

/** The outcome of each website: `drawn` with its warnings, or why it was not. */
export type DrawnAtHome = readonly string[];

const credentials: Readonly<Record<string, Credential>> = JSON.parse(process.argv[2] ?? '{}');

const body = '<!doctype html><body style="background: #ddd"><h1>Page</h1><img src="https://other.lan/part.png">';
const server = createServer(
  {
    SNICallback(name, done) {
      const { key, certificate: cert } = credentials[name] ?? {};
      done(null, createSecureContext({ ...(key && { key }), ...(cert && { cert }) }));
    },
  },
  (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(body),
);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

const home = homeNetworks({
  entries: [{ address: '192.168.1.0', prefix: 24 }],
  notFor: [],
  own: { addresses: () => [], listening: () => [], databases: [], hosts: () => [] },
});
const wayOut = wayHere({
  resolve: async () => ['192.168.1.5'],
  dial: (target, signal) => dialHere({ ...target, port }, signal),
});
const found = await withRendering(
  async (rendering) => {
    const said: string[] = [];
    for (const name of Object.keys(credentials)) {
      const drawn = await rendering.renderPage({
        sharer: ['o', 'p'],
        url: `https://${name}/`,
        width: 200,
        height: 100,
      });
      said.push(drawn.ok ? `drawn; ${drawn.warnings.join(' ')}` : wordsOf(drawn.reason));
    }
    return said;
  },
  { rule: publicHosts, wayOut, home, trustsOwn: process.env.NODE_EXTRA_CA_CERTS !== undefined },
);
server.closeAllConnections();
server.close();
process.stdout.write(JSON.stringify(found satisfies DrawnAtHome));
