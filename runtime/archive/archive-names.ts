/** Names of the objects of an archive. They alone say which moments it holds, so that a list is enough to find them. */

/** A copy of the database, at the end of a segment of its chain. */
export interface NamedBase {
  readonly chain: string;
  readonly number: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly name: string;
  /** SHA-256 of the object. */
  readonly digest: string;
}

/** Changes of a span of time, up to `until`. */
export interface NamedSegment extends Omit<NamedBase, 'at'> {
  readonly from: number;
  readonly until: number;
}

/** The claim of a service on the place, renewed while it archives. */
export interface NamedLease {
  readonly epoch: number;
  readonly holder: string;
  readonly renewal: number;
  readonly until: number;
  readonly name: string;
}

/** The object that says whose archive it is. */
export const markerName = 'archive.json';
export const [chainsPrefix, leasesPrefix, filesPrefix] = ['chains/', 'leases/', 'files/'];

const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');

/** The name of a chain: chains sort as their services claimed the place. */
export const chainName = (epoch: number, count: number): string => `${padded(epoch, 8)}-${padded(count, 4)}`;

export const segmentName = ({ chain, number, from, until, digest }: Omit<NamedSegment, 'name'>): string =>
  `${chainsPrefix}${chain}/${padded(number, 8)}-${padded(from, 14)}-${padded(until, 14)}-${digest}`;

export const baseName = ({ chain, number, at, digest }: Omit<NamedBase, 'name'>): string =>
  `${chainsPrefix}${chain}/base-${padded(number, 8)}-${padded(at, 14)}-${digest}`;

/** The name of a part of a base, whose digest the base holds. */
export const partName = (chain: string, copy: string, part: number): string =>
  `${chainsPrefix}${chain}/part-${copy}-${padded(part, 6)}`;

export const isPartName = (name: string): boolean => /^chains\/[^/]+\/part-/.test(name);

export const leaseName = ({ epoch, holder, renewal, until }: Omit<NamedLease, 'name'>): string =>
  `${leasesPrefix}${padded(epoch, 8)}-${holder}-${padded(renewal, 10)}-${padded(until, 14)}`;

const basePattern = /^chains\/(\d{8}-\d{4})\/base-(\d{8})-(\d{14})-([0-9a-f]{64})$/;
const segmentPattern = /^chains\/(\d{8}-\d{4})\/(\d{8})-(\d{14})-(\d{14})-([0-9a-f]{64})$/;
const leasePattern = /^leases\/(\d{8})-([0-9A-Za-z]{1,64})-(\d{10})-(\d{14})$/;

export function readBaseName(name: string): NamedBase | undefined {
  const [, chain, number, at, digest] = basePattern.exec(name) ?? [];
  if (chain === undefined || digest === undefined) return undefined;
  return { chain, number: Number(number), at: Number(at), digest, name };
}

export function readSegmentName(name: string): NamedSegment | undefined {
  const [, chain, number, from, until, digest] = segmentPattern.exec(name) ?? [];
  if (chain === undefined || digest === undefined) return undefined;
  return { chain, number: Number(number), from: Number(from), until: Number(until), digest, name };
}

export function readLeaseName(name: string): NamedLease | undefined {
  const [, epoch, holder, renewal, until] = leasePattern.exec(name) ?? [];
  if (holder === undefined) return undefined;
  return { epoch: Number(epoch), holder, renewal: Number(renewal), until: Number(until), name };
}

/** The chain that an object belongs to. */
export const chainOf = (name: string): string => name.split('/')[1] ?? '';
