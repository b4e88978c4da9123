/**
 * A frame that polls as TRMNL's firmware does, written from that firmware and from nothing of the service: it keeps the
 * same state in flash and in memory that survives sleep, and sends the same requests.
 */
import { registerAdopted, requireAddress } from '../../gateway/adoption/adopt-frame.ts';
import { transact } from '../../runtime/database/database.ts';
import { getPicture, type Manner } from './picture-get.ts';
import type { GatewayWorld } from './world.ts';

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

export interface TrmnlFrame {
  readonly mac: string;
  /** Its memory: the key that it was given, the sleep that it stored, the name that it remembers. */
  key: string | undefined;
  refreshRate: number;
  remembered: string | undefined;
  /** The content of its glass: the bytes of a picture, or an error screen. */
  glass: Buffer | string | undefined;
  firmware: string;
  model: string;
  /** The network address that it calls from; undefined where it is unknown. */
  from: string | undefined;
  /** Asks for its key once. */
  setup(): Promise<Answer>;
  /** Asks for its key, and loses the answer. */
  setupInVain(): Promise<void>;
  /** Asks what to show, and does nothing about it. */
  ask(more?: Record<string, string>): Promise<Answer>;
  /** A whole wake: asks, downloads what it does not have, draws. */
  wake(more?: Record<string, string>): Promise<Answer>;
  log(lines: readonly unknown[]): Promise<number>;
  /** Downloads a picture as its firmware does: from 1.6.10 on it identifies itself. */
  download(url: string, manner?: Manner): ReturnType<typeof getPicture>;
}

/** Hangs a frame that is factory new. */
export function trmnlFrame(world: GatewayWorld, mac = 'AA:BB:CC:00:11:22'): TrmnlFrame {
  const headers = (): Record<string, string> => ({
    id: mac,
    'content-type': 'application/json',
    connection: 'close',
    'fw-version': frame.firmware,
    model: frame.model,
    ...(frame.from !== undefined && { 'x-test-from': frame.from }),
  });
  const call = async (path: string, more: Record<string, string>): Promise<Answer> => {
    const response = await fetch(`${world.url}/trmnl${path}`, { headers: { ...headers(), ...more } });
    const text = await response.text();
    return { status: response.status, text, body: text === '' ? {} : JSON.parse(text) };
  };
  const frame: TrmnlFrame = {
    mac,
    key: undefined,
    refreshRate: 900,
    remembered: undefined,
    glass: undefined,
    firmware: '1.8.14',
    model: 'og',
    from: undefined,
    async setupInVain() {
      await getPicture(`${world.url}/trmnl/api/setup`, 'drop body', { headers: headers() });
    },
    async setup() {
      const answer = await call('/api/setup', {});
      if (answer.body.status === 200) frame.key = String(answer.body.api_key);
      return answer;
    },
    ask: (more = {}) =>
      call('/api/display', {
        'access-token': frame.key ?? '',
        'refresh-rate': `${frame.refreshRate}`,
        'battery-voltage': '4.05',
        rssi: '-61',
        width: '800',
        height: '480',
        'update-source': 'timer',
        'image-cached': 'false',
        'wake-time': '9000',
        ...more,
      }),
    async wake(more = {}) {
      const answer = await frame.ask(more);
      const { filename, image_url: url, refresh_rate: rate } = answer.body;
      // The firmware stores the sleep as it reads the answer, before it downloads anything.
      frame.refreshRate = Number(rate);
      if (filename === frame.remembered) return answer;
      const got = await frame.download(String(url));
      await world.downloadsSettled();
      if (got === undefined) return answer;
      // The firmware compares the whole type; what is not a PNG to it is read as a bitmap, and that it is none is overlooked.
      if (got.headers['content-type'] !== 'image/png') return answer;
      frame.glass = got.body;
      frame.remembered = String(filename);
      return answer;
    },
    download(url, manner = 'whole') {
      const [major = 0, minor = 0, patch = 0] = frame.firmware.split('.').map(Number);
      const isNamed = major > 1 || minor > 6 || (minor === 6 && patch >= 10);
      const own = { ID: mac, 'Access-Token': frame.key ?? '' };
      return getPicture(url, manner, isNamed ? { headers: own } : {});
    },
    async log(lines) {
      const response = await fetch(`${world.url}/trmnl/api/log`, {
        method: 'POST',
        headers: { ...headers(), 'access-token': frame.key ?? '' },
        body: JSON.stringify({ logs: lines }),
      });
      return response.status;
    },
  };
  return frame;
}

/** The serial of a frame. */
export const serialOf = ({ mac }: TrmnlFrame): string => requireAddress(mac);

/** Makes a frame that has asked a frame of the service. */
export async function adopt(world: GatewayWorld, frame: TrmnlFrame, kind?: string, asker?: string): Promise<string> {
  const serial = serialOf(frame);
  await transact(world.db, (trx) => registerAdopted(trx, world, { serial, kind, asker }));
  await world.activate(serial);
  return serial;
}

/** Hangs a frame, adopts it and lets it have its key. */
export async function adopted(world: GatewayWorld, kind?: string): Promise<{ frame: TrmnlFrame; serial: string }> {
  const frame = trmnlFrame(world);
  await frame.setup();
  const serial = await adopt(world, frame, kind);
  await frame.setup();
  return { frame, serial };
}

/** Lets the frame sleep as long as it was sent. */
export const sleep = (world: GatewayWorld, frame: TrmnlFrame, part = 1): void =>
  world.clock.passes(frame.refreshRate * 1000 * part);
