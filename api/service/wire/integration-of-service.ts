/** The limits of integrations at a service, by its settings. */
import { BoundedMap } from '../../../runtime/bounded-map.ts';
import type { IntegrationSettings } from '../../integration/connection-deps.ts';
import type { Settings } from '../settings/settings.ts';
import type { OwnAddressesRead } from './own-addresses.ts';

/** Returns the rules. The hosts are known once the service listens, since its port may be chosen then (T-56). */
export function integrationRules(settings: Settings, addresses: OwnAddressesRead): IntegrationSettings {
  return {
    comparisons: new BoundedMap(200),
    production: settings.NODE_ENV === 'production',
    processingEnabled: settings.INTEGRATION_PROCESSING === 'enabled',
    messageSourcePrefix: settings.PAPERGATE_MESSAGE_SOURCE_PREFIX,
    allowLocalhost: settings.INTEGRATION_ALLOW_LOCALHOST === 'true',
    get publicHosts() {
      const { http, publicUrl } = addresses.read();
      return [http, publicUrl].filter((url) => url !== '').map((url) => new URL(url).host);
    },
  };
}
