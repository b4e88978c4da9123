/** The home network of a service, by its settings, without the service's own addresses and ports. */
import { type HomeNetworks, homeNetworks } from '../../outgoing/home-networks.ts';
import { ownAddresses } from '../../outgoing/system-network.ts';
import type { Settings } from '../settings/settings.ts';
import type { OwnAddressesRead } from './own-addresses.ts';

/** Returns the home network. The service's own ports, and the servers that it depends on, do not belong to it. */
export function homeOfService(settings: Settings, addresses: OwnAddressesRead): HomeNetworks {
  const databases = [settings.DATABASE_URL, settings.DATABASE_DIRECT_URL].flatMap((url) =>
    url === undefined ? [] : [Number(new URL(url).port || 5432)],
  );
  const named = [
    settings.PAPERGATE_PUBLIC_URL,
    settings.PAPERGATE_FRAME_URL,
    settings.PAPERGATE_DOWNLOAD_URL,
    settings.S3_ENDPOINT,
  ];
  return homeNetworks({
    entries: settings.PAPERGATE_HOME_NETWORKS,
    notFor: settings.PAPERGATE_HOME_NETWORKS_NOT_FOR,
    own: {
      addresses: ownAddresses,
      databases,
      listening: () => [settings.PAPERGATE_MQTT_PORT, settings.PAPERGATE_MQTTS_PORT, portOf(addresses.read().http)],
      hosts: () => [...named, addresses.read().publicUrl].flatMap((url) => (url ? [hostWithPort(new URL(url))] : [])),
    },
  });
}

const hostWithPort = (url: URL): string => `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
const portOf = (http: string): number => (http === '' ? 0 : Number(new URL(http).port || 80));
