/** Process entry: the real gateway over a data folder that is provisioned already. */

import { join } from 'node:path';
import { alone } from '../../cluster/alone.ts';
import { createGateway, gatewayTables } from '../../gateway/gateway.ts';
import { systemClock } from '../../runtime/clock.ts';
import { openDatabase } from '../../runtime/database/database.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { systemRandom } from '../../runtime/random.ts';
import { answerParent } from './lone-process.ts';

/** The ports that it reports when it is ready. */
export interface LonePorts {
  readonly plain: number;
  readonly tls: number;
}

const [, , dataFolder = ''] = process.argv;
const gateway = await createGateway({
  db: await openDatabase({ file: join(dataFolder, 'papergate.sqlite') }, gatewayTables),
  clock: systemClock,
  random: systemRandom(systemClock),
  logger: silentLogger,
  dataFolder,
  listen: { host: '127.0.0.1', tlsPort: 0, plainPort: 0 },
  serverNames: ['127.0.0.1'],
  reported: () => {},
  cluster: alone,
});
const { mqtt, mqtts } = await gateway.start({ frameUrl: 'http://127.0.0.1', publicUrl: 'http://127.0.0.1' });
answerParent({ plain: Number(new URL(mqtt).port), tls: Number(new URL(mqtts).port) } satisfies LonePorts);
