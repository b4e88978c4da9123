/** The headers of a frame's calls, as far as a service reads them (usetrmnl/trmnl-firmware, `request_headers.cpp`). */

import { serialOfAddress } from './mac-address.ts';

/** Headers as Node hands them out: names in lower case. */
export type CallHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The cause of a frame's wake, in the words of this service; undefined where it does not report one. */
export type PolledWake = 'timer' | 'button' | 'reset';

/** A call of a frame. An undefined field was not sent, or cannot be read. */
export interface TrmnlCall {
  readonly serial: string;
  readonly token: string | undefined;
  readonly firmware: string | undefined;
  readonly model: string | undefined;
  /** Pixels of its panel. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** The sleep that the frame has stored, in seconds: the echo of the last answer, or a value of its own. */
  readonly refreshSeconds: number | undefined;
  readonly batteryMv: number | undefined;
  /** Charge in percent, where the frame sends that and no voltage. */
  readonly batteryPercent: number | undefined;
  /** dBm. */
  readonly rssi: number | undefined;
  /** True when the picture of the last wake came from the frame's own flash. */
  readonly isCached: boolean | undefined;
  /** How long the last wake took, in milliseconds, the drawing included. */
  readonly wakeMs: number | undefined;
  readonly wake: PolledWake | undefined;
  /** True when its button was pressed twice. */
  readonly hasSpecialFunction: boolean;
  /** A client other than TRMNL's firmware, as far as that affects what it draws. */
  readonly client: 'kindle' | 'koreader' | undefined;
  /** The readings of the board's sensors, such as `temperature 21.5 celsius, humidity 40 percent`. */
  readonly sensors: string | undefined;
}

/** The most characters of a header that is read. */
const maxCharacters = 256;

/**
 * Reads the headers of a call; undefined where `ID` is not a MAC address.
 * @param otherwise the serial of a client that sends its token alone
 */
export function readCall(headers: CallHeaders, otherwise?: string): TrmnlCall | undefined {
  const text = (name: string): string | undefined => {
    const value = headers[name];
    if (typeof value !== 'string' || value.length > maxCharacters) return undefined;
    return value.trim() || undefined;
  };
  const whole = (name: string, least: number, most: number): number | undefined => {
    const value = text(name);
    if (value === undefined || !/^-?\d{1,10}$/.test(value)) return undefined;
    return Number(value) >= least && Number(value) <= most ? Number(value) : undefined;
  };
  const named = serialOfAddress(text('id') ?? '');
  const serial = named ?? otherwise;
  if (serial === undefined) return undefined;
  const cached = text('image-cached');
  return {
    serial,
    token: text('access-token'),
    firmware: short(text('fw-version'), 32),
    model: short(text('model'), 40),
    width: whole('width', 1, 10_000) ?? whole('png-width', 1, 10_000),
    height: whole('height', 1, 10_000) ?? whole('png-height', 1, 10_000),
    refreshSeconds: whole('refresh-rate', 0, 4_294_967_295),
    ...readBattery(text('battery-voltage'), text('percent-charged')),
    rssi: whole('rssi', -127, -1),
    isCached: cached === 'true' ? true : cached === 'false' ? false : undefined,
    wakeMs: whole('wake-time', 1, 3_600_000),
    wake: wakes.get(text('update-source')?.toLowerCase() ?? ''),
    hasSpecialFunction: text('special_function') === 'true',
    client: text('png-width') === undefined ? undefined : clientOf(text('user-agent'), named !== undefined),
    sensors: readSensors(headers.sensors),
  };
}

/**
 * The script for Kindles and the plugin for KOReader send the size of the picture, and not of a panel. The plugin sends
 * no address, and KOReader decodes every PNG.
 */
function clientOf(agent: string | undefined, namesItself: boolean): TrmnlCall['client'] {
  if (!namesItself || agent?.toLowerCase().includes('koreader') === true) return 'koreader';
  return agent === undefined || /^(trmnl-display|curl)\//.test(agent) ? 'kindle' : undefined;
}

const wakes: ReadonlyMap<string, PolledWake> = new Map([
  ['timer', 'timer'],
  ['button', 'button'],
  ['gpio', 'button'],
  ['touchpad', 'button'],
  ['ext0', 'button'],
  ['ext1', 'button'],
  ['powercycle', 'reset'],
]);

/**
 * Reads the battery. Frames send volts; the script for Kindles sends percent in the same header, and so does the client
 * for computers, always 100. Boards without a battery make up a steady value, which is kept as it is.
 */
function readBattery(
  voltage: string | undefined,
  percent: string | undefined,
): Pick<TrmnlCall, 'batteryMv' | 'batteryPercent'> {
  const number = (value: string | undefined): number | undefined =>
    value !== undefined && /^\d{1,5}(\.\d{1,6})?$/.test(value) ? Number(value) : undefined;
  const [volts, charge] = [number(voltage), number(percent)];
  const isVolts = volts !== undefined && volts > 0.5 && volts <= 6;
  const told = charge ?? (isVolts ? undefined : volts);
  return {
    batteryMv: isVolts ? Math.round(volts * 1000) : undefined,
    batteryPercent: told !== undefined && told <= 100 ? told : undefined,
  };
}

/** The most characters of the header of sensors that are read, and the most sensors. */
const maxSensors = { characters: 2_048, count: 8 };

/** Reads `make=…;model=…;kind=…;value=…;unit=…;created_at=…`, sensors apart by commas. What is not a measurement is left out. */
function readSensors(header: string | readonly string[] | undefined): string | undefined {
  if (typeof header !== 'string' || header.length > maxSensors.characters) return undefined;
  const measured = header.split(',').flatMap((sensor) => {
    const fields = new Map(sensor.split(';').map((field) => [field.split('=', 1)[0]?.trim(), field]));
    const [kind = '', value = '', unit = ''] = ['kind', 'value', 'unit'].map((name) =>
      (fields.get(name) ?? '').trim().slice(name.length + 1),
    );
    const isMeasured =
      /^[\w -]{1,24}$/.test(kind) && /^-?\d{1,7}(\.\d{1,6})?$/.test(value) && /^[\w%/°-]{0,16}$/.test(unit);
    return isMeasured ? [`${kind} ${value} ${unit}`.trim()] : [];
  });
  return measured.slice(0, maxSensors.count).join(', ') || undefined;
}

function short(text: string | undefined, most: number): string | undefined {
  return text === undefined || text.length > most ? undefined : text;
}
