/** How frames reach the service. */
import type { GatewayDeps } from '../../../gateway/gateway.ts';
import { callerAddress, trustedPeers } from '../../http/caller-address.ts';
import { requestOrigin } from '../../http/request-origin.ts';
import { brokerName, serverNames } from '../settings/server-names.ts';
import type { Settings } from '../settings/settings.ts';

/** Returns where the broker listens, the names in its certificate, and how a request shows a frame's address and the one that it asked. */
export function frameConnections(
  settings: Settings,
): Pick<GatewayDeps, 'listen' | 'serverNames' | 'brokerName' | 'addressOf' | 'askedAt'> {
  const { PAPERGATE_MQTT_HOST: host, PAPERGATE_MQTTS_PORT: tlsPort, PAPERGATE_MQTT_PORT: plainPort } = settings;
  const proxies = settings.PAPERGATE_TRUSTED_PROXIES;
  const isNamed = (settings.PAPERGATE_DOWNLOAD_URL ?? settings.PAPERGATE_PUBLIC_URL) !== undefined;
  const originOf = requestOrigin(proxies, undefined);
  return {
    listen: { host, tlsPort, plainPort, isProxy: trustedPeers(proxies) },
    serverNames: serverNames(settings),
    brokerName: brokerName(settings),
    addressOf: callerAddress(proxies),
    askedAt: isNamed ? undefined : (request) => originOf(request).base,
  };
}
