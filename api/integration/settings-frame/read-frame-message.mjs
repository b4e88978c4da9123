// @ts-check
/**
 * Decodes the messages of a settings page to its host: today's envelopes under either source name, and the older forms.
 * Pure; browsers load this file as it stands. The messages are a stranger's: every input gets a value, never an error.
 */

/**
 * The requests of a page. `refused` is a message of this protocol that breaks one of its rules; `why` is for a person.
 * @typedef {{ kind: 'ready' }
 *   | { kind: 'settings', patch: Record<string, unknown> }
 *   | { kind: 'height', heightPx: number }
 *   | { kind: 'connect', requestId: string, answerAs: string }
 *   | { kind: 'refused', why: string }} FrameMessage
 */

/** The name that every page in the field knows (PAGE-19). */
const fieldedPrefix = 'paperlesspaper';

const maxRequestIdLength = 100;
const lowestHeightPx = 240;
const highestHeightPx = 1400;
const maxPatchCharacters = 64 * 1024;
const deepestPatch = 16;
const dangerousKeys = ['__proto__', 'constructor', 'prototype'];

/**
 * Returns the source names under which messages go out, the configured one first.
 * @param {string} sourcePrefix `PAPERGATE_MESSAGE_SOURCE_PREFIX`
 */
export function hostNames(sourcePrefix) {
  return [...new Set([`${sourcePrefix}-app`, `${fieldedPrefix}-app`])];
}

/**
 * Decodes one message. A message of another protocol gives undefined and is ignored (PAGE-20).
 * @param {unknown} data what `MessageEvent.data` holds
 * @param {string} sourcePrefix `PAPERGATE_MESSAGE_SOURCE_PREFIX`
 * @returns {FrameMessage | undefined}
 */
export function readFrameMessage(data, sourcePrefix) {
  if (!isRecord(data)) return undefined;
  if (data.type === 'INIT_REQUEST' || data.type === `${fieldedPrefix}:settings:ready`) return { kind: 'ready' };
  if (data.type === `${fieldedPrefix}:settings:update`) return readPatch(data.pluginSettings);
  if (data.type === `${fieldedPrefix}:settings:height`) return readHeight(data.height);
  const answerAs = hostNames(sourcePrefix).find((name) => data.source === name.replace(/-app$/, '-plugin'));
  if (answerAs === undefined) return undefined;
  const payload = isRecord(data.payload) ? data.payload : {};
  if (data.type === 'READY') return { kind: 'ready' };
  if (data.type === 'UPDATE_SETTINGS') return readPatch(data.payload);
  if (data.type === 'SET_HEIGHT') return readHeight(payload.height);
  if (data.type === 'REQUEST_CONNECTION') return readRequest(payload.requestId, answerAs);
  return undefined;
}

/**
 * @param {unknown} requestId
 * @param {string} answerAs
 * @returns {FrameMessage}
 */
function readRequest(requestId, answerAs) {
  if (typeof requestId !== 'string' || requestId === '' || requestId.length > maxRequestIdLength) {
    return {
      kind: 'refused',
      why: `A connection was asked for without a requestId of 1 to ${maxRequestIdLength} characters.`,
    };
  }
  return { kind: 'connect', requestId, answerAs };
}

/**
 * @param {unknown} height
 * @returns {FrameMessage}
 */
function readHeight(height) {
  if (typeof height !== 'number' || !Number.isFinite(height))
    return { kind: 'refused', why: 'A height is not a number.' };
  return { kind: 'height', heightPx: Math.min(highestHeightPx, Math.max(lowestHeightPx, Math.ceil(height))) };
}

/**
 * Reads settings. They will be stored and merged, so their form is bounded (T-18); their meaning is the integration's
 * own affair.
 * @param {unknown} patch
 * @returns {FrameMessage}
 */
export function readPatch(patch) {
  if (!isRecord(patch)) return { kind: 'refused', why: 'Settings must be an object.' };
  const problem = problemOf(patch, deepestPatch);
  if (problem !== undefined) return { kind: 'refused', why: problem };
  const text = JSON.stringify(patch);
  if (text.length > maxPatchCharacters) return { kind: 'refused', why: 'The settings are longer than 64 KiB.' };
  return { kind: 'settings', patch: JSON.parse(text) };
}

/**
 * @param {unknown} value
 * @param {number} levels
 * @returns {string | undefined}
 */
function problemOf(value, levels) {
  if (typeof value === 'bigint') return 'The settings hold a value that JSON cannot write.';
  if (typeof value !== 'object' || value === null) return undefined;
  if (levels === 0) return `The settings are nested deeper than ${deepestPatch} levels.`;
  for (const [key, inner] of Object.entries(value)) {
    if (dangerousKeys.includes(key)) return `The settings hold the name ${key}, which is not allowed.`;
    const problem = problemOf(inner, levels - 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
