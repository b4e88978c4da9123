/** The broker without its gateway: the test decides what it receives and sends. */

import { alone } from '../../cluster/alone.ts';
import { type BrokerDeps, type FrameBroker, startBroker } from '../../gateway/broker/broker.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { admission } from '../../gateway/identity/admit-frame.ts';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { systemClock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import type { GatewayWorld } from './world.ts';

/** Runs a test on a broker over a world's registry. */
export async function withBroker(
  world: GatewayWorld,
  deps: Pick<BrokerDeps, 'receive'> & Partial<BrokerDeps>,
  run: (broker: FrameBroker) => Promise<void>,
): Promise<void> {
  const authority = await openAuthority(world.dataFolder, 0);
  const broker = await startBroker(
    {
      messagesAtOnce: 6,
      logger: silentLogger,
      clock: systemClock,
      connected: () => {},
      disconnected: () => {},
      protocolViolated: () => {},
      left: () => {},
      admission: admission({
        registry: frameRegistry(world.db),
        clock: systemClock,
        protocolViolated: () => {},
        identityConflict: () => {},
        counters: alone.counters,
      }),
      ...deps,
    },
    {
      host: '127.0.0.1',
      tlsPort: 0,
      plainPort: 0,
      server: await authority.server(['127.0.0.1'], 0),
      root: authority.root,
    },
  );
  try {
    await run(broker);
  } finally {
    await broker.stop();
  }
}
