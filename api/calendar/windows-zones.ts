/** Translates Windows' names of time zones, which Outlook writes, by the table of Unicode CLDR. */
import { createRequire } from 'node:module';

let knownZones: Map<string, string> | undefined;

/** Returns the IANA name that a name of Windows stands for wherever it is used. */
export function windowsZone(name: string): string | undefined {
  // Most feeds have no such name, and the table is read in a thread that is thrown away.
  knownZones ??= readTable();
  return knownZones.get(name.toLowerCase());
}

function readTable(): Map<string, string> {
  const { supplemental } = createRequire(import.meta.url)('cldr-core/supplemental/windowsZones.json');
  const entries: { mapZone: { _other: string; _type: string; _territory: string } }[] =
    supplemental.windowsZones.mapTimezones;
  // The territory 001 is the whole world.
  const everywhere = entries.map(({ mapZone }) => mapZone).filter(({ _territory }) => _territory === '001');
  return new Map(everywhere.map(({ _other, _type }) => [_other.toLowerCase(), _type]));
}
