/**
 * The networks, hosts and ports inside of the house that the operator admits for what people name themselves: feeds, websites
 * and alert channels, never callbacks of integrations, and never what a page from outside asks for (T-91, decision 35).
 */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { reasonOf } from '../../reasons/reason.ts';
import { plainAddress } from '../../runtime/plain-address.ts';
import { checkHost, isHomeAddress, isPublicAddress, privateRange } from './public-address.ts';
import { type AddressRule, type Destination, publicHosts } from './reach-host.ts';

/** An entry of the setting: a network or a host, at any port or at one. */
export type HomeEntry = { readonly port?: number } & (
  | { readonly name: string }
  | { readonly address: string; readonly prefix: number }
);

/** The places that are the service's own, or that it stands on, and which nobody may have asked. */
export interface OwnPlaces {
  /** The addresses of this machine, with the ports that the service listens at. */
  readonly addresses: () => readonly string[];
  readonly listening: () => readonly number[];
  /** The ports of the database, at whatever address of the house. */
  readonly databases: readonly number[];
  /** Hosts with their ports, `host:port` with the port always written: of the service's addresses, and of an object store. */
  readonly hosts: () => readonly string[];
}

/** The rule for one connection of an organization, and whether it led into the house. */
export interface HomeWatch {
  readonly rule: AddressRule;
  readonly isHome: () => boolean;
}

/** The home network, as organizations may use it. */
export interface HomeNetworks {
  /** Returns whether anything is admitted for an organization. */
  isFor(organizationId: string): boolean;
  /**
   * Returns the rule for one connection: to public hosts and admitted ones, or to admitted ones alone. Of a name the
   * admitted addresses are dialled, whatever else it has; without one, all of its addresses have to be public (T-03).
   */
  watch(organizationId: string, hosts?: 'all' | 'home'): HomeWatch;
}

const forms = [
  /^\[(?<host>[0-9a-f:.]+)(?:\/(?<bits>\d{1,3}))?\](?::(?<port>\d{1,5}))?$/,
  /^(?<host>[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*)(?:\/(?<bits>\d{1,3}))?$/,
  /^(?<host>[^:/[\]\s]+)(?:\/(?<bits>\d{1,3}))?(?::(?<port>\d{1,5}))?$/,
];
/** Names that lead to the machine itself, or under which clouds give out their secrets. */
const neverNamed = /^(?:.+\.)?localhost$|^metadata(?:\.google\.internal)?$|\.onion$/;
/** Containers and devices of a house have names with underscores, which resolvers answer. */
const isName = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Reads an entry of the setting, or states in words what is wrong with it. */
export function readHomeEntry(written: string): HomeEntry | { readonly mistake: string } {
  const text = written.trim().toLowerCase();
  const { host = '', bits, port: portText } = forms.map((form) => form.exec(text)?.groups).find((found) => found) ?? {};
  const port = portText === undefined ? {} : { port: Number(portText) };
  if (port.port !== undefined && (port.port < 1 || port.port > 65_535)) return { mistake: 'has no port of 1 to 65535' };
  const address = plainAddress(host);
  if (address === undefined) {
    if (bits !== undefined || !isName.test(host)) {
      return {
        mistake: 'is not a network, host or host with a port, such as 192.168.1.0/24, nas.lan:5000 or fd00::/8',
      };
    }
    return neverNamed.test(host) ? { mistake: 'is never asked for anybody' } : { name: host, ...port };
  }
  const most = isIPv4(address) ? 32 : 128;
  const prefix = bits === undefined ? most : Number(bits);
  const range = privateRange(address);
  if (prefix > most || range === undefined || prefix < range || (prefix === most && !isHomeAddress(address))) {
    const private_ = '10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10 and fc00::/7';
    return { mistake: `does not lie in one of the private networks: ${private_}. No others are ever admitted` };
  }
  return { address, prefix, ...port };
}

interface HomeDeps {
  readonly entries: readonly HomeEntry[];
  /** The organizations for which nothing is admitted. */
  readonly notFor: readonly string[];
  readonly own: OwnPlaces;
}

/** Makes the home network of a service. */
export function homeNetworks({ entries, notFor, own }: HomeDeps): HomeNetworks {
  const admits = entries.map(testOf);
  const isFor = (organizationId: string): boolean => entries.length > 0 && !notFor.includes(organizationId);

  /** Returns whether a place is the service's own. Addresses of the machine change, so they are asked for each time. */
  function isOwn(address: string, { hostname, port }: Destination): boolean {
    if (own.databases.includes(port) || own.hosts().includes(hostOf(hostname, port))) return true;
    return own.listening().includes(port) && own.addresses().some((one) => plainAddress(one) === plainAddress(address));
  }

  return {
    isFor,
    watch(organizationId, hosts = 'all') {
      let isHome = false;
      const mayUse = isFor(organizationId);
      const isAdmitted = (address: string, destination: Destination): boolean =>
        mayUse &&
        isHomeAddress(address) &&
        admits.some((admit) => admit(address, destination)) &&
        !isOwn(address, destination);
      const mayDial = (address: string, destination: Destination): boolean =>
        isAdmitted(address, destination) || (hosts === 'all' && isPublicAddress(address));
      const rule: AddressRule = {
        asMachine: mayUse,
        mayResolve: (name, { port }) =>
          isPublicName(name) ||
          (mayUse && entries.some((entry) => 'name' in entry && entry.name === plainName(name) && fits(entry, port))),
        mayDial(address, destination) {
          isHome = isAdmitted(address, destination);
          return mayDial(address, destination);
        },
        // Routers answer a name of the house with global addresses, too.
        choose(answers, destination) {
          const admitted = answers.filter((address) => isAdmitted(address, destination));
          if (admitted.length > 0) return admitted;
          return answers.every((address) => mayDial(address, destination)) ? answers : [];
        },
        refusal(host) {
          if (mayBeHome(host)) return reasonOf('not-at-home');
          return hosts === 'home' && isPublicAddress(host) ? reasonOf('plain-not-at-home') : undefined;
        },
      };
      return { rule, isHome: () => isHome };
    },
  };
}

export const noHomeNetworks: HomeNetworks = homeNetworks({
  entries: [],
  notFor: [],
  own: { addresses: () => [], listening: () => [], databases: [], hosts: () => [] },
});

/** The rule for public hosts that people name: also those with underscores, which integrations do not have. */
export const namedPublicHosts: AddressRule = { ...publicHosts, mayResolve: isPublicName };

/** Returns whether a name may be public by its shape. */
function isPublicName(name: string): boolean {
  return checkHost(name.replaceAll('_', 'x')).kind === 'name';
}

/** Returns whether an operator could admit a host: an address or a name that was refused. */
function mayBeHome(host: string): boolean {
  return isIP(host) === 0 ? !neverNamed.test(plainName(host)) : isHomeAddress(host);
}

const fits = ({ port }: HomeEntry, asked: number): boolean => port === undefined || port === asked;
const plainName = (name: string): string => (name.endsWith('.') ? name.slice(0, -1) : name);
const hostOf = (hostname: string, port: number): string => `${plainName(hostname)}:${port}`;

/** Makes the test whether an entry admits an address that is asked under a host name and port. */
function testOf(entry: HomeEntry): (address: string, destination: Destination) => boolean {
  if ('name' in entry) return (_, { hostname, port }) => entry.name === plainName(hostname) && fits(entry, port);
  const family = isIPv4(entry.address) ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(entry.address, entry.prefix, family);
  return (address, { port }) =>
    (isIPv4(address) ? 'ipv4' : 'ipv6') === family && list.check(address, family) && fits(entry, port);
}
