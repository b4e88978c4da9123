/** Calls the API by any path, as tests want it: what the description does not name, and what the compiler would refuse. */

import { type ClientCredentials, wordedError } from '../cli/ground/client.ts';
import { askService, checkAddress } from '../client/send.ts';

/**
 * Makes a call, with JSON or a form, and returns what it answers.
 * @throws Refused for every status that is not a success, Unreachable when no service answered
 */
export async function callApi<Answer>(
  { url, apiKey, bearer }: ClientCredentials,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const content = body === undefined || body instanceof FormData ? body : JSON.stringify(body);
  const address = checkAddress({ url, apiKey, token: bearer, retries: 0 });
  const answer = await askService(address, { method, path, content }).catch((error: unknown) => {
    throw wordedError(error);
  });
  return answer as Answer;
}
