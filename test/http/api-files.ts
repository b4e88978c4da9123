/** The OpenAPI document as it should be committed: described from the routes of the real service, which is not started. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiDescription, describeApi } from '../../api/http/description/describe-api.ts';
import { openContext } from '../../api/service/open/service-context.ts';
import { createService } from '../../api/service/service.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { webhooks } from '../../api/service/wire/http-surface.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { contractTypes } from './contract-types.ts';

/** Returns the service's answer at `/openapi.json`. */
export async function describedService(): Promise<ApiDescription> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-api-'));
  const settings = readSettings({ PAPERGATE_DATA: folder });
  const context = await openContext(settings);
  try {
    const { routes } = await createService(settings, context, silentLogger);
    return describeApi(routes, webhooks);
  } finally {
    await context.close();
    await rm(folder, { recursive: true });
  }
}

/** The generated files: path below the root, content. */
export async function apiFiles(): Promise<readonly (readonly [path: string, content: string])[]> {
  const described = await describedService();
  return [
    ['docs/openapi.json', `${JSON.stringify(described, null, 2)}\n`],
    ['client/contract.ts', contractTypes(described)],
  ];
}
