/** The TLS of the broker: client certificates that the login judges, and sessions that frames resume after their sleep. */
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Logger } from '../../runtime/logger.ts';
import type { Credential } from '../identity/make-certificate.ts';
import { type TicketKeys, ticketSeconds } from './ticket-keys.ts';

/** The keys and certificates of the TLS server. */
export interface TlsListening {
  readonly server: Credential;
  /** Registers a function that is called with every later certificate; handshakes from then on use the latest. */
  readonly renewed?: (use: (server: Credential) => void) => void;
  readonly root: string;
  /** The keys that seal session tickets; without them they live as long as the listener. */
  readonly tickets?: Pick<TicketKeys, 'first' | 'renewed'>;
}

/** Creates the TLS server, which listens nowhere: it is handed sockets. `shookHands` gets each when its handshake is done. */
export function openTlsServer(
  listening: TlsListening,
  logger: Logger,
  shookHands: (socket: TLSSocket) => void,
): Server {
  const { tickets } = listening;
  let present = listening.server;
  let ticketKeys = tickets?.first;
  // T-120: a resumed handshake gives no ticket, so that this is the longest since its full handshake. Early data is taken
  // by nobody, and TLS 1.3 resumes with a new key exchange alone.
  const secure = () =>
    ({
      key: present.key,
      cert: present.certificate,
      ca: listening.root,
      minVersion: 'TLSv1.2',
      sessionTimeout: ticketSeconds,
      sessionIdContext: 'papergate frames',
      ...(ticketKeys && { ticketKeys }),
    }) as const;
  const server = createServer(
    {
      ...secure(),
      requestCert: true,
      // The certificate is judged at the login, so that the reason of a refusal can be recorded.
      rejectUnauthorized: false,
    },
    shookHands,
  );
  server.on('error', (error) => logger.error({ error }, 'the TLS of the broker has an error'));
  listening.renewed?.((renewed) => {
    present = renewed;
    server.setSecureContext(secure());
  });
  tickets?.renewed((keys) => {
    ticketKeys = keys;
    server.setTicketKeys(keys);
  });
  server.on('tlsClientError', (error, socket) => {
    logger.debug({ problem: error.message }, 'TLS handshake failed');
    socket.destroy();
  });
  return server;
}
