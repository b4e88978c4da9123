/** The one address by which people and frames reach this machine, and what follows from it. */
import { z } from 'zod';
import { isEveryAddress, joinAddress } from '../../../runtime/join-address.ts';
import { withSecretFiles } from './secret-files.ts';
import { asServerName } from './server-names.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const defaultHttpPort = '3000';

/** The variable's schema: a host name or an IP address. */
export const reachableHost = z
  .string()
  .refine((text) => asServerName(text) !== undefined && !isEveryAddress(text.trim()), {
    error: 'is not a host name or IP address that others can dial: name one, without port and scheme',
  })
  .optional();

/**
 * Returns the environment with the values that files contain, and with those that follow from `PAPERGATE_HOST` where
 * they are not set: `PAPERGATE_PUBLIC_URL`, `PAPERGATE_FRAME_URL`, and the name among those of the broker's
 * certificate.
 * @throws Refusal `bad-configuration` for a file that cannot be used
 */
export function completeEnvironment(given: Environment): Record<string, string | undefined> {
  const env = withSecretFiles(given);
  const host = asServerName(env.PAPERGATE_HOST ?? '');
  // The schema refuses anything but a host, and `hostMistake` a port that changes.
  if (host === undefined) return env;
  const names = [env.PAPERGATE_MQTT_NAMES, host].filter(Boolean).join(',');
  const port = Number(env.PAPERGATE_HTTP_PORT || defaultHttpPort);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return { ...env, PAPERGATE_MQTT_NAMES: names };
  const address = joinAddress('http', host, port);
  return {
    ...env,
    PAPERGATE_MQTT_NAMES: names,
    PAPERGATE_PUBLIC_URL: env.PAPERGATE_PUBLIC_URL || address,
    PAPERGATE_FRAME_URL: env.PAPERGATE_FRAME_URL || address,
  };
}

/**
 * Returns what is lost where others may reach the service and no setting names the address for them; undefined where
 * nothing is. Answers to requests contain the address that was asked.
 * @param http where this machine reaches it
 */
export function addressUntold(
  given: { readonly PAPERGATE_HTTP_HOST: string; readonly PAPERGATE_PUBLIC_URL?: string | undefined },
  http: string,
): string | undefined {
  if (given.PAPERGATE_PUBLIC_URL !== undefined || !isEveryAddress(given.PAPERGATE_HTTP_HOST)) return undefined;
  return `PAPERGATE_HTTP_HOST lets other machines in, and no setting names the address by which they come: frames over MQTT, emails and alerts are given ${http}, which only this machine reaches`;
}

/** The next step. */
export const addressHint = 'set PAPERGATE_HOST to the name or address of this machine';

/** Says why an address cannot follow from a host; undefined where it can. */
export function hostMistake(given: {
  readonly PAPERGATE_HOST?: string | undefined;
  readonly PAPERGATE_HTTP_PORT: number;
  readonly PAPERGATE_PUBLIC_URL?: string | undefined;
  readonly PAPERGATE_FRAME_URL?: string | undefined;
}): string | undefined {
  if (given.PAPERGATE_HOST === undefined || given.PAPERGATE_HTTP_PORT !== 0) return undefined;
  if (given.PAPERGATE_PUBLIC_URL !== undefined && given.PAPERGATE_FRAME_URL !== undefined) return undefined;
  return 'addresses follow from it and PAPERGATE_HTTP_PORT, and port 0 is another one at each start: set a port';
}
