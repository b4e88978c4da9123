/** The parts of an abuse, and the steps that several of them share. */
import { setTimeout as pause } from 'node:timers/promises';
import { callApi } from '../../call-api.ts';
import { formOf, type Sending, send } from './send.ts';
import type { Household, Scene } from './stage.ts';

/** Counts what came of an abuse, by word: `200`, `ECONNRESET`. */
export type Tally = (word: string | number) => void;

/** Prepares an abuse; the returned function plays it until the signal ends it. */
export type Attack = (scene: Scene, tally: Tally) => Promise<(over: AbortSignal) => Promise<unknown>>;

/** An abuse by name. */
export interface Abuse {
  readonly what: string;
  /** Hostile servers on addresses of the internet, or a silent name server. */
  readonly needsNetwork?: true;
  readonly attack: Attack;
}

/** Does so many things at once, each again as soon as it is done. Counts the outcome of each. */
export async function always(
  atOnce: number,
  over: AbortSignal,
  tally: Tally,
  work: (at: number, turn: number) => Promise<string | number>,
): Promise<void> {
  const one = async (at: number): Promise<void> => {
    for (let turn = 0; !over.aborted; turn++) {
      const began = performance.now();
      const word = await work(at, turn).catch((error: unknown) => codeOf(error));
      tally(over.aborted ? 'under way at the end' : word);
      // Whoever is refused at once does not spin.
      if (performance.now() - began < 20) await pause(20);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, at) => one(at)));
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  return 'code' in error ? String(error.code) : error.message.slice(0, 40);
}

/** An address of this machine for each caller. */
export const addressOf = (at: number): string => `127.0.1.${1 + (at % 250)}`;

/** One of the households that mean harm, in turn. */
export function householdOf(scene: Scene, at: number): Household {
  const household = scene.attackers[at % scene.attackers.length];
  if (household === undefined) throw new Error('nobody means harm');
  return household;
}

/** The device of one of a household's frames. */
export const deviceOf = (household: Household, at: number): string =>
  household.frames[at % household.frames.length]?.deviceId ?? '';

/** Sends as a household. @returns the status */
export async function sendAs(scene: Scene, household: Household, sending: Sending): Promise<number> {
  const headers = { 'x-api-key': household.apiKey, ...sending.headers };
  const { status } = await send(scene.http, { ...sending, headers });
  return status;
}

/** Sends JSON as a household. @returns the status */
export function sendJson(scene: Scene, household: Household, path: string, json: unknown, more: Partial<Sending> = {}) {
  const headers = { 'content-type': 'application/json', ...more.headers };
  return sendAs(scene, household, { method: 'POST', path, body: JSON.stringify(json), ...more, headers });
}

/** Uploads a picture as an image of a device. @returns the status */
export function uploadImage(
  scene: Scene,
  household: Household,
  deviceId: string,
  picture: Buffer,
  signal: AbortSignal,
) {
  const { type, body } = formOf({ picture, forceUpload: 'true' });
  const path = `/devices/uploadSingleImage/${deviceId}`;
  return sendAs(scene, household, { method: 'POST', path, headers: { 'content-type': type }, body, signal });
}

/** Makes a paper that no device shows, because the device had one before, and so nothing is drawn yet. @returns its id */
export async function makeUnseenPaper(scene: Scene, household: Household, kind: string, meta: object): Promise<string> {
  await makePaper(scene, household, { at: 0, kind: 'image' });
  return makePaper(scene, household, { at: 0, kind, meta });
}

/** Makes a paper in a household. @returns its id */
export async function makePaper(
  scene: Scene,
  household: Household,
  { at, kind, meta = {} }: { at: number; kind: string; meta?: object },
): Promise<string> {
  const person = { url: scene.http, apiKey: household.apiKey };
  const options = { deviceId: deviceOf(household, at), kind, organization: household.organizationId };
  const full = { ...options, meta: { orientation: 'landscape', ...meta } };
  return (await callApi<{ id: string }>(person, 'POST', '/papers/', full)).id;
}
