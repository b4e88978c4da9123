/** The firmware manifest of classic frames, fetched over plain HTTP at every wake (frame wire section 10, W-33). */
import { type Decoded, decodeJson } from './codec.ts';
import { isFirmwareVersion } from './firmware-version.ts';

/** What the fielded frames' update library asks for by name. */
const manifestType = 'esp32-fota-http';
/** Far more than a manifest takes. */
const manifestBytes = 4096;

/** A firmware as a manifest offers it. */
export interface ClassicFirmware {
  readonly version: string;
  readonly url: string;
}

/** Where the manifest of a kind is, below the address compiled into the firmware. */
export function classicManifestPath(kind: string): string {
  return `/ota/${kind}`;
}

/**
 * Encodes a manifest.
 * @throws Error for a version that is none, and for an address the frame would refuse: it knows plain `http` only
 */
export function encodeClassicManifest({ version, url }: ClassicFirmware): Uint8Array {
  if (!isFirmwareVersion(version)) throw new Error(`${version} is no firmware version`);
  if (!url.startsWith('http://')) throw new Error('classic frames fetch firmware over plain http only');
  return new TextEncoder().encode(JSON.stringify({ type: manifestType, version, url }));
}

/** Decodes a manifest as the fielded frames do: an object, or the first of an array that offers something to them. */
export function decodeClassicManifest(bytes: Uint8Array): Decoded<ClassicFirmware> {
  const json = decodeJson(bytes, manifestBytes);
  if (!json.ok) return json;
  for (const entry of Array.isArray(json.value) ? json.value : [json.value]) {
    const offered = readEntry(entry);
    if (offered !== undefined) return { ok: true, value: offered };
  }
  return { ok: false, problem: 'offers nothing that this frame takes' };
}

function readEntry(entry: unknown): ClassicFirmware | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const said = new Map<string, unknown>(Object.entries(entry));
  const version = said.get('version');
  const [host, port, bin] = ['host', 'port', 'bin'].map((key) => said.get(key));
  const url = said.get('url') ?? (host === undefined ? undefined : `http://${host}:${port}${bin}`);
  if (said.get('type') !== manifestType || typeof version !== 'string' || !isFirmwareVersion(version)) return undefined;
  return typeof url === 'string' && url.startsWith('http://') && URL.canParse(url) ? { version, url } : undefined;
}
