/** Defaults that an integration's manifest names for the meta of its papers. */

type Meta = Readonly<Record<string, unknown>>;

/** The meta with each key of `pluginManifest.nativeSettings` where it lacks one; what the paper says itself stays. */
export function withNativeSettings(meta: Meta): Meta {
  const manifest = meta.pluginManifest;
  const defaults = isRecord(manifest) ? manifest.nativeSettings : undefined;
  return isRecord(defaults) ? { ...defaults, ...meta } : meta;
}

function isRecord(value: unknown): value is Meta {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
