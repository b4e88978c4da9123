/** The broker's own certificate while it runs: looked at every day, renewed in time without ending a connection. */
import type { Clock, Timer } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Authority, Credential } from './authority.ts';

const dayMs = 86_400_000;

/** A certificate that is kept fresh. */
export interface ServerCertificate {
  readonly first: Credential;
  /** Calls `use` with every later one. */
  renewed(use: (server: Credential) => void): void;
  stop(): void;
}

/** Issues or takes up the certificate for these names, and looks every day whether it nears its end. */
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
      });
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
