/** The firmware manifest of classic frames, which they fetch over plain HTTP at every wake. */
import { type Decoded, decodeJson } from './codec.ts';
import { isFirmwareVersion } from './firmware-version.ts';

/** The name for which the update library of frames in the field asks. */
const manifestType = 'esp32-fota-http';
/** The most bytes that are read of a manifest, far more than one takes. */
const manifestBytes = 4096;

/** A firmware as a manifest offers it. */
export interface ClassicFirmware {
  readonly version: string;
  readonly url: string;
}

/** The path of a kind's manifest, below the address that is compiled into the firmware. */
export function classicManifestPath(kind: string): string {
  return `/ota/${kind}`;
}

/**
 * Encodes a manifest.
 * @throws Error for an invalid version, and for an address that the frame would refuse: it knows plain `http` only
 */
export function encodeClassicManifest({ version, url }: ClassicFirmware): Uint8Array {
  if (!isFirmwareVersion(version)) throw new Error(`${version} is not a firmware version`);
  if (!url.startsWith('http://')) throw new Error('classic frames fetch firmware over plain http only');
  return new TextEncoder().encode(JSON.stringify({ type: manifestType, version, url }));
}

/**
 * Decodes a manifest as frames in the field do: an object, or the first element of an array that offers something to
 * them.
 */
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
  const fields = new Map<string, unknown>(Object.entries(entry));
  const version = fields.get('version');
  const [host, port, bin] = ['host', 'port', 'bin'].map((key) => fields.get(key));
  const url = fields.get('url') ?? (host === undefined ? undefined : `http://${host}:${port}${bin}`);
  if (fields.get('type') !== manifestType || typeof version !== 'string' || !isFirmwareVersion(version))
    return undefined;
  return typeof url === 'string' && url.startsWith('http://') && URL.canParse(url) ? { version, url } : undefined;
}
