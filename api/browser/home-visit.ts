/**
 * Decides which connections of one visit may lead into the house. A page of the house may request hosts inside and
 * outside of it; a page from outside, however it was reached, none inside (T-92, decision 35).
 */
import type { HomeNetworks } from '../outgoing/home-networks.ts';
import type { AddressRule } from '../outgoing/reach-host.ts';

/** The rule for one connection, and the callback for when it has been made. */
export interface JudgedConnection {
  readonly rule: AddressRule;
  readonly made: () => void;
}

/** One visit. Hosts are written with their ports. */
export interface HomeVisit {
  /** Judges a connection before it is made. */
  judge(host: string): JudgedConnection;
  /**
   * Returns whether a document of a host may be opened in any frame, and from then on holds the host to the house: pages
   * from outside are not part of a page of the house, for they would ask in its name.
   */
  mayOpen(host: string): boolean;
  /** Returns whether a host was held to the house, and is therefore refused when it lies outside. */
  isHeld(host: string): boolean;
  /** Returns whether all connections to a host led into the house so far. */
  isAtHome(host: string): boolean;
  /** Takes the house away from the visit for good. */
  leave(): void;
}

/** The first page of a visit, which a person named, and whose organization it is. */
export interface FirstPage {
  readonly organizationId: string;
  readonly host: string;
}

/**
 * Makes the judge of a visit. Where the first page lies decides: the address that was dialled for it, not its name.
 * @param outside the rule for hosts outside
 */
export function homeVisit(home: HomeNetworks, outside: AddressRule, first: FirstPage | undefined): HomeVisit {
  let place: 'undecided' | 'house' | 'outside' = first === undefined ? 'outside' : 'undecided';
  /** The hosts of documents in the house. */
  const held = new Set<string>();
  /** The other hosts that were asked: the connections that are being made, and whether one led outside. */
  const others = new Map<string, { underWay: number; isOutside: boolean }>();
  const organizationId = first?.organizationId ?? '';

  return {
    judge(host) {
      if (place === 'undecided' && host === first?.host) {
        const watch = home.watch(organizationId);
        const made = (): void => {
          if (place === 'undecided') place = watch.isHome() ? 'house' : 'outside';
          if (place === 'house') held.add(host);
        };
        return { rule: watch.rule, made };
      }
      if (place !== 'house') return { rule: outside, made: () => {} };
      if (held.has(host)) return { rule: home.watch(organizationId, 'home').rule, made: () => {} };
      const watch = home.watch(organizationId);
      const other = others.get(host) ?? { underWay: 0, isOutside: false };
      others.set(host, other);
      other.underWay++;
      const made = (): void => {
        other.underWay--;
        if (!watch.isHome()) other.isOutside = true;
      };
      return { rule: watch.rule, made };
    },
    mayOpen(host) {
      if (place !== 'house' || held.has(host)) return true;
      const other = others.get(host);
      if (other !== undefined && (other.underWay > 0 || other.isOutside)) return false;
      held.add(host);
      return true;
    },
    isHeld: (host) => held.has(host),
    isAtHome: (host) => place === 'house' && (held.has(host) || others.get(host)?.isOutside === false),
    leave() {
      place = 'outside';
    },
  };
}
