/** The health of a service, by its settings. */
import { findBrowser } from '../../browser/find-browser.ts';
import type { SharedAddresses } from '../../http/shared-addresses.ts';
import type { Rendering } from '../../rendering/rendering.ts';
import type { Health } from '../../status/health.ts';
import { serviceHealth } from '../../status/probes.ts';
import type { ServiceContext } from '../open/service-context.ts';
import type { Settings } from '../settings/settings.ts';
import type { Core } from './core.ts';

/** Returns the health, part by part. */
export function healthOfService(
  settings: Settings,
  { db, clock }: Pick<ServiceContext, 'db' | 'clock'>,
  parts: {
    readonly core: Pick<Core, 'gateway'>;
    readonly rendering: Pick<Rendering, 'probe'>;
    readonly freeBytes: () => Promise<number>;
    readonly shared: Pick<SharedAddresses, 'found'>;
  },
): Health {
  return serviceHealth({
    db,
    clock,
    broker: parts.core.gateway.broker,
    mqttHost: settings.PAPERGATE_MQTT_HOST,
    rendering: parts.rendering.probe,
    findBrowser: () => findBrowser({ browserPath: settings.PAPERGATE_BROWSER, searchPath: settings.PATH }),
    freeBytes: parts.freeBytes,
    sharesAddress: parts.shared.found,
  });
}
