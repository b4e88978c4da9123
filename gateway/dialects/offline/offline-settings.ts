/**
 * The settings that a frame reads before it asks for its picture. It sends no password there, so that a secret in the
 * path is all that protects them, and nothing secret is among them (OF-16).
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { modifiedOf, type OfflineSettings } from '../../../firmware-protocol/offline/wire.ts';
import { type Transaction, transact } from '../../../runtime/database/database.ts';
import { firstRow } from '../../../runtime/database/plain-sql.ts';
import type { Random } from '../../../runtime/random.ts';
import { frameRegistry } from '../../frames/registry.ts';
import { sleepSecondsAsSet } from '../../frames/tell-sleep.ts';
import type { PolledDeps } from '../dialect.ts';
import { sayOffline } from './answer-offline.ts';
import { offlineAddressOf } from './offline-addresses.ts';
import { changeOffline, type OfflineRow } from './offline-rows.ts';

/** A sleep that differs by less than this stays as it is: each change is written to the frame's flash (WK-8). */
const unchangedSeconds = 60;

/** The digest under which the secret of an address is kept. */
function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Gives a frame another secret for the address of its settings, in the caller's transaction. @returns the secret, which is not kept */
export async function giveSettingsAddress(trx: Transaction, serial: string, random: Random): Promise<string> {
  const { ownership } = await frameRegistry(trx).known(serial);
  const secret = random.secret(24);
  await changeOffline(trx, serial, { settings_hash: digestOf(secret), settings_ownership: ownership });
  return secret;
}

/** Answers with the settings of the frame whose secret it is, or with 304. */
export async function answerSettings(
  deps: PolledDeps,
  secret: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const base = deps.toldAddress(request);
  const told = await transact(deps.db, (trx) => tellSettings(trx, secret, { base, now: deps.clock.now() }));
  if (told === undefined) {
    return sayOffline(response, 404, { error: 'no such settings', hint: 'copy the address of the settings again' });
  }
  const headers = { 'cache-control': 'private, no-store, no-transform', 'last-modified': told.modified };
  if (request.headers['if-modified-since'] === told.modified) {
    response.writeHead(304, { ...headers, connection: 'close' }).end();
    return;
  }
  const typed = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(told.settings) };
  response.writeHead(200, { ...headers, ...typed, connection: 'close' }).end(told.settings);
}

async function tellSettings(
  trx: Transaction,
  secret: string,
  { base, now }: { readonly base: string; readonly now: number },
): Promise<{ readonly settings: string; readonly modified: string } | undefined> {
  const sql = 'select * from offline_frames where settings_hash = ?';
  const row = await firstRow<OfflineRow>(trx, sql, [digestOf(secret)]);
  const frame = row && (await frameRegistry(trx).known(row.serial));
  // T-63: the address of a former owner's time opens nothing.
  if (frame?.activation !== 'activated' || row?.settings_ownership !== frame.ownership) return undefined;
  const before = row.settings === null ? undefined : (JSON.parse(row.settings) as OfflineSettings);
  const seconds = sleepSecondsAsSet(frame, now);
  const isSame = before !== undefined && Math.abs(before.timeout - seconds) < unchangedSeconds;
  const wanted: OfflineSettings = {
    timeout: isSame ? before.timeout : seconds,
    downloadUrl: offlineAddressOf(base, frame.spelling),
    httpAuthUser: frame.spelling,
  };
  const settings = JSON.stringify(wanted);
  const isChanged = settings !== row.settings;
  // The time has whole seconds on the wire, and a change within one has to show.
  const settings_at = isChanged ? Math.max(now, (row.settings_at ?? 0) + 1000) : (row.settings_at ?? now);
  await changeOffline(trx, row.serial, { settings, settings_at, settings_read_at: now });
  return { settings, modified: modifiedOf(Math.floor(settings_at / 1000)) };
}
