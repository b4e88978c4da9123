/** What a CONNECT may say, and the words and codes in which one is refused. */
import type { AuthenticateError, ConnectPacket } from 'aedes';
import { limits } from '../../firmware-protocol/limits.ts';

/** Which MQTT a CONNECT speaks when it is not 3.1.1, by its number; undefined when it is. */
export function foreignMqtt({ protocolId, protocolVersion }: ConnectPacket): string | undefined {
  if (protocolId === 'MQTT' && protocolVersion === 4) return undefined;
  return protocolVersion === 5 ? '5' : '3.1';
}

/** Why a CONNECT is not let in whoever says it, or undefined. A keepalive that is too short is raised on the way. */
export function connectProblem(packet: ConnectPacket): string | undefined {
  const foreign = foreignMqtt(packet);
  if (foreign !== undefined) return `speaks MQTT ${foreign}; this gateway speaks 3.1.1`;
  // B-14, B-20: a will could speak for a frame that is gone, a stored session would outlive it.
  if (packet.will !== undefined && packet.will !== null) return 'wills are refused';
  if (packet.clean === false) return 'stored sessions are refused';
  // B-10: fielded frames ask for 10 s and are silent for longer while they download.
  if (packet.keepalive !== undefined && packet.keepalive > 0 && packet.keepalive < limits.keepaliveSeconds) {
    packet.keepalive = limits.keepaliveSeconds;
  }
  return undefined;
}

/** A refusal that the frame learns: CONNACK 3, come again later, or 5, not with these credentials. */
export function refusal(problem: string, returnCode: 3 | 5): AuthenticateError {
  return Object.assign(new Error(problem), { returnCode }) as AuthenticateError;
}

/** The alert about a frame that speaks a version of the native dialect this gateway does not. */
export function foreignVersion(version: number): string {
  return `speaks version ${version} of the native dialect; this gateway speaks 1`;
}

/**
 * What a frame did whose connection the broker broke off, or undefined when it is no fault of the frame: a socket that
 * died, a keepalive that ran out, or what was refused and said already.
 */
export function problemOf(error: Error): string | undefined {
  if (
    'code' in error ||
    /^(keep alive timeout|connection closed|not allowed|not recorded|credential revoked)$/.test(error.message)
  ) {
    return undefined;
  }
  return error.message === 'drain timeout' ? 'stopped reading' : 'sent what is no MQTT';
}
