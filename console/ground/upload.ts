/** Calls that send files and report their progress, which `fetch` does not. */
import { type AnswerOf, type Arguments, type CallName, requestOf } from '../../client/calls.ts';
import { apiBase } from './base.ts';
import { Problem, problemOf } from './call-api.ts';

/** How much of an upload has gone, in bytes. */
export interface Progress {
  readonly sent: number;
  readonly total: number;
}

/**
 * Makes a call and reads its JSON, as `callApi` does.
 * @param note is called with the progress
 * @throws Problem for every answer but success
 */
export function uploadApi<Name extends CallName>(
  name: Name,
  note: (progress: Progress) => void,
  ...given: Arguments<Name>
): Promise<AnswerOf<Name>> {
  const { method, path, content, headers, signal } = requestOf(name, ...given);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, new URL(path.replace(/^\//, ''), apiBase));
    request.setRequestHeader('x-papergate-console', '1');
    for (const [header, value] of Object.entries(headers ?? {})) request.setRequestHeader(header, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => note({ sent: loaded, total }));
    request.addEventListener('load', () => {
      const { status, responseText } = request;
      const body = parsed(responseText);
      if (status >= 200 && status < 300) resolve(body as AnswerOf<Name>);
      else reject(problemOf({ status, path, retryAfter: request.getResponseHeader('retry-after') }, body));
    });
    request.addEventListener('error', () => reject(new Problem(0, {})));
    request.addEventListener('abort', () => reject(signal?.reason ?? new Problem(0, {})));
    signal?.addEventListener('abort', () => request.abort());
    if (signal?.aborted) reject(signal.reason);
    else request.send(content ?? null);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
