/** A small Bot API on loopback: updates until they are confirmed, files, messages, and faults. */

import type { FollowDeps } from '../../api/outgoing/follow-redirects.ts';
import { homeNetworks } from '../../api/outgoing/home-networks.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { systemClock } from '../../runtime/clock.ts';
import { fakeNetwork, withReceiver } from '../callbacks/receiver.ts';

export const fakeToken = '123456:AAbbCCddEEffGGhhIIjjKKllMMnnOOpp';

/** An answer in place of the right one. */
type Fault = { readonly status: number; readonly answer: object } | 'cut' | 'not JSON';

export interface FakeTelegram {
  readonly follow: FollowDeps;
  readonly server: URL;
  /** The calls, as method and what was asked. */
  readonly calls: { readonly method: string; readonly asked: Record<string, unknown> }[];
  /** Faults of the next calls of a method, in their order. */
  readonly faults: Map<string, Fault[]>;
  readonly files: Map<string, Buffer>;
  /** Gives confirmed updates again. */
  repeats: boolean;
  /** Adds a message, and returns the id of its update. */
  send(message: Record<string, unknown>): number;
  confirmed(): number;
}

/** Opens the server, and closes it after the test. */
export async function withTelegram(run: (telegram: FakeTelegram) => Promise<void>): Promise<void> {
  const updates: { update_id: number; message: object }[] = [];
  const calls: FakeTelegram['calls'] = [];
  const faults: FakeTelegram['faults'] = new Map();
  const files = new Map<string, Buffer>();
  let [confirmed, next, messages] = [0, 700_000_000, 0];
  let telegram: FakeTelegram | undefined;
  const results: Record<string, (asked: Record<string, unknown>) => unknown> = {
    getUpdates({ offset }) {
      confirmed = Number(offset);
      const given = updates.filter(({ update_id: id }) => telegram?.repeats || id >= confirmed);
      return given.slice(0, 100);
    },
    getFile: ({ file_id: id }) => ({ file_id: id, file_path: `photos/${id}.jpg` }),
    getMe: () => ({ id: 123456, is_bot: true, username: 'family_frame_bot' }),
    sendMessage: () => ({ message_id: ++messages }),
    editMessageText: () => true,
  };
  await withReceiver(
    ({ path, body }, response) => {
      const [, method, file] =
        new RegExp(`^/(?:bot${fakeToken}/(\\w+)|file/bot${fakeToken}/photos/(.*)\\.jpg)$`).exec(path) ?? [];
      const asked = body === '' ? {} : JSON.parse(body);
      calls.push({ method: method ?? `file ${file}`, asked });
      const fault = faults.get(method ?? 'file')?.shift();
      if (fault === 'cut')
        return void response.writeHead(200, { 'content-length': 1_000 }).write('{"ok":', () => response.destroy());
      if (fault === 'not JSON') return void response.writeHead(200).end('<html>');
      if (fault !== undefined) return void response.writeHead(fault.status).end(JSON.stringify(fault.answer));
      if (file !== undefined) {
        const content = files.get(file);
        return void response.writeHead(content === undefined ? 404 : 200).end(content);
      }
      const result = results[method ?? '']?.(asked);
      if (result === undefined) return void response.writeHead(404).end('{"ok":false,"error_code":404}');
      const answer = JSON.stringify({ ok: true, result });
      // An empty answer comes late, as with long polling.
      if (answer.endsWith('[]}')) setTimeout(() => response.writeHead(200).end(answer), 20);
      else response.writeHead(200).end(answer);
    },
    async ({ port }) => {
      const network = fakeNetwork(port, () => ['93.184.215.14']);
      const own = { addresses: () => [], listening: () => [], databases: [], hosts: () => [] };
      const home = homeNetworks({ entries: [], notFor: [], own });
      telegram = {
        follow: { wayOut: openWayOut({ network, clock: systemClock }), home },
        server: new URL('http://telegram.example'),
        calls,
        faults,
        files,
        repeats: false,
        confirmed: () => confirmed,
        send(message) {
          updates.push({ update_id: next, message: { message_id: ++messages, date: 1_768_000_000, ...message } });
          return next++;
        },
      };
      await run(telegram);
    },
  );
}
