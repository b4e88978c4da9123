/**
 * The answers to a frame's calls, as compact JSON with integers: the script for Kindles reads them with `sed`. The fields
 * and what the firmware does with them were read in usetrmnl/trmnl-firmware (`lib/trmnl/src/parse_response_api_*.cpp`).
 * A status of 500 in a body would wipe the frame, and 202 show an error, so that neither can be written here.
 */

/** The most bytes of an address with which a frame does not write past its buffer. */
export const maxAddressBytes = 999;

/** The most bytes of a message that is shown while a frame is set up. */
const maxMessageBytes = 127;

/** The picture that a frame is to show, and until when. */
export interface DisplayAnswer {
  /** The address of the picture, below 1,000 bytes. It is always sent, because some firmware fails without one. */
  readonly imageUrl: string;
  readonly filename: string;
  /** Sleep in seconds. */
  readonly refreshSeconds: number;
}

/** Writes the answer to a display call. */
export function displayAnswer({ imageUrl, filename, refreshSeconds }: DisplayAnswer): string {
  if (Buffer.byteLength(imageUrl) > maxAddressBytes) throw new Error('the address of a picture is too long for frames');
  return JSON.stringify({
    status: 0,
    image_url: imageUrl,
    filename,
    refresh_rate: Math.round(refreshSeconds),
    image_url_timeout: 0,
    reset_firmware: false,
    update_firmware: false,
    firmware_url: '',
    special_function: 'none',
  });
}

/** The answer to a frame that may begin. */
export interface SetupAnswer {
  readonly apiKey: string;
  /** A short name that the frame shows. */
  readonly friendlyId: string;
  readonly imageUrl: string;
  readonly message: string;
}

/** Writes the answer that hands a frame its key. */
export function setupAnswer({ apiKey, friendlyId, imageUrl, message }: SetupAnswer): string {
  const shown = cut(message, maxMessageBytes);
  return JSON.stringify({ status: 200, api_key: apiKey, friendly_id: friendlyId, image_url: imageUrl, message: shown });
}

/**
 * Writes the answer that lets a frame wait: its glass shows that it is not registered, and it asks again after a
 * quarter of an hour. It goes out with the HTTP status 200, because firmware before 1.6.6 treats any other one as an
 * outage.
 */
export function waitAnswer(message: string): string {
  const shown = cut(message, maxMessageBytes);
  return JSON.stringify({ status: 404, api_key: null, friendly_id: null, image_url: null, message: shown });
}

function cut(text: string, most: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= most
    ? text
    : bytes
        .subarray(0, most)
        .toString()
        .replace(/\uFFFD$/, '');
}
