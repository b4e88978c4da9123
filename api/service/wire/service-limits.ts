/** How often callers may call, counted over all nodes where there are several. */
import type { Cluster } from '../../../cluster/cluster.ts';
import { challengesPerMinute, joinsPerMinute, signInsPerMinute } from '../../directory/directory-deps.ts';
import {
  generalRequestsPerMinute,
  madeShare,
  organizationRequestsPerMinute,
  rateLimit,
} from '../../http/limit-rate.ts';
import { testsPerMinute } from '../../routes/alerts/routes.ts';

/** Calls a minute: of an account or address, of an organization, and of what can be guessed or costs much. */
const ratesOfService = {
  requests: generalRequestsPerMinute,
  organizationRequests: organizationRequestsPerMinute,
  joins: joinsPerMinute,
  signIns: signInsPerMinute,
  challenges: challengesPerMinute,
  alertTests: testsPerMinute,
};

/** Calls per minute, by limit. */
export type ServiceRates = typeof ratesOfService;

/** The limits of the HTTP API. */
export type ServiceLimits = ReturnType<typeof serviceLimits>;

/** Returns the limits, with nothing counted yet; they hold for all processes of the cluster together. */
export function serviceLimits({ counters }: Pick<Cluster, 'counters'>, rates: ServiceRates = ratesOfService) {
  return {
    requests: rateLimit(rates.requests, counters('requests')),
    organizationRequests: rateLimit(rates.organizationRequests, counters('organization requests')),
    madeRequests: rateLimit(rates.organizationRequests * madeShare, counters('made requests')),
    joins: rateLimit(rates.joins, counters('joins')),
    signIns: rateLimit(rates.signIns, counters('sign-ins')),
    challenges: rateLimit(rates.challenges, counters('challenges')),
    alertTests: rateLimit(rates.alertTests, counters('alert tests')),
  };
}
