/** Reads one element `response` of a listed folder (RFC 4918, 14.24). */
import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import { decodeEntities } from '../entities.ts';

const parser = new XMLParser({
  ignoreAttributes: true,
  removeNSPrefix: true,
  parseTagValue: false,
  // Those five and numbers are decoded below; nobody may declare others.
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  isArray: (name) => name === 'propstat',
});

/** A text; of several the first one. What is of another shape counts as absent. */
const text = z
  .union([z.string(), z.array(z.string()).min(1)])
  .transform((value) => decodeEntities(typeof value === 'string' ? value : (value[0] ?? '')))
  .optional()
  .catch(undefined);

const properties = z
  .object({
    resourcetype: z.unknown(),
    displayname: text,
    getcontentlength: text,
    getcontenttype: text,
    getetag: text,
    getlastmodified: text,
    fileid: text,
  })
  .catch({ resourcetype: undefined });

const response = z.object({
  response: z.object({
    href: text,
    status: text,
    propstat: z
      .array(z.object({ status: text, prop: properties }).catch({ prop: { resourcetype: undefined } }))
      .catch([]),
  }),
});

/** A file or folder as a server lists it. */
export interface DavResponse {
  readonly href: string;
  readonly isFolder: boolean;
  readonly title?: string | undefined;
  readonly bytes?: number | undefined;
  readonly mediaType?: string | undefined;
  readonly etag?: string | undefined;
  /** When the file changed there, epoch milliseconds. */
  readonly changedAt?: number | undefined;
  /** The number of the file in Nextcloud and ownCloud. */
  readonly fileId?: string | undefined;
}

/** Reads an element; undefined for one that names no file that is there, and for what is not XML. */
export function readDavResponse(element: string): DavResponse | undefined {
  let read: z.infer<typeof response>;
  try {
    read = response.parse(parser.parse(element));
  } catch {
    return undefined;
  }
  const { href, status, propstat } = read.response;
  if (href === undefined || (status !== undefined && !isFine(status))) return undefined;
  // Properties that a file lacks stand in a `propstat` of their own, with status 404 (WD-6).
  const given = propstat.filter((one) => isFine(one.status ?? ' 200')).map(({ prop }) => prop);
  const first = <Value>(pick: (prop: z.infer<typeof properties>) => Value | undefined): Value | undefined =>
    given.map(pick).find((value) => value !== undefined && value !== '');
  const bytes = Number(first((prop) => prop.getcontentlength) ?? Number.NaN);
  const changedAt = Date.parse(first((prop) => prop.getlastmodified) ?? '');
  return {
    href: ownText(href),
    isFolder: given.some(({ resourcetype }) => isCollection(resourcetype)),
    title: ownText(first((prop) => prop.displayname)),
    bytes: Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : undefined,
    mediaType: first((prop) => prop.getcontenttype)?.toLowerCase(),
    etag: ownText(first((prop) => prop.getetag)?.replace(/^W\//, '')),
    changedAt: Number.isNaN(changedAt) ? undefined : changedAt,
    fileId: ownText(first((prop) => prop.fileid)),
  };
}

const isFine = (status: string): boolean => /\s2\d\d\b/.test(status);
const isCollection = (type: unknown): boolean => typeof type === 'object' && type !== null && 'collection' in type;

/** Copies a text: a part of a text keeps the whole one in memory, here the whole list. */
function ownText(value: string): string;
function ownText(value: string | undefined): string | undefined;
function ownText(value: string | undefined): string | undefined {
  return value === undefined ? undefined : Buffer.from(value).toString();
}
