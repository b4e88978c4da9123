/** `papergate frames waiting` and `papergate frames adopt`: frames that ask by themselves. Works while serve is running. */
import { adoptAsking, adoptAtOnce } from '../../api/devices/adopt-asking.ts';
import { requireOrganization } from '../../api/devices/adopt-frame.ts';
import { addressOfSerial } from '../../firmware-protocol/trmnl/mac-address.ts';
import { requireAddress } from '../../gateway/adoption/adopt-frame.ts';
import { waitingFrames } from '../../gateway/adoption/waiting-frames.ts';
import { requireKind } from '../../gateway/frames/frame-kinds.ts';
import { withContext } from '../ground/data-folder.ts';
import { onlyOrganization } from '../ground/only-organization.ts';
import { printLine, printResult, printTable, shortTime } from '../ground/print.ts';

/** Lists the devices that ask for pictures and belong to nobody, or for another key. */
export async function listWaiting(options: { json?: boolean }): Promise<void> {
  await withContext(async ({ db, clock }) => {
    const rows = (await waitingFrames(db, clock.now())).map((row) => ({
      address: addressOfSerial(row.serial) ?? row.serial,
      model: row.model,
      firmware: row.firmware,
      kind: row.panel,
      size: row.width === null || row.height === null ? null : `${row.width}x${row.height}`,
      from: row.address,
      code: row.asker,
      key: row.token_hash === null ? null : 'of another server',
      others: row.others,
      asks: row.asks,
      since: shortTime(row.first_at),
      last: shortTime(row.last_at),
    }));
    const columns = [
      'address',
      'model',
      'firmware',
      'kind',
      'size',
      'from',
      'code',
      'key',
      'others',
      'asks',
      'since',
      'last',
    ] as const;
    printTable(rows, columns, options.json);
    if (!options.json && rows.some(({ others }) => others > 0)) {
      printLine(
        'Several devices use the same address (others): a frame that waits shows its code; adopt it with --asker CODE.',
      );
    }
  });
}

interface AdoptOptions {
  readonly organization?: string;
  readonly kind?: string;
  readonly asker?: string;
  readonly json?: boolean;
}

/** Makes a frame that asks a device of an organization. It comes for its key by itself. */
export async function adopt(address: string, options: AdoptOptions): Promise<void> {
  const serial = requireAddress(address);
  const kind = options.kind === undefined ? undefined : requireKind(options.kind);
  await withContext(async ({ db, clock, random }) => {
    const { asker } = options;
    const organization = options.organization ?? (await onlyOrganization(db));
    await requireOrganization(db, organization);
    const deps = { clock, random };
    const device = await adoptAtOnce(db, (trx) => adoptAsking(trx, deps, { serial, kind, organization, asker }));
    printResult({ serial, kind: device.kind, deviceId: device.id, organization }, options.json);
  });
}
