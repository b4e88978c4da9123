/** `papergate frames plain` and `offline`: a frame that polls an address of its own, and what is entered into it. Works while serve is running. */
import { requireOrganization } from '../../api/devices/adopt-frame.ts';
import { makeOfflineFrame, offlineKinds } from '../../api/devices/offline-frame.ts';
import { type MadePlainFrame, makePlainFrame, type PlainFrameOptions } from '../../api/devices/plain-frame.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { pollAddressOf } from '../../gateway/dialects/plain/plain.ts';
import { requireKind } from '../../gateway/frames/frame-kinds.ts';
import { activateFrame } from '../../gateway/provisioning/own-frame.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { type Transaction, transact } from '../../runtime/database/database.ts';
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
  await makeAndPrint(name, { ...options, kind }, makePlainFrame, ({ serial, key }, base) => ({
    address: pollAddressOf(base, serial),
    header: `Authorization: Bearer ${key}`,
    key,
    recipes: 'docs/plain-polling.md',
  }));
}

/** Makes a frame with the vendor's offline firmware a device of an organization, and prints what is entered into it. */
export async function makeOffline(name: string, options: PlainOptions): Promise<void> {
  const kind = offlineKinds.find((one) => one === options.kind);
  if (kind === undefined) {
    const message = reasonOf('kind-not-known', { kind: options.kind.slice(0, 40) });
    throw refuse('invalid-request', { message, hint: offlineKinds.join(' or ') });
  }
  await makeAndPrint(name, { ...options, kind }, makeOfflineFrame, ({ address, user, password, settingsAddress }) => ({
    address,
    user,
    password,
    settingsAddress,
    guide: 'docs/offline-firmware.md',
  }));
}

type Maker<Made> = (
  trx: Transaction,
  deps: Parameters<typeof makePlainFrame>[1],
  options: PlainFrameOptions,
  base: string,
) => Promise<Made>;

async function makeAndPrint<Made extends MadePlainFrame>(
  name: string,
  options: PlainOptions,
  make: Maker<Made>,
  entered: (made: Made, base: string) => Record<string, string> & { readonly address: string },
): Promise<void> {
  const { kind } = options;
  await withContext(async ({ db, clock, random, dataFolder }) => {
    const organization = options.organization ?? (await onlyOrganization(db));
    await requireOrganization(db, organization);
    const activate = (trx: Parameters<typeof activateFrame>[0], serial: string) =>
      activateFrame(trx, serial, { now: clock.now(), random });
    const settings = readSettings(process.env);
    const own = settings.PAPERGATE_DOWNLOAD_URL ?? settings.PAPERGATE_PUBLIC_URL;
    const base = own ?? (await listeningAddress(dataFolder, settings));
    const made = await transact(db, (trx) =>
      make(trx, { clock, random, activate }, { name, kind, organization }, base),
    );
    const values = entered(made, base);
    if (isReachedOnlyHere(values.address))
      printWarning(`Only this machine reaches ${values.address}: set PAPERGATE_HOST for frames.`);
    const { serial, device } = made;
    printResult({ serial, kind, deviceId: device.id, organization, ...values }, options.json);
  });
}
