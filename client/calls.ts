/** The calls of the API by their names, and the requests that they are: what people outside and the console share. */
import type { Calls } from './contract.ts';

/** A call of the API by its method and path. */
export type CallName = keyof Calls;
/** The answer of a call. */
export type AnswerOf<Name extends CallName> = Calls[Name]['answer'];
/** The body of a call, sent as JSON. */
export type BodyOf<Name extends CallName> = NonNullable<PartOf<Name, 'body'>>;
/** The query of a call. */
export type QueryOf<Name extends CallName> = PartOf<Name, 'query'>;

/** A part of a call as the contract describes it; undefined where the call has none of it. */
type PartOf<Name extends CallName, Key extends string> = Calls[Name] extends { readonly [One in Key]: infer Fields }
  ? Fields
  : undefined;

/** A part of a call: not there where the call has none, and optional where none of it is required. */
type Part<Name extends CallName, Key extends string, Fields = PartOf<Name, Key>> = [Fields] extends [undefined]
  ? { readonly [One in Key]?: undefined }
  : Partial<Fields> extends Fields
    ? { readonly [One in Key]?: Fields }
    : undefined extends Fields
      ? { readonly [One in Key]?: Fields }
      : { readonly [One in Key]: Fields };

/** The values of a call besides its name: the parameters of its path, its query, a body as JSON, or the fields of a form. */
export type Given<Name extends CallName> = Part<Name, 'path'> &
  Part<Name, 'query'> &
  Part<Name, 'body'> &
  Part<Name, 'form'> &
  Common;

interface Common {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `Given`, which may be left out where a call needs nothing. */
export type Arguments<Name extends CallName> =
  Partial<Given<Name>> extends Given<Name> ? [given?: Given<Name>] : [given: Given<Name>];

/** The calls that end: all but the stream of changes. */
export type AnsweredName = Exclude<CallName, 'GET /changes/stream'>;
/** Makes a call and returns what it answers: a `Blob` where that is a file, undefined for an answer without a body. */
export type AnsweredCall = <Name extends AnsweredName>(
  name: Name,
  ...given: Arguments<Name>
) => Promise<AnswerOf<Name>>;

type ParameterValue = string | number | boolean | undefined;
type FormValue = string | Blob | readonly Blob[] | undefined;

/** `Given` as it is sent: what the compiler has checked by the call's name. */
interface Sent extends Common {
  readonly path?: Readonly<Record<string, ParameterValue>>;
  readonly query?: Readonly<Record<string, ParameterValue>>;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, FormValue>> | undefined;
}

/** A call as a request: `path` begins with a slash and has the query, `content` is JSON where it is a text. */
export interface CallRequest extends Common {
  readonly method: string;
  readonly path: string;
  readonly content?: string | FormData | Blob | undefined;
}

/** Returns the request that a call is. */
export function requestOf<Name extends CallName>(name: Name, ...[given]: Arguments<Name>): CallRequest {
  const { path, query, body, form, ...common } = (given ?? {}) as Sent;
  const json = body === undefined || body instanceof Blob ? body : JSON.stringify(body);
  return {
    ...common,
    method: name.slice(0, name.indexOf(' ')),
    path: `${fillPath(name, path)}${searchOf(query)}`,
    content: form === undefined ? json : formOf(form),
  };
}

declare const isFilled: unique symbol;
/** A path of the API whose parameters are filled in. */
export type ApiPath = string & { readonly [isFilled]: true };

/** Returns the path of a call, with its query. */
export function pathOf<Name extends CallName>(
  name: Name,
  parameters: PartOf<Name, 'path'>,
  query?: QueryOf<Name>,
): ApiPath {
  return `${fillPath(name, parameters as Sent['path'])}${searchOf(query as Sent['query'])}` as ApiPath;
}

/** A segment such as `..` would lead to another route (T-37). */
function fillPath(name: CallName, parameters: Sent['path'] = {}): string {
  const path = name.slice(name.indexOf(' ') + 1);
  return path.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = String(parameters[key] ?? '');
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name}: ${key} is ${value || 'empty'}`);
    return encodeURIComponent(value);
  });
}

/** Returns `?` and the fields that have a value. */
function searchOf(fields: Sent['query'] = {}): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)]))}`;
}

function formOf(fields: NonNullable<Sent['form']>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) if (one !== undefined) form.append(name, one);
  }
  return form;
}
