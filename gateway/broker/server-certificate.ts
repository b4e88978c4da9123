/** The broker's own certificate. It is checked every day, and renewed in time without ending a connection. */
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import { inRounds } from '../../runtime/rounds.ts';
import type { Authority } from '../identity/authority.ts';
import type { Credential } from '../identity/make-certificate.ts';

const dayMs = 86_400_000;

/** A certificate that is renewed before it ends. */
export interface ServerCertificate {
  readonly first: Credential;
  /** Registers a function that is called with every later certificate. */
  renewed(use: (server: Credential) => void): void;
  stop(): void;
}

/** Reads or issues the certificate for these names, and checks every day whether it is about to end. */
export async function keepServerCertificate(
  authority: Authority,
  names: readonly string[],
  { clock, logger }: { clock: Clock; logger: Logger },
): Promise<ServerCertificate> {
  const first = await authority.server(names, clock.now());
  let present = first;
  let put: (server: Credential) => void = () => {};
  const rounds = inRounds(clock, dayMs, async () => {
    try {
      const server = await authority.server(names, clock.now());
      if (server.certificate === present.certificate) return;
      put(server);
      present = server;
      logger.info({ names }, 'the certificate of the broker was renewed');
    } catch (error) {
      logger.error({ error }, 'the certificate of the broker could not be renewed');
    }
  });
  rounds.start();
  return {
    first,
    renewed(use) {
      put = use;
    },
    stop: rounds.stop,
  };
}
