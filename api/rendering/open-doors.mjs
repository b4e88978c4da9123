/**
 * Runs inside the browser's own network: opens a listening socket on its loopback and hands it to the service, which
 * stays outside (own-network.ts). Ends with the service.
 */
import { createServer } from 'node:net';

process.on('message', (wish) => {
  const door = createServer();
  door.listen(0, '127.0.0.1', () => {
    // What was handed over is the service's alone to accept from and to close.
    process.send({ wish, port: door.address().port }, door, () => door.close());
  });
});
process.on('disconnect', () => process.exit());
process.send('ready');
