/** The ways out of a service, by its settings: for members, for its operator, and into the home network. */
import { allowsLoopback } from '../../integration/saved-urls.ts';
import { withOwnNames } from '../../outgoing/own-names.ts';
import { systemNetwork } from '../../outgoing/system-network.ts';
import { openWayOut } from '../../outgoing/way-out.ts';
import type { ServiceContext } from '../open/service-context.ts';
import type { Settings } from '../settings/settings.ts';
import { homeOfService } from './home-of-service.ts';
import { integrationRules } from './integration-of-service.ts';
import type { OwnAddressesRead } from './own-addresses.ts';

/** The ways out of the service, and the addresses that it allows there. */
export type Ways = ReturnType<typeof waysOfService>;

/** Opens the ways out. */
export function waysOfService(
  settings: Settings,
  { clock, network = systemNetwork({ clock }) }: Pick<ServiceContext, 'clock' | 'network'>,
  addresses: OwnAddressesRead,
) {
  const { PAPERGATE_USER_AGENT: userAgent } = settings;
  const rules = integrationRules(settings, addresses);
  return {
    rules,
    allowLoopback: allowsLoopback(rules),
    /** The way to addresses that members of organizations chose. */
    wayOut: openWayOut({ network, clock, userAgent }),
    /** The way to addresses that the operator chose. */
    operatorsWay: openWayOut({ network: withOwnNames(network), clock, userAgent }),
    home: homeOfService(settings, addresses),
  };
}
