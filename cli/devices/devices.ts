/** `papergate devices`: frames as their organization sees them, over HTTP. */

import { settingBounds } from '../../api/devices/frame-settings.ts';
import type { BodyOf } from '../../client/calls.ts';
import type { Schemas } from '../../client/contract.ts';
import { refuse } from '../../reasons/refusals.ts';
import { type ClientCredentials, callApi, credentialsFromEnvironment, pathSegment } from '../ground/client.ts';
import { printJson, printResult, printTable, shortName, shortTime } from '../ground/print.ts';
import { WrongUsage, wholeNumberOption } from '../ground/usage.ts';
import { panelFacts, panelLines } from './panel-facts.ts';

/** The options of `devices register` besides the serial, as commander gives them. */
export interface RegisterCommand {
  organization: string;
  name?: string;
  paper?: string;
  orientation?: string;
  sleep?: string;
  json?: boolean;
}

/** Lists the devices that the key may see, or those of one organization. */
export async function listDevices(options: { organization?: string; json?: boolean }): Promise<void> {
  const query = { organization: options.organization };
  const devices = await callApi(credentialsFromEnvironment(), 'GET /devices/', { query });
  if (options.json === true) return printJson(devices);
  const rows = devices.map(({ id, name, serialNumber, kind, status, paper }) => ({
    id,
    name: shortName(name),
    serial: serialNumber ?? null,
    kind,
    status,
    paper,
  }));
  printTable(rows, ['id', 'name', 'serial', 'kind', 'status', 'paper']);
}

/** Shows one device with what is known of its frame. */
export async function printDevice(idOrSerial: string, options: { json?: boolean }): Promise<void> {
  const credentials = credentialsFromEnvironment();
  const deviceId = await askForDevice(credentials, pathSegment(idOrSerial));
  const device = await callApi(credentials, 'GET /devices/{deviceId}', { path: { deviceId } });
  const panel = panelFacts(device.kind);
  if (options.json === true) return printJson({ ...device, panel });
  printResult({ ...linesOf(device), ...panelLines(panel) });
}

/** Registers a provisioned frame and applies the given options; a repetition changes only what the options name. */
export async function register(serial: string, options: RegisterCommand): Promise<void> {
  const settings = settingsOf(options);
  const { organization, paper } = options;
  const credentials = credentialsFromEnvironment();
  const path = { serial: pathSegment(serial) };
  const body = { enable: true, organization, ...(paper !== undefined && { paper }) };
  const registered = await callApi(credentials, 'POST /devices/registerdevice/{serial}', { path, body });
  const { device } = registered;
  const change = {
    // The meta is replaced as a whole, so its present fields are sent along (C-46).
    ...(Object.keys(settings).length > 0 && { meta: { ...device.meta, ...settings } }),
    // Registering a frame again leaves its paper alone.
    ...(paper !== undefined && device.paper !== paper && { paper }),
  };
  const hasChange = Object.keys(change).length > 0;
  const changed = hasChange ? await changeDevice(credentials, device.id, change) : device;
  if (options.json === true) return printJson({ ...registered, device: changed });
  printResult({ activation: registered.activation_status, ...linesOf(changed) });
}

/** Changes a frame's settings and leaves the others as they are. */
export async function settings(
  idOrSerial: string,
  options: { sleep?: string; maxWakes?: string; orientation?: string; json?: boolean },
): Promise<void> {
  const set = settingsOf(options);
  const hint = 'give --sleep SECONDS, --max-wakes COUNT or --orientation';
  if (Object.keys(set).length === 0) throw new WrongUsage('Nothing to set', hint);
  const credentials = credentialsFromEnvironment();
  const deviceId = await askForDevice(credentials, pathSegment(idOrSerial));
  const { meta } = await callApi(credentials, 'GET /devices/{deviceId}', { path: { deviceId } });
  const changed = await changeDevice(credentials, deviceId, { meta: { ...meta, ...set } });
  if (options.json === true) return printJson(changed);
  printResult(linesOf(changed));
}

function changeDevice(credentials: ClientCredentials, deviceId: string, body: BodyOf<'POST /devices/{deviceId}'>) {
  return callApi(credentials, 'POST /devices/{deviceId}', { path: { deviceId }, body });
}

/** Returns the fields of `meta` that these options ask for. */
function settingsOf(options: {
  name?: string;
  sleep?: string;
  maxWakes?: string;
  orientation?: string;
}): Record<string, string> {
  const { name, orientation, sleep, maxWakes } = options;
  return {
    ...(name !== undefined && { name }),
    ...(orientation !== undefined && { orientation }),
    // The sleep is text in seconds (C-60).
    ...(sleep !== undefined && { sleepTime: String(sleepSeconds(sleep)) }),
    ...(maxWakes !== undefined && { maxWakesPerDay: wakesText(maxWakes) }),
  };
}

/** Describes the sleep of a frame: the wanted one, and the one that the frame reported where that differs. */
export function sleepInWords(wished: unknown, kept: unknown): string | null {
  if (typeof wished !== 'number') return null;
  if (typeof kept !== 'number' || kept === wished) return `${wished} s`;
  return `wished ${wished} s, the frame has ${kept} s until its next wake`;
}

/** Finds the id of the device with this id, or else with this serial, in upper or lower case. */
export async function askForDevice(credentials: ClientCredentials, idOrSerial: string): Promise<string> {
  const found = await callApi(credentials, 'GET /devices/', { query: { search: idOrSerial } });
  const serial = idOrSerial.toLowerCase();
  const device = found.find(({ id }) => id === idOrSerial) ?? found.find(({ serialNumber }) => serialNumber === serial);
  if (device !== undefined) return device.id;
  throw refuse('not-found', { message: `No device ${idOrSerial}`, hint: 'papergate devices list' });
}

function linesOf(device: Schemas['Device']): Record<string, unknown> {
  const { deviceStatus, iotDevice } = device;
  const { batLevel, sleepTimePredict, pictureSynced, updatePending } = deviceStatus;
  return {
    id: device.id,
    name: device.name,
    serial: device.serialNumber,
    kind: device.kind,
    organization: device.organization,
    status: device.status,
    lastContact: shortTime(deviceStatus.lastReachableAgo),
    nextContact: shortTime(deviceStatus.nextDeviceSync),
    paper: device.paper,
    picture: pictureSynced === true ? 'synced' : updatePending === 'update_pending' ? 'pending' : null,
    orientation: device.meta.orientation,
    sleep: sleepInWords(sleepTimePredict, keptOf(device)),
    due: device.deadlines?.map(({ name, by, state }) => `${shortName(name)} ${shortTime(by)} ${state}`).join(', '),
    battery: typeof batLevel === 'string' ? `${batLevel} mV` : null,
    firmware: iotDevice.fwVersion,
  };
}

function keptOf({ shadow }: Schemas['Device']): unknown {
  const { reported } = shadow;
  return typeof reported === 'object' && reported !== null && 'sleepSeconds' in reported ? reported.sleepSeconds : null;
}

/** The bound of wakes as it is kept: empty for none. */
function wakesText(text: string): string {
  const wakes = wholeNumberOption('--max-wakes', text, 0, settingBounds.maxWakesPerDay.most);
  return wakes === 0 ? '' : String(wakes);
}

function sleepSeconds(text: string): number {
  const { least, most } = settingBounds.sleepTime;
  return wholeNumberOption('--sleep', text, least, most);
}
