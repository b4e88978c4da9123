/** The broker's own certificate. It is checked every day, and renewed in time without ending a connection. */
import type { Clock, Timer } from '../../runtime/clock.ts';
import { inBackground } from '../../runtime/in-background.ts';
import type { Logger } from '../../runtime/logger.ts';
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
  let timer: Timer | undefined = clock.after(dayMs, look);

  function look(): void {
    inBackground(logger, 'look at the certificate of the broker', () =>
      authority
        .server(names, clock.now())
        .then((server) => {
          if (server.certificate === present.certificate) return;
          put(server);
          present = server;
          logger.info({ names }, 'the certificate of the broker was renewed');
        })
        .catch((error: unknown) => logger.error({ error }, 'the certificate of the broker could not be renewed'))
        .then(() => {
          if (timer !== undefined) timer = clock.after(dayMs, look);
        }),
    );
  }

  return {
    first,
    renewed(use) {
      put = use;
    },
    stop() {
      timer?.cancel();
      timer = undefined;
    },
  };
}
