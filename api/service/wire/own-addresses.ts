/** Where the service itself is reached: known once it listens, since its port may be chosen then. */
import type { State } from '../../../runtime/signal.ts';

/** The addresses of the service. */
export interface OwnAddresses {
  /** Where it listens on this machine. */
  readonly http: string;
  /** The addresses that it gives to others. */
  readonly publicUrl: string;
}

/** The addresses of a service that is not reached yet. */
export const unreached: OwnAddresses = { http: '', publicUrl: '' };

/** The addresses for readers; the code that opens the listeners sets them. */
export type OwnAddressesRead = Pick<State<OwnAddresses>, 'read'>;
