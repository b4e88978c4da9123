/**
 * The dialect of the vendor's offline firmware: `GET /offline/SERIAL` with HTTP Basic is answered with the picture as a BMP,
 * or with 304. It asks twice a wake, and paints an error text over its picture at any other answer, so that there is
 * always one (OF-8). docs/offline-firmware.md says how a frame is set up.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBasic } from '../../../firmware-protocol/offline/wire.ts';
import { readPictureTag } from '../../../firmware-protocol/plain/picture-tag.ts';
import { reasonOf } from '../../../reasons/reason.ts';
import { frameRegistry } from '../../frames/registry.ts';
import type { PolledDeps, PolledDialect } from '../dialect.ts';
import { answerOffline, sayOffline } from './answer-offline.ts';
import { offlinePrefix } from './offline-addresses.ts';
import { answerSettings } from './offline-settings.ts';

/** The dialect. A later wake that names the tag proves the picture, where no wake failed in between (OF-9). */
export const offlineDialect: PolledDialect = {
  name: 'offline',
  traits: {
    knowsDigests: false,
    probesFirst: true,
    proves: 'named',
    provesAtOnce: false,
    knowsCommands: false,
    mayKeepItsSleep: true,
    // OF-13, OF-15, OF-19
    silence: reasonOf('remedy-offline-silence'),
  },
  open(deps) {
    return (request, response) => {
      const [path = ''] = (request.url ?? '').split('?');
      if (!path.startsWith(`${offlinePrefix}/`)) return false;
      answer(deps, path.slice(offlinePrefix.length), request, response).catch((error: unknown) => {
        deps.logger.error({ error }, 'a call of a frame was not answered');
        keepPicture(request, response);
      });
      return true;
    };
  },
};

/** A frame that names a picture keeps it, whatever went wrong here: without an answer it would paint an error text. */
function keepPicture(request: IncomingMessage, response: ServerResponse): void {
  const held = request.headers['if-none-match'];
  if (response.headersSent || held === undefined || readPictureTag(held) === undefined) response.socket?.destroy();
  else response.writeHead(304, { etag: held, connection: 'close' }).end();
}

async function answer(
  deps: PolledDeps,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'GET') {
    return sayOffline(response, 405, { error: 'no such method', hint: 'GET' }, { allow: 'GET' });
  }
  const [, secret] = /^\/settings\/([\w-]{16,100})$/.exec(path) ?? [];
  if (secret !== undefined) return answerSettings(deps, secret, request, response);
  const [, serial] = /^\/([\w-]{1,64})\/?$/.exec(path) ?? [];
  if (serial === undefined) {
    return sayOffline(response, 404, { error: 'no such address', hint: `GET ${offlinePrefix}/SERIAL` });
  }
  const login = await admitted(deps, serial, request);
  if (login === undefined) {
    // A wrong password, that of another frame and a frame that does not exist are answered the same.
    const hint = 'enter user and password of this very frame';
    const asked = { 'www-authenticate': 'Basic realm="papergate"' };
    return sayOffline(response, 401, { error: 'no such frame and password', hint }, asked);
  }
  const held = request.headers['if-none-match'];
  await answerOffline(deps, { ...login, held }, response);
}

/** A frame that was let in. */
interface OfflineLogin {
  readonly serial: string;
  /** True where too many call at once: the frame is answered, and its call is not recorded. */
  readonly isLook: boolean;
}

/** Lets a frame in by its password, which is sent at once (OF-3). @returns undefined when it was refused */
async function admitted(
  deps: PolledDeps,
  serial: string,
  { headers }: IncomingMessage,
): Promise<OfflineLogin | undefined> {
  const basic = readBasic(headers.authorization);
  if (basic === undefined) return undefined;
  const login = await deps.admit(serial, basic.password);
  if (login.ok) return { serial: login.serial, isLook: false };
  // OF-8: a frame that shows its password is answered also where too many want to be let in, or it came too often.
  if (login.returnCode !== 3) return undefined;
  const own = await frameRegistry(deps.db).matchingPassword(serial, basic.password);
  return own && { serial: serial.toLowerCase(), isLook: true };
}
