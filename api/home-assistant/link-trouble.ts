/** Says in a sentence why the home's broker is not reached. The library's own words are left out: they may quote anything. */
import { isCertificateError } from '../outgoing/network-error.ts';

/** The problem, and the next step. */
export interface LinkTrouble {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

const correct = 'correct PAPERGATE_HASS_MQTT_URL';

/** The codes of MQTT's CONNACK that are answers to who asks. */
const refusals: Readonly<Record<number, string>> = {
  2: 'it refuses the id of this client',
  3: 'it says that it is not available',
  4: 'it refuses the user or the password',
  5: 'it refuses this user, or the password',
};

const causes: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  ECONNREFUSED: ['nothing listens there', `start the broker, or ${correct}`],
  ENOTFOUND: ['there is no such host', correct],
  EAI_AGAIN: ['its name could not be looked up', `is the name server there? else ${correct}`],
  ETIMEDOUT: ['it does not answer', `does a firewall stand between? else ${correct}`],
  EHOSTUNREACH: ['there is no way to it', correct],
  ENETUNREACH: ['there is no way to it', correct],
  ECONNRESET: ['it hung up', `does it expect TLS (mqtts://)? else look at its log, or ${correct}`],
  CERT_HAS_EXPIRED: ['its certificate has ended', 'renew it'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'its certificate is for another name',
    `name the broker as its certificate does: ${correct}`,
  ],
};

/** Words a failure to connect. */
export function linkTrouble(error: unknown): LinkTrouble {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'number') {
    const message = refusals[code] ?? `it refuses with code ${code}`;
    return { code: `refused ${code}`, message, hint: `look at the users of the broker, or ${correct}` };
  }
  const name = typeof code === 'string' && /^[A-Z_0-9]{1,60}$/.test(code) ? code : 'unknown';
  const [message, hint] = causes[name] ?? byShape(name, error);
  return { code: name, message, hint };
}

function byShape(code: string, error: unknown): readonly [message: string, hint: string] {
  if (isCertificateError(code)) {
    const hint = 'name the file of its authority in NODE_EXTRA_CA_CERTS, in the environment of the service';
    return [`its certificate is not trusted (${code})`, hint];
  }
  if (/SSL|TLS|EPROTO/.test(code)) return [`TLS fails (${code})`, `does it listen for TLS at this port? ${correct}`];
  const isLate = error instanceof Error && /timeout/i.test(error.message);
  return [
    isLate ? 'it does not answer' : `it is not reached (${code})`,
    `look at the log of the broker, or ${correct}`,
  ];
}
