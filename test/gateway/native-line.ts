/** A native frame's connection, spoken by hand: each message is the test's own. */
import { createHash } from 'node:crypto';
import { type MqttLine, openLine } from './mqtt-line.ts';
import { getPicture } from './picture-get.ts';
import type { GatewayWorld } from './world.ts';

/** The picture a `desired` names. */
export interface DesiredPicture {
  readonly upload: string;
  readonly fileVersion: number;
  readonly url: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly format: string;
}

export interface NativeLine {
  readonly line: MqttLine;
  /** Says something; true when it was acknowledged. */
  say(name: string, message: Record<string, unknown>): Promise<boolean>;
  hello(more?: Record<string, unknown>): Promise<boolean>;
  /** The picture of the next `desired`, undefined when it names none. */
  desired(): Promise<DesiredPicture | undefined>;
  /** Fetches, and returns the digest of what came. */
  fetch(picture: DesiredPicture): Promise<string>;
  report(picture: DesiredPicture, more?: Record<string, unknown>): Promise<boolean>;
}

/** Logs a provisioned frame in and subscribes to the gateway's messages. */
export async function nativeLine(
  world: Pick<GatewayWorld, 'ports' | 'downloadsSettled'>,
  serial: string,
  credential: { root: string; certificate: string; key: string },
): Promise<NativeLine> {
  const line = await openLine({ port: world.ports.tls, root: credential.root, credential });
  const code = await line.login({ clientId: serial });
  const granted = await line.subscribe(`frames/1/${serial}/desired`, `frames/1/${serial}/command`);
  if (code !== 0 || granted === 'closed') throw new Error(`login answered ${code}, subscribe ${granted}`);
  const say = (name: string, message: Record<string, unknown>) =>
    line.publish(`frames/1/${serial}/${name}`, JSON.stringify(message), { qos: 1 });
  return {
    line,
    say,
    hello: (more = {}) =>
      say('hello', {
        boot: 7,
        firmware: '1.0.0',
        panel: 'epd7',
        fileVersion: 0,
        pictureSynced: false,
        batteryMv: 4900,
        rssi: -60,
        wake: 'timer',
        orientation: 2,
        sleepSeconds: 3600,
        ...more,
      }),
    desired: async () => (await line.message()).picture as DesiredPicture | undefined,
    async fetch(picture) {
      const got = await getPicture(picture.url);
      await world.downloadsSettled();
      return createHash('sha256')
        .update(got?.body ?? '')
        .digest('hex');
    },
    report: ({ upload, fileVersion, sha256 }, more = {}) =>
      say('report', { upload, fileVersion, stage: 'shown', sha256, pictureSynced: true, ...more }),
  };
}
