// @ts-check
/**
 * Calls the API for the console's pages: as the person whose key this browser tab holds, else as the one who is signed
 * in to the console.
 */

const keyName = 'papergate-key';

/** Tells whether the tab holds a key. */
export const hasKey = () => sessionStorage.getItem(keyName) !== null;

/** @param {string} key */
export const keepKey = (key) => sessionStorage.setItem(keyName, key);

export const forgetKey = () => sessionStorage.removeItem(keyName);

/** The address of the service, with the path prefix below which it is reached. */
const base = import.meta.url.slice(0, import.meta.url.lastIndexOf('/console/') + 1);

/**
 * Returns what proves who calls. Without a key it is the session's cookie, which counts only beside a header that no
 * other origin can send: a foreign page has nothing to act with (T-57).
 * @param {string | null} key
 * @returns {{ headers: Record<string, string>, credentials: 'omit' | 'same-origin' }}
 */
function proofOf(key) {
  if (key === null) return { headers: { 'x-papergate-console': '1' }, credentials: 'same-origin' };
  const headers = /^[0-9a-f]{64}$/.test(key) ? { 'x-api-key': key } : { authorization: `Bearer ${key}` };
  return { headers, credentials: 'omit' };
}

/**
 * Calls the API as the person.
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>}
 */
export async function call(method, path, body) {
  const { headers, credentials } = proofOf(sessionStorage.getItem(keyName));
  if (body !== undefined) headers['content-type'] = 'application/json';
  const answer = await fetch(new URL(path.replace(/^\//, ''), base), {
    method,
    headers,
    credentials,
    cache: 'no-store',
    redirect: 'error',
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error('Papergate cannot be reached.');
  });
  const decoded = await answer.json().catch(() => ({}));
  if (answer.ok) return decoded;
  const absent = answer.status === 404 ? 'The paper is not there, or it is not yours' : undefined;
  const problem = new Error(absent ?? decoded.message ?? `The service answered ${answer.status}`);
  throw Object.assign(problem, { hint: decoded.hint, isLogin: answer.status === 401 });
}

/**
 * Describes an error in sentences: what went wrong, and what to do.
 * @param {string} what
 * @param {unknown} error
 */
export function sentence(what, error) {
  const { message, hint } = /** @type {{ message: string, hint?: string }} */ (error);
  const reason = message.replace(/\.?$/, '.');
  return `${what}${reason}${hint === undefined ? '' : ` ${hint.replace(/^./, (first) => first.toUpperCase()).replace(/\.?$/, '.')}`}`;
}
