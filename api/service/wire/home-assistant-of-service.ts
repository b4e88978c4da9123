/** The client of the home's broker, by the settings of the service. */
import type { Database } from '../../../runtime/database/database.ts';
import type { Logger } from '../../../runtime/logger.ts';
import { type HomeAssistant, homeAssistant } from '../../home-assistant/home-assistant.ts';
import type { AnyRoute } from '../../http/route.ts';
import type { ServiceMeter } from '../../status/measures.ts';
import { papergateVersion } from '../../status/versions.ts';
import type { ServiceContext } from '../open/service-context.ts';
import type { Settings } from '../settings/settings.ts';
import type { Core } from './core.ts';

interface HomeDeps {
  readonly core: Pick<Core, 'gateway' | 'changes' | 'readPicture'>;
  readonly routes: readonly AnyRoute[];
  readonly meter: ServiceMeter;
  readonly logger: Logger;
  readonly publicUrl: () => string;
}

/** Makes the client; undefined where no broker is named. */
export function homeAssistantOf(
  settings: Settings,
  { db, clock, random, cluster }: ServiceContext,
  { core, ...deps }: HomeDeps,
): HomeAssistant | undefined {
  const { PAPERGATE_HASS_MQTT_URL: url, PAPERGATE_HASS_PREFIX: prefix } = settings;
  if (url === undefined) return undefined;
  return homeAssistant({
    ...deps,
    db,
    clock,
    random,
    url,
    prefix,
    organizationId: settings.PAPERGATE_HASS_ORGANIZATION,
    cluster,
    changes: core.changes,
    picture: core.readPicture,
    knowCommands: (serials) => commandedAmong(db, serials, core.gateway.traitsOf),
    version: papergateVersion,
  });
}

async function commandedAmong(
  db: Database,
  serials: readonly string[],
  traitsOf: Core['gateway']['traitsOf'],
): Promise<ReadonlySet<string>> {
  const rows: { serial: string; dialect: string | null }[] = await db('frames')
    .whereIn('serial', [...serials])
    .select('serial', 'dialect');
  return new Set(rows.flatMap(({ serial, dialect }) => (traitsOf(dialect).knowsCommands ? [serial] : [])));
}
