/** A route is a value: what it takes, who may call it, what it gives back. The list of them is the HTTP surface. */
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { RefusalCode } from '../../gateway/runtime/refusals.ts';
import type { Principal } from '../directory/principal.ts';
import type { Streamed } from './stream-list.ts';

/** Who may call: anybody, a person (API key or JWT), or the holder of a connection's content token. */
type Access = 'anyone' | 'person' | 'connection';

/** An uploaded file of a multipart body, in memory. */
export interface UploadedFile {
  readonly field: string;
  readonly bytes: Buffer;
}

/** A file field of a form, for the contract. */
interface FileField {
  readonly description: string;
  /** How many parts may bear the name; one unless said. */
  readonly most?: number;
}

/** One call as a handler sees it. `principal` is there exactly for `person` routes. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly files: readonly UploadedFile[];
  readonly principal: Principal;
  /** Address of the caller, behind trusted proxies only (T-23). */
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
}

/** A call before its body was read. */
export type Arrival<Params = unknown, Query = unknown> = Omit<Call<Params, Query>, 'body' | 'files'>;

/** A route. `admit` decides from path and headers alone, before the body is read (A-31, INV-66). */
export interface Route<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  Admitted = unknown,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  /** The status of success. A handler that gives `undefined` answers 204 without a body instead. */
  readonly status: 200 | 201 | 202 | 204;
  readonly params: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** `json` unless said; `multipart` fills `files` and puts text fields into the body; `bytes` is a body as it comes. */
  readonly bodyType?: 'json' | 'multipart' | 'bytes';
  /** File fields of a `multipart` body, by name. */
  readonly files?: Readonly<Record<string, FileField>>;
  readonly bodyLimitBytes?: number;
  /** Code of the refusal for a body that does not fit `body`; `invalid-request` unless said. */
  readonly malformed?: 'invalid-request' | 'invalid-integration-request';
  readonly output: Output;
  /**
   * What the contract says that the deed may be refused with; `not-found` and `access-denied` unless said. What may be
   * wrong with the caller and the form of a request goes without saying.
   */
  readonly refuses?: readonly RefusalCode[];
  /** The answer must not be stored by anybody (INV-69). */
  readonly noStore?: boolean;
  readonly admit?: (arrival: Arrival<z.output<Params>, z.output<Query>>) => Promise<Admitted>;
  readonly handle: (
    call: Call<z.output<Params>, z.output<Query>, z.output<Body>>,
    admitted: Admitted,
  ) => Promise<z.input<Output> | Streamed<z.input<Output>>>;
}

/** Any route, as the server and the OpenAPI document see it. */
// biome-ignore lint/suspicious/noExplicitAny: the list mixes routes of every shape; each was checked where it was made
export type AnyRoute = Route<any, any, any, any, any>;

/**
 * Writes a route down with its types checked against each other. The body of a person's call is closed: a field that it does
 * not name is refused by its name (T-17). Forms and integrations may tell more than is read (C-08).
 */
export function route<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Output extends z.ZodType,
  Admitted = undefined,
>(value: Route<Params, Query, Body, Output, Admitted>): AnyRoute {
  const isClosed = value.access === 'person' && value.bodyType !== 'multipart' && value.malformed === undefined;
  return isClosed && value.body instanceof z.ZodObject ? { ...value, body: value.body.strict() } : value;
}
