/** Changes some fields of a device's meta and leaves the others as they are. */
import { callApi } from '../../ground/call-api.ts';

/** Fields of a device's meta. */
export type MetaFields = Readonly<Record<string, unknown>>;

/**
 * Writes the fields and returns what they were before. The meta is read again and replaced as a whole: somebody else may
 * have changed another part of it.
 */
export async function changeMeta(deviceId: string, fields: MetaFields): Promise<MetaFields> {
  const { meta } = await callApi('GET /devices/{deviceId}', { path: { deviceId } });
  await callApi('POST /devices/{deviceId}', { path: { deviceId }, body: { meta: { ...meta, ...fields } } });
  return Object.fromEntries(Object.keys(fields).map((name) => [name, meta[name] ?? null]));
}
