/** `papergate frames plain`: a frame that polls one address, and its key. Works while serve is running. */
import { requireOrganization } from '../../api/devices/adopt-frame.ts';
import { makePlainFrame } from '../../api/devices/plain-frame.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { pollAddressOf } from '../../gateway/dialects/plain/plain.ts';
import { requireKind } from '../../gateway/frames/frame-kinds.ts';
import { activateFrame } from '../../gateway/provisioning/own-frame.ts';
import { transact } from '../../runtime/database/database.ts';
import { isReachedOnlyHere } from '../../runtime/join-address.ts';
import { withContext } from '../ground/data-folder.ts';
import { onlyOrganization } from '../ground/only-organization.ts';
import { printResult, printWarning } from '../ground/print.ts';
import { listeningAddress } from '../ground/service-address.ts';

interface PlainOptions {
  readonly kind: string;
  readonly organization?: string;
  readonly json?: boolean;
}

/** Makes a frame that polls one address a device of an organization, and prints its address and its key. */
export async function makePlain(name: string, options: PlainOptions): Promise<void> {
  const kind = requireKind(options.kind);
  await withContext(async ({ db, clock, random, dataFolder }) => {
    const organization = options.organization ?? (await onlyOrganization(db));
    await requireOrganization(db, organization);
    const activate = (trx: Parameters<typeof activateFrame>[0], serial: string) =>
      activateFrame(trx, serial, { now: clock.now(), random });
    const { device, serial, key } = await transact(db, (trx) =>
      makePlainFrame(trx, { clock, random, activate }, { name, kind, organization }),
    );
    const settings = readSettings(process.env);
    const base = settings.PAPERGATE_DOWNLOAD_URL ?? settings.PAPERGATE_PUBLIC_URL;
    const address = pollAddressOf(base ?? (await listeningAddress(dataFolder, settings)), serial);
    if (isReachedOnlyHere(address))
      printWarning(`Only this machine reaches ${address}: set PAPERGATE_HOST for frames.`);
    printResult(
      {
        serial,
        kind,
        deviceId: device.id,
        organization,
        address,
        header: `Authorization: Bearer ${key}`,
        key,
        recipes: 'docs/plain-polling.md',
      },
      options.json,
    );
  });
}
