/** Whether a picture was downloaded by the frame to which it was announced, or by somebody else who has its address. */
import type { IncomingHttpHeaders } from 'node:http';
import { serialOfAddress } from '../../../firmware-protocol/trmnl/mac-address.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { frameRegistry } from '../../frames/registry.ts';
import type { UploadRow } from '../../pictures/upload-row.ts';
import { lastAnswer } from './last-answers.ts';

/**
 * Judges a download by its headers. Firmware from 1.6.10 on sends its address and its key with it, and is held to that
 * (T-116); older firmware and other clients are believed, because they know the address of the picture.
 */
export async function isOwnDownload(
  db: Database,
  { serial }: UploadRow,
  headers: IncomingHttpHeaders,
): Promise<boolean> {
  if ((await lastAnswer(db, serial))?.names_itself !== 1) return true;
  const { id, 'access-token': token } = headers;
  if (typeof id !== 'string' || typeof token !== 'string' || serialOfAddress(id) !== serial) return false;
  return (await frameRegistry(db).matchingPassword(serial, token.trim())) !== undefined;
}
