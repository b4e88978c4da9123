/** Defaults that an integration's manifest names for the meta of its papers. */
import { copiedRecord } from '../../runtime/plain-record.ts';

type Meta = Readonly<Record<string, unknown>>;

/**
 * Returns the meta with each key of `pluginManifest.nativeSettings` that neither it nor the paper's settings contain
 * (PAGE-27). The settings are asked for the manifest's keys alone: no other key of theirs is this service's affair.
 */
export function withNativeSettings(meta: Meta): Meta {
  const defaults = defaultsOf(meta);
  const settings = Object.entries(copiedRecord(meta.pluginSettings)).filter(([key]) => Object.hasOwn(defaults, key));
  return { ...defaults, ...Object.fromEntries(settings), ...ownMeta(meta) };
}

/**
 * Returns the meta without values that only repeat the manifest's `nativeSettings`: the vendor's application writes all
 * of them into a paper that it makes, so a value that stands in both is nobody's choice.
 */
export function ownMeta(meta: Meta): Meta {
  const defaults = defaultsOf(meta);
  const isDefault = (key: string, value: unknown): boolean =>
    Object.hasOwn(defaults, key) && JSON.stringify(defaults[key]) === JSON.stringify(value);
  return Object.fromEntries(Object.entries(meta).filter(([key, value]) => !isDefault(key, value)));
}

function defaultsOf({ pluginManifest }: Meta): Meta {
  return copiedRecord(copiedRecord(pluginManifest).nativeSettings);
}
