/** The rules for CONNECT packets, and the problems and codes with which a CONNECT is refused. */

import type { AuthenticateError, ConnectPacket } from 'aedes';
import { limits } from '../../firmware-protocol/limits.ts';
import { type Because, type Reason, reasonOf } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';

/**
 * The length of protocol name, version, flags and keepalive of MQTT 3.1.1. Each field behind them has two bytes for its
 * length.
 */
const connectHeaderBytes = 10;

/** The version number of a CONNECT that is not MQTT 3.1.1; undefined when it is. */
export function foreignMqtt({ protocolId, protocolVersion }: ConnectPacket): string | undefined {
  if (protocolId === 'MQTT' && protocolVersion === 4) return undefined;
  return protocolVersion === 5 ? '5' : '3.1';
}

/**
 * The reason why a CONNECT is refused no matter who sends it, or undefined. A keepalive that is too short is raised in the
 * packet.
 */
export function connectProblem(packet: ConnectPacket): Reason | undefined {
  const foreign = foreignMqtt(packet);
  if (foreign !== undefined) return reasonOf('speaks-other-mqtt', { version: foreign });
  // B-14: a will could speak for a frame that is gone, and a stored session would outlive its connection (B-20).
  if (packet.will !== undefined && packet.will !== null) return reasonOf('wills-refused');
  if (packet.clean === false) return reasonOf('stored-sessions-refused');
  const contradiction = contradictionIn(packet);
  if (contradiction !== undefined) return contradiction;
  // B-10: frames in the field ask for 10 s, and are silent for longer while they download.
  if (packet.keepalive !== undefined && packet.keepalive > 0 && packet.keepalive < limits.keepaliveSeconds) {
    packet.keepalive = limits.keepaliveSeconds;
  }
  return undefined;
}

/** The contradiction in a CONNECT that the parser accepts (B-23); undefined when there is none. */
function contradictionIn(packet: ConnectPacket & { readonly bridgeMode?: boolean }): Reason | undefined {
  const { bridgeMode, username, password, clientId, length } = packet;
  // The highest bit of the version is used by some brokers among themselves, and changes the meaning of a subscription.
  if (bridgeMode === true) return reasonOf('connects-as-bridge');
  if (password !== undefined && username === undefined) return reasonOf('password-without-name');
  const bytes = [clientId, username ?? '', password ?? ''].reduce((sum, field) => sum + Buffer.byteLength(field), 0);
  const fields = 1 + Number(username !== undefined) + Number(password !== undefined);
  if (length !== connectHeaderBytes + 2 * fields + bytes) return reasonOf('connect-too-long');
  return undefined;
}

/** A refusal that the frame is sent: CONNACK 3 for "come again later", or 5 for wrong credentials. */
export function refusal(problem: Because, returnCode: 3 | 5): AuthenticateError {
  return Object.assign(new Error(wordsOf(problem)), { returnCode }) as AuthenticateError;
}

/** The alert about a frame that speaks a version of the native dialect which this gateway does not know. */
export function foreignVersion(version: number): Reason {
  return reasonOf('speaks-other-version', { version });
}

/**
 * The violation for which the broker closed a frame's connection. It is undefined when the frame is not at fault: a
 * socket that died, a keepalive that ran out, or a refusal that was reported already.
 */
export function problemOf(error: Error): Reason | undefined {
  if (
    'code' in error ||
    /^(keep alive timeout|connection closed|not allowed|not recorded|credential revoked)$/.test(error.message)
  ) {
    return undefined;
  }
  return error.message === 'drain timeout' ? reasonOf('stopped-reading') : reasonOf('not-mqtt');
}
