/** `papergate devices ping|reboot|reset|identify`: asks a frame over HTTP. */
import { callApi, credentialsFromEnvironment, pathSegment, Refused } from '../ground/client.ts';
import { printJson, printResult, shortTime } from '../ground/print.ts';
import { askForDevice } from './devices.ts';

/** Returns whether a frame is reachable. A frame that sleeps is an answer, not a failure. */
export async function ping(idOrSerial: string, options: { json?: boolean }): Promise<void> {
  const credentials = credentialsFromEnvironment();
  const deviceId = await askForDevice(credentials, pathSegment(idOrSerial));
  const found = await callApi(credentials, 'GET /devices/ping/{deviceId}', {
    path: { deviceId },
    query: { dataResponse: 'true' },
  });
  if (options.json === true) return printJson(found);
  const { state, roundTripMs, data = {} } = found;
  printResult({
    state,
    reachable: found.reachable ? 'yes' : 'no',
    ...(roundTripMs !== undefined && { roundTrip: `${roundTripMs} ms` }),
    lastContact: shortTime(found.lastReachableAt),
    nextContact: shortTime(found.expectedWakeAt),
    ...data,
  });
}

/** Restarts a frame. */
export const reboot = (idOrSerial: string, options: { json?: boolean }) => ask('reboot', idOrSerial, options);

/** Puts a frame's settings back to their defaults. */
export const reset = (idOrSerial: string, options: { json?: boolean }) => ask('reset', idOrSerial, options);

/** Lets a frame show which one it is. */
export const identify = (idOrSerial: string, options: { json?: boolean }) => ask('identify', idOrSerial, options);

async function ask(
  name: 'reboot' | 'reset' | 'identify',
  idOrSerial: string,
  options: { json?: boolean },
): Promise<void> {
  const credentials = credentialsFromEnvironment();
  const deviceId = await askForDevice(credentials, pathSegment(idOrSerial));
  const asked = await callApi(credentials, `POST /devices/${name}/{deviceId}`, { path: { deviceId } });
  if (options.json === true) printJson(asked);
  // The service answers 200 for a command that a frame cannot carry out (C-27); for the command line it is a refusal.
  if (!asked.success) throw new Refused(200, asked.message, undefined);
  if (options.json === true) return;
  const { state, message, commandId, expectedAt } = asked;
  printResult({ state, message, command: commandId, expected: shortTime(expectedAt) });
}
