/**
 * Resolves names as this machine knows them, for addresses that the operator configured and for those who may ask the
 * home network: a name on `localhost`, one that only the `hosts` file has, or one that a search domain completes. Name
 * servers are asked like everywhere else, since the machine's own resolving cannot be cancelled. A name that strangers
 * chose is never looked up like this (T-91).
 */
import { open } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Network } from './network.ts';

/** The most bytes that are read of a file. Lists against advertisements make large `hosts` files. */
const maxBytes = 4 * 1024 * 1024;
const maxSearched = 6;

/** The files in which the machine writes its names down. */
export interface NameFiles {
  readonly hosts: string;
  readonly resolver: string;
}

const systemFiles: NameFiles = { hosts: '/etc/hosts', resolver: '/etc/resolv.conf' };

/**
 * Returns the network with the machine's own names, in addition to those that name servers know as they are written.
 */
export function withOwnNames(network: Network, files: NameFiles = systemFiles): Network {
  return {
    dial: network.dial,
    async resolve(name, signal) {
      const listed = listedAddresses(await readStart(files.hosts), name);
      if (listed.length > 0) return listed;
      // RFC 6761: the name means these addresses, whatever any server says.
      if (name === 'localhost') return ['127.0.0.1', '::1'];
      let problem: unknown;
      for (const whole of completed(name, await readStart(files.resolver))) {
        try {
          return await network.resolve(whole, signal);
        } catch (error) {
          signal.throwIfAborted();
          problem = error;
        }
      }
      throw problem;
    },
  };
}

/** Reads the start of a file, or nothing where there is none. */
async function readStart(file: string): Promise<string> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return '';
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Returns the words of each line, without comments. */
function wordsOf(text: string): string[][] {
  return text.split('\n').map((line) => {
    const [said = ''] = line.split(/[#;]/, 1);
    return said.split(/\s+/).filter((word) => word !== '');
  });
}

function listedAddresses(hosts: string, name: string): string[] {
  return wordsOf(hosts).flatMap(([address = '', ...names]) =>
    isIP(address) !== 0 && names.some((known) => known.toLowerCase() === name) ? [address] : [],
  );
}

/** Returns the names that a short name may stand for, in the order in which the machine tries them. */
function completed(name: string, resolver: string): string[] {
  let domains: readonly string[] = [];
  let dots = 1;
  for (const [word, ...rest] of wordsOf(resolver)) {
    if (word === 'search' || word === 'domain') domains = rest.slice(0, maxSearched);
    if (word !== 'options') continue;
    for (const option of rest) if (/^ndots:\d{1,2}$/.test(option)) dots = Number(option.slice('ndots:'.length));
  }
  const searched = domains.map((domain) => `${name}.${domain}`);
  return name.split('.').length > dots ? [name, ...searched] : [...searched, name];
}
