/** Process entry: Aedes as it comes, plain and over TLS with client certificates: the peer of the idle bench. */
import { createServer as createPlainServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes } from 'aedes';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { answerParent } from '../gateway/lone-process.ts';

const [, , dataFolder = ''] = process.argv;
const authority = await openAuthority(dataFolder, Date.now());
const { certificate: cert, key } = await authority.server(['127.0.0.1'], Date.now());
const aedes = await Aedes.createBroker();
const plain = await portOf(createPlainServer({ noDelay: true }, aedes.handle));
const tls = await portOf(
  createTlsServer({ key, cert, ca: authority.root, requestCert: true, noDelay: true }, aedes.handle),
);
answerParent({ plain, tls });

function portOf(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : 0);
    });
  });
}
