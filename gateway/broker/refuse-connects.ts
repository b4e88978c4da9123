/** CONNECTs that are refused for what they ask for: closed, and written down for whoever writes the firmware. */
import type { Client, ConnectPacket } from 'aedes';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { type AdmittingFrames, addressOf } from './admit-frame.ts';
import { connectProblem, foreignMqtt } from './connect-rules.ts';
import { countPerMinute } from './count-per-minute.ts';

/** CONNACK 1, unacceptable protocol version, as every version before 5 writes it. */
const unacceptableVersion = Buffer.from([0x20, 2, 0, 1]);

/**
 * Makes what the broker asks before each login. Of a frame that proves its identity a refusal is an alert; of whoever proves none, a line
 * of the log, one an address and minute: strangers fill neither.
 * @param misbehaved says each problem of a frame once a minute
 */
export function refuseConnects(
  edges: {
    readonly admission: Pick<AdmittingFrames, 'admit'>;
    readonly logger: Logger;
    readonly clock: Pick<Clock, 'now'>;
  },
  misbehaved: (serial: string, problem: string) => void,
  messagesWaiting: () => number,
): (client: Client, packet: ConnectPacket, done: (error: Error | null, goesOn: boolean) => void) => void {
  const { admission, logger, clock } = edges;
  const strangers = countPerMinute(clock);

  async function record(client: Client, packet: ConnectPacket, problem: string): Promise<void> {
    const { clientId: id, username } = packet;
    const address = addressOf(client.conn) ?? 'gone';
    const credentials = { username, password: packet.password?.toString('utf8') };
    // Its client id is in the packet alone until it is let in.
    const login = await admission.admit(
      { id, conn: client.conn, closed: client.closed },
      credentials,
      messagesWaiting(),
    );
    if (login.ok) misbehaved(login.serial, problem);
    else if (strangers(address) === 1) logger.warn({ frame: id.slice(0, 64), problem }, 'connection refused');
  }

  async function refuse(client: Client, packet: ConnectPacket, problem: string): Promise<void> {
    await record(client, packet, problem).catch((error: unknown) => logger.error({ error }, 'refusal not recorded'));
    if (foreignMqtt(packet) === undefined) return;
    // On its way before the connection ends.
    await new Promise<void>((written) => client.conn.write(unacceptableVersion, () => written()));
  }

  return (client, packet, done) => {
    const problem = connectProblem(packet);
    if (problem === undefined) return done(null, true);
    void refuse(client, packet, problem).then(() => done(new Error(problem), false));
  };
}
