/** `papergate integrations serve`: hosts a checkout of integrations until it is ended. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { imageProcesses } from '../../api/images/image-process/image-process.ts';
import { homeNetworks, readHomeEntry } from '../../api/outgoing/home-networks.ts';
import { systemNetwork } from '../../api/outgoing/system-network.ts';
import { openWayOut, type WayOut } from '../../api/outgoing/way-out.ts';
import { systemClock } from '../../runtime/clock.ts';
import { dialledHost, joinAddress } from '../../runtime/join-address.ts';
import { parseUrl } from '../../runtime/read-address.ts';
import { printJson, printLine } from '../ground/print.ts';
import { WrongUsage, wholeNumberOption } from '../ground/usage.ts';
import { openCheckout } from './checkout.ts';
import { defaultHandlerLimits, type HandlerLimits, openHandlerPool } from './handler-pool.ts';
import { integrationsServer } from './integrations-server.ts';

/** The options of the command. */
export interface ServeFolderOptions {
  readonly port: string;
  readonly host: string;
  readonly url?: string;
  readonly name?: string;
  readonly env?: readonly string[];
  readonly home?: readonly string[];
  readonly json?: boolean;
}

/** A host that runs. */
export interface RunningHost {
  /** Its address, without a slash at its end. */
  readonly base: string;
  /** The port that it listens at. */
  readonly port: number;
  /** How many integrations its catalogue has. */
  readonly integrations: number;
  /** The integrations and icons that its catalogue lacks, with the reason. */
  readonly leftOut: readonly string[];
  stop(): Promise<void>;
}

/** The machine's own parts, which a test replaces. */
export interface HostSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly wayOut: WayOut;
  readonly limits: HandlerLimits;
}

/**
 * Starts a host.
 * @throws WrongUsage for a folder, an address or an option that cannot be used
 */
export async function startHost(
  folder: string,
  options: ServeFolderOptions,
  { environment, wayOut, limits }: HostSurroundings,
): Promise<RunningHost> {
  const port = wholeNumberOption('--port', options.port, 0, 65_535);
  const { env, home } = { env: environmentOf(options.env ?? [], environment), home: homeOf(options.home ?? []) };
  const given = options.url === undefined ? undefined : baseOf(options.url);
  const checkout = await openCheckout(folder);
  const images = imageProcesses(systemClock, { warn: () => {} });
  const pool = openHandlerPool({ root: checkout.root, env, wayOut, home, limits });
  let base = given ?? '';
  const server = integrationsServer({
    checkout,
    pool,
    decodeIcon: images.normalizeImage,
    name: options.name ?? basename(checkout.root),
    base: () => base,
  });
  const stop = async (): Promise<void> => {
    pool.stop();
    images.stop();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  server.listen(port, options.host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    images.stop();
    throw new WrongUsage(
      `${options.host}:${port} cannot be listened at (${error.code})`,
      'name another --port or --host',
    );
  });
  const { port: listening } = server.address() as AddressInfo;
  base = given ?? joinAddress('http', dialledHost(options.host), listening);
  const { document, leftOut } = await server.catalogue();
  return { base, port: listening, integrations: document.integrations.length, leftOut, stop };
}

/** Hosts a folder until the process receives a signal. */
export async function serveFolder(folder: string, options: ServeFolderOptions): Promise<void> {
  const wayOut = openWayOut({ network: systemNetwork({ clock: systemClock }), clock: systemClock });
  const running = await startHost(folder, options, { environment: process.env, wayOut, limits: defaultHandlerLimits });
  const { base, integrations, leftOut } = running;
  if (options.json === true) printJson({ address: base, catalogue: `${base}/catalogue.json`, integrations, leftOut });
  else {
    for (const line of leftOut) printLine(`not in the catalogue: ${line}`);
    printLine(`${integrations} integrations are at ${base}/ and their catalogue is ${base}/catalogue.json`);
  }
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  await running.stop();
}

/** Returns the variables that handlers see: those that were named, and no others. */
function environmentOf(
  named: readonly string[],
  environment: HostSurroundings['environment'],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    named.map((name) => {
      const value = environment[name];
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || /^(?:NODE_|LD_)/.test(name) || value === undefined) {
        throw new WrongUsage(
          `--env ${name.split('=')[0]}`,
          'name a variable that is set here, for example --env TODOIST_API_TOKEN',
        );
      }
      return [name, value];
    }),
  );
}

/** Returns the places of the home network that handlers may ask. */
function homeOf(written: readonly string[]) {
  const entries = written.map((text) => {
    const entry = readHomeEntry(text);
    if ('mistake' in entry)
      throw new WrongUsage(`--home ${text} ${entry.mistake}`, 'for example --home 192.168.1.0/24');
    return entry;
  });
  return homeNetworks({
    entries,
    notFor: ['redirected'],
    own: { addresses: () => [], listening: () => [], databases: [], hosts: () => [] },
  });
}

function baseOf(written: string): string {
  const url = parseUrl(written);
  const isBase = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '';
  if (!isBase || url.username !== '' || url.hash !== '')
    throw new WrongUsage(`--url ${written}`, 'an address without a path, for example https://integrations.example.org');
  return url.origin;
}
