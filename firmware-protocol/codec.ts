/** Native messages to bytes and back. Bytes are data: decoding returns a value or a problem, it never throws. */
import { limits } from './limits.ts';
import { type Message, type MessageName, messages } from './messages.ts';

/** The result of decoding bytes from the other side. */
export type Decoded<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads JSON text from bytes, or returns what is wrong with them. */
export function decodeJson(bytes: Uint8Array, limitBytes: number): Decoded<unknown> {
  if (bytes.length > limitBytes) return { ok: false, problem: `${bytes.length} bytes, at most ${limitBytes}` };
  try {
    return { ok: true, value: JSON.parse(utf8.decode(bytes)) };
  } catch {
    return { ok: false, problem: 'not JSON in UTF-8' };
  }
}

/** Decodes one native message. Unknown fields are dropped. */
export function decode<Name extends MessageName>(name: Name, bytes: Uint8Array): Decoded<Message<Name>> {
  const json = decodeJson(bytes, limits.nativeMessageBytes);
  if (!json.ok) return json;
  const parsed = messages[name].schema.safeParse(json.value);
  if (parsed.success) return { ok: true, value: parsed.data as Message<Name> };
  const issue = parsed.error.issues[0];
  // The keys of `data` are the sender's own words. The problem must be safe to repeat, for example in a log message.
  const where = issue?.path.join('.').replaceAll('\0', '').slice(0, 80) || name;
  return { ok: false, problem: `${where}: ${issue?.message ?? 'malformed'}` };
}

/**
 * Encodes one native message.
 * @throws Error when it is malformed or over the limit: a message of our own must never be wrong
 */
export function encode<Name extends MessageName>(name: Name, message: Message<Name>): Uint8Array {
  const bytes = new TextEncoder().encode(JSON.stringify(messages[name].schema.parse(message)));
  if (bytes.length > limits.nativeMessageBytes) throw new Error(`${name} would take ${bytes.length} bytes`);
  return bytes;
}
