/**
 * Refuses CONNECTs for what they ask for: the connection is closed, and the refusal is recorded for the firmware's
 * author.
 */

import type { Client, ConnectPacket } from 'aedes';
import type { Reason } from '../../reasons/reason.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { Clock } from '../../runtime/clock.ts';
import { inBackground } from '../../runtime/in-background.ts';
import type { Logger } from '../../runtime/logger.ts';
import { type AdmittingFrames, addressOf } from '../identity/admit-frame.ts';
import { countPerMinute } from '../identity/count-per-minute.ts';
import { connectProblem, foreignMqtt } from './connect-rules.ts';

/** CONNACK 1, unacceptable protocol version, as every version of MQTT before 5 writes it. */
const unacceptableVersion = Buffer.from([0x20, 2, 0, 1]);

/**
 * Creates the function that the broker calls before each login. The refusal of a frame that proves its identity becomes
 * an alert. The refusal of anybody else becomes a line of the log, once an address and minute, so that nobody without
 * credentials can fill the log.
 * @param protocolViolated reports each problem of a frame once a minute
 */
export function refuseConnects(
  deps: {
    readonly admission: Pick<AdmittingFrames, 'admit'>;
    readonly logger: Logger;
    readonly clock: Pick<Clock, 'now'>;
  },
  protocolViolated: (serial: string, problem: Reason) => void,
  messagesWaiting: () => number,
): (client: Client, packet: ConnectPacket, done: (error: Error | null, goesOn: boolean) => void) => void {
  const { admission, logger, clock } = deps;
  const refusalsOf = countPerMinute(clock);

  async function record(client: Client, packet: ConnectPacket, problem: Reason): Promise<void> {
    const { clientId: id, username } = packet;
    const address = addressOf(client.conn) ?? 'gone';
    const credentials = { username, password: packet.password?.toString('utf8') };
    // The client id is in the packet alone until the client is let in.
    const login = await admission.admit(
      { id, conn: client.conn, closed: client.closed },
      credentials,
      messagesWaiting(),
    );
    if (login.ok) protocolViolated(login.serial, problem);
    else if (refusalsOf(address) === 1)
      logger.info({ frame: id.slice(0, 64), problem: wordsOf(problem) }, 'connection refused');
  }

  async function refuse(client: Client, packet: ConnectPacket, problem: Reason): Promise<void> {
    await record(client, packet, problem).catch((error: unknown) => logger.error({ error }, 'refusal not recorded'));
    if (foreignMqtt(packet) === undefined) return;
    // The answer is written before the connection ends.
    await new Promise<void>((written) => client.conn.write(unacceptableVersion, () => written()));
  }

  return (client, packet, done) => {
    const problem = connectProblem(packet);
    if (problem === undefined) return done(null, true);
    inBackground(logger, 'refuse a connection', () =>
      refuse(client, packet, problem).finally(() => done(new ReasonedError(problem), false)),
    );
  };
}
