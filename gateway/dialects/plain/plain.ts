/**
 * The dialect of frames that poll one address: `GET /plain/SERIAL` is answered with the picture itself, `304` means
 * that the frame has it already, and a frame may report by `POST /plain/SERIAL/report` that it has drawn it. The
 * headers are defined in `firmware-protocol/plain`; docs/plain-polling.md has the recipes.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type PlainCall, readPlainCall } from '../../../firmware-protocol/plain/header-names.ts';
import type { PolledDeps, PolledDialect } from '../dialect.ts';
import { answerPoll } from './poll.ts';
import { takeReport } from './report.ts';
import { sayProblem } from './say.ts';

/** The path before the serial of a frame. */
export const plainPrefix = '/plain';

/** The address that a frame asks. */
export function pollAddressOf(base: string, serial: string): string {
  return `${base}${plainPrefix}/${serial}`;
}

/** How long a frame waits that came too often, in seconds. */
const floodSeconds = 60;

/** The dialect. Until a frame reports, it states only what it has, not what it shows (docs/plain-polling.md). */
export const plainDialect: PolledDialect = {
  name: 'plain',
  traits: { knowsDigests: false, probesFirst: false, proves: 'reported', provesAtOnce: false, knowsCommands: false },
  open(deps) {
    return (request, response) => {
      const [path = ''] = (request.url ?? '').split('?');
      if (!path.startsWith(`${plainPrefix}/`)) return false;
      answer(deps, path.slice(plainPrefix.length), request, response).catch((error: unknown) => {
        deps.logger.error({ error }, 'a call of a frame was not answered');
        // Without any answer a frame keeps what it has, and comes again.
        response.socket?.destroy();
      });
      return true;
    };
  },
};

async function answer(
  deps: PolledDeps,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, serial, report] = /^\/([\w-]{1,64})(\/report)?\/?$/.exec(path) ?? [];
  if (serial === undefined)
    return sayProblem(response, 404, { error: 'no such address', hint: `GET ${plainPrefix}/SERIAL` });
  const methods = report === undefined ? ['GET', 'HEAD'] : ['POST'];
  if (!methods.includes(request.method ?? '')) {
    const allow = methods.join(', ');
    return sayProblem(response, 405, { error: 'no such method', hint: `one of ${allow}` }, { allow });
  }
  const call = readPlainCall(request.headers);
  const known = await admitted(deps, serial, call, response);
  if (known === undefined) return;
  const isLook = request.method === 'HEAD';
  if (report === undefined) await answerPoll(deps, { ...call, serial: known, isLook }, response);
  else await takeReport(deps, known, request, response);
}

/** Lets a frame in by its key, which only headers carry (T-97). @returns its registry key; undefined when it was refused */
async function admitted(
  deps: PolledDeps,
  serial: string,
  { key }: PlainCall,
  response: ServerResponse,
): Promise<string | undefined> {
  const login = key === undefined ? undefined : await deps.admit(serial, key);
  if (login?.ok === true) return login.serial;
  if (login?.returnCode === 3) {
    const wait = { 'retry-after': String(floodSeconds) };
    const hint = 'the frame is to sleep as long as it is sent';
    sayProblem(response, 429, { error: 'too many calls', hint }, wait);
    return undefined;
  }
  // A wrong key, a key of another frame and a frame that does not exist are answered the same.
  const hint = 'send the key of this very frame: Authorization: Bearer KEY';
  sayProblem(response, 401, { error: 'no such frame and key', hint }, { 'www-authenticate': 'Bearer' });
  return undefined;
}
