/** The OpenAPI document as it should be committed: described from the routes of the real service, which is not started. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHouse } from '../../api/house.ts';
import { type ApiDescription, describeApi } from '../../api/http/describe-api.ts';
import { createService } from '../../api/service.ts';
import { readSettings } from '../../api/settings.ts';
import { silentLogger } from '../../gateway/runtime/logger.ts';

/** The description of every route that the service has. */
export async function describedService(): Promise<ApiDescription> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-api-'));
  const settings = readSettings({ PAPERGATE_DATA: folder });
  const house = await openHouse(settings);
  try {
    const { routes } = await createService(settings, house, silentLogger);
    return describeApi(routes);
  } finally {
    await house.close();
    await rm(folder, { recursive: true });
  }
}

/** The generated file: path below the root, content. */
export async function apiFiles(): Promise<readonly (readonly [path: string, content: string])[]> {
  return [['docs/openapi.json', `${JSON.stringify(await describedService(), null, 2)}\n`]];
}
