/** Where the service is reached, as far as a command on its machine knows. */
import { reachableAddress } from '../../api/http/listen.ts';
import type { Settings } from '../../api/service/settings/settings.ts';
import { readEndpoints } from './hold-folder.ts';

/** The HTTP address at which the service listens now, else the one at which it would. */
export async function listeningAddress(
  dataFolder: string,
  settings: Pick<Settings, 'PAPERGATE_HTTP_HOST' | 'PAPERGATE_HTTP_PORT'>,
): Promise<string> {
  const listens = await readEndpoints(dataFolder);
  return listens?.http ?? reachableAddress(settings.PAPERGATE_HTTP_HOST, settings.PAPERGATE_HTTP_PORT);
}
