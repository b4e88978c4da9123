/** A route is a value: its input, its callers, its answer. The list of routes is the HTTP surface. */
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { RefusalCode } from '../../reasons/refusals.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import type { Principal } from '../access/principal.ts';
import type { Audit, Noted } from './audited.ts';
import type { Caller } from './caller.ts';
import type { EventStream } from './event-stream.ts';
import { objectId } from './field-shapes.ts';
import type { Redirect } from './redirect.ts';
import type { Streamed } from './stream-list.ts';
import type { UploadedFile } from './uploaded-file.ts';
import type { WrittenAnswer } from './written-answer.ts';

/**
 * The caller of a route: anybody, a person (API key or JWT), the holder of a connection's content token, or a guest with
 * the secret of their link.
 */
type Access = 'anyone' | 'person' | 'connection' | 'guest';

/** A file field of a form, for the contract. */
interface FileField {
  readonly description: string;
  /** The number of parts that may bear the name, 1 by default. */
  readonly most?: number;
}

/** One call as a handler sees it. `principal` is present exactly for `person` routes. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly files: readonly UploadedFile[];
  readonly principal: Principal;
  /** The address of the caller, read from headers only behind trusted proxies (T-23). */
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
  readonly caller: Caller;
  /** Adds to the log of who did what something that only the handler knows. */
  readonly note: (noted: Noted) => void;
}

/** A call before its body was read. */
export type Arrival<Params = unknown, Query = unknown> = Omit<Call<Params, Query>, 'body' | 'files'>;

/** A route. `admit` decides from path and headers alone, before the body is read (INV-66). */
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
  /** `person` by default. */
  readonly access: Access;
  /**
   * The status of success: 200 by default, or 204 without an `output`; 302 for a handler that gives a `Redirect`. One that
   * gives `undefined` answers 204 without a body instead.
   */
  readonly status: 200 | 201 | 202 | 204 | 302;
  /** The names in the path: ids of ours by default. */
  readonly params: Params;
  readonly query?: Query;
  readonly body?: Body;
  /**
   * `json` by default; `multipart` fills `files` and puts text fields into the body; `bytes` is one file named `body`.
   */
  readonly bodyType?: 'json' | 'multipart' | 'bytes';
  /** The file fields of a `multipart` body, by name. */
  readonly files?: Readonly<Record<string, FileField>>;
  readonly bodyLimitBytes?: number;
  /** The text field of a JSON body that holds a file. */
  readonly fileText?: {
    readonly name: string;
    /**
     * Returns the file, and the body without it.
     * @param text the file's text where it is too long to be read with the body; a mark stands for it there
     */
    takeOut(
      body: z.output<Body>,
      text?: Buffer,
    ): { readonly body: z.output<Body>; readonly files: readonly UploadedFile[] };
  };
  /** The code of the refusal for a body that does not fit `body`; `invalid-request` by default. */
  readonly malformed?: 'invalid-request' | 'invalid-integration-request';
  readonly output: Output;
  /** The answer stays open and sends events; `output` describes the data of one. */
  readonly isEventStream?: true;
  /** The media type of the file that the answer is; `output` is `FileAnswer` itself then. */
  readonly fileType?: 'text/csv' | 'application/pdf' | 'application/jsonl';
  /**
   * The refusals of the handler, for the contract; `not-found` and `access-denied` by default. Refusals about the
   * caller and the form of a request are added to every route.
   */
  readonly refuses?: readonly RefusalCode[];
  /** The answer's `Set-Cookie`, for the contract. */
  readonly setsCookie?: string;
  /** How calls are recorded in the log of who did what; every route except those that only read declares it. */
  readonly audit?: Audit;
  /** The answer must not be stored by anybody (INV-69). */
  readonly noStore?: boolean;
  /**
   * Returns the sharer of the call, where `admit` knows better than the credential: work for the call is shared under
   * it (T-61).
   */
  readonly sharer?: (admitted: Admitted) => Sharer;
  readonly admit?: (arrival: Arrival<z.output<Params>, z.output<Query>>) => Promise<Admitted>;
  readonly handle: (
    call: Call<z.output<Params>, z.output<Query>, z.output<Body>>,
    admitted: Admitted,
  ) => Promise<z.input<Output> | Streamed<z.input<Output>> | EventStream | Redirect | WrittenAnswer>;
}

/** Any route, as the server and the OpenAPI document see it. */
// biome-ignore lint/suspicious/noExplicitAny: the list mixes routes of every shape; each was checked where it was made
export type AnyRoute = Route<any, any, any, any, any>;

/** A route by the name of its calls, such as `GET /devices/:deviceId`. */
export type RouteName = `${Route['method']} ${string}`;

type NamesIn<Name extends string> = Name extends `${string}:${infer One}/${infer Rest}`
  ? One | NamesIn<`/${Rest}`>
  : Name extends `${string}:${infer One}`
    ? One
    : never;

type IdsIn<Name extends string> = z.ZodType<Readonly<Record<NamesIn<Name>, string>>>;

type Named = 'method' | 'path';
type Defaults = 'access' | 'status' | 'params' | 'output';

/**
 * Declares a route with its types checked against each other, and fills in what it leaves to the defaults. The body of a
 * person's call is closed: a field that it does not name is refused by its name (T-17). Forms and integrations may send
 * more than is read (C-08).
 */
export function route<
  Name extends RouteName,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Params extends z.ZodType = IdsIn<Name>,
  Output extends z.ZodType = z.ZodVoid,
  Admitted = undefined,
>(
  name: Name,
  value: Omit<Route<Params, Query, Body, Output, Admitted>, Named | Defaults> &
    Partial<Pick<Route<Params, Query, Body, Output, Admitted>, Defaults>>,
): AnyRoute {
  const [method, path] = name.split(' ') as [AnyRoute['method'], string];
  const ids = [...path.matchAll(/:(\w+)/g)].map(([, id = '']) => [id, objectId]);
  const filled: AnyRoute = {
    access: 'person',
    status: value.output === undefined ? 204 : 200,
    params: z.object(Object.fromEntries(ids)),
    output: z.void(),
    ...value,
    method,
    path,
  };
  const isClosed = filled.access === 'person' && value.bodyType !== 'multipart' && value.malformed === undefined;
  return isClosed && value.body instanceof z.ZodObject ? { ...filled, body: value.body.strict() } : filled;
}
