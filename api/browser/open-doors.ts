/**
 * Runs inside the browser's own network: opens a listening socket on its loopback and passes it to the service, which
 * stays outside (own-network.ts). It ends with the service.
 */
import { type AddressInfo, createServer } from 'node:net';

process.on('message', (options) => {
  const door = createServer();
  door.on('error', () => process.exit(1)); // The service opens another network.
  door.listen(0, '127.0.0.1', () => {
    // From here on the service alone accepts from the socket and closes it.
    const { port } = door.address() as AddressInfo;
    process.send?.({ options, port }, door, () => door.close());
  });
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
