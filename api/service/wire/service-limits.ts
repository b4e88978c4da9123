/** How often callers may call, counted over all nodes where there are several. */
import { noTallies, type Tallies } from '../../../runtime/nodes/tallies.ts';
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

/** Calls a minute, by what is limited. */
export type ServiceRates = typeof ratesOfService;

/** The limits of the HTTP API. */
export type ServiceLimits = ReturnType<typeof serviceLimits>;

/** Returns the limits, with nothing counted yet. `tallies` makes them hold for all nodes together. */
export function serviceLimits(tallies: Tallies = noTallies, rates: ServiceRates = ratesOfService) {
  return {
    requests: rateLimit(rates.requests, tallies('requests')),
    organizationRequests: rateLimit(rates.organizationRequests, tallies('organization requests')),
    madeRequests: rateLimit(rates.organizationRequests * madeShare, tallies('made requests')),
    joins: rateLimit(rates.joins, tallies('joins')),
    signIns: rateLimit(rates.signIns, tallies('sign-ins')),
    challenges: rateLimit(rates.challenges, tallies('challenges')),
    alertTests: rateLimit(rates.alertTests, tallies('alert tests')),
  };
}
