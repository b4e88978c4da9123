/** The addresses that are given to others, and a warning about those that lead to this computer alone. */
import { type AnswerOf, callApi } from '../ground/call-api.ts';
import { type Resource, useResource } from '../ground/resource.ts';
import { t } from '../ground/words.ts';

/** Reads the addresses that the service hands out. */
export const useAddresses = (): Resource<AnswerOf<'GET /devices/addresses'>> =>
  useResource((signal) => callApi('GET /devices/addresses', { signal }), []);

/** Whether a host is reached by its own machine alone, or by nobody. */
export const leadsHereAlone = (host: string): boolean =>
  /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1?\]?)$/i.test(host);

interface ReachWarningProps {
  /** An address, or the host of one; nothing while it is not known. */
  readonly address: string | undefined;
  readonly whom: 'frames' | 'people';
}

/** Draws the warning where others do not reach an address. It stands above what hands the address out. */
export const ReachWarning = ({ address, whom }: ReachWarningProps) => {
  if (address === undefined) return null;
  const host = URL.canParse(address) ? new URL(address).hostname || address : address;
  return leadsHereAlone(host) ? <p class="warn">{t(`reach.${whom}`)}</p> : null;
};
