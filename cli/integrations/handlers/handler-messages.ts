/** The messages between a host of integrations and the processes that run their handlers. */

/** The bounds of messages, in bytes: of heads, and of bodies and answers. */
export const handlerBounds = { headBytes: 512 * 1024, bytes: 20 * 2 ** 20 } as const;

/** A request of a browser, as a handler sees it. */
export interface HandlerRequest {
  readonly method: string;
  /** The path with its query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of a POST. */
  readonly body: unknown;
}

/** A message of the host: a call of a handler, or the answer to a request that a handler made. */
export type HostMessage =
  | { readonly call: number; readonly name: string; readonly query: unknown; readonly request: HandlerRequest }
  | {
      readonly ask: number;
      readonly status: number;
      readonly url: string;
      readonly redirected: boolean;
      readonly headers: readonly (readonly [string, string])[];
    }
  | { readonly ask: number; readonly failed: string };

/** A request that a handler makes of a stranger. Its body comes as bytes. */
export interface HandlerAsk {
  readonly ask: number;
  readonly method: string;
  readonly url: string;
  readonly redirect: 'follow' | 'manual' | 'error';
  readonly headers: readonly (readonly [string, string])[];
}

/** Why a call has no answer: there is no such handler, or it failed in its own words. */
export interface HandlerFailure {
  readonly call: number;
  readonly why: 'no-handler' | 'failed' | 'not-json' | 'too-long';
  readonly words: string;
}

/** A message of a process. The answer of a call comes as bytes of JSON. */
export type HandlerMessage =
  | 'ready'
  | { readonly call: number; readonly done: true }
  | HandlerFailure
  | HandlerAsk
  | { readonly leave: number };
