/** Reads messages as an IMAP server does: their parts by number, and the BODYSTRUCTURE of RFC 3501. */

/** A part of a message. */
export interface MimePart {
  readonly number: string;
  readonly headers: string;
  readonly body: string;
  readonly children: readonly MimePart[];
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Parses a message, whose bytes are given as latin1. */
export function parseMime(raw: string, number = ''): MimePart {
  const at = raw.indexOf('\r\n\r\n');
  const headers = at < 0 ? raw : raw.slice(0, at + 4);
  const body = at < 0 ? '' : raw.slice(at + 4);
  const { value, parameters } = structured(headerOf(headers, 'content-type') ?? 'text/plain');
  const below = (index: number): string => (number === '' ? `${index + 1}` : `${number}.${index + 1}`);
  const boundary = parameters.get('boundary');
  let children: MimePart[] = [];
  if (value.startsWith('multipart/') && boundary !== undefined) {
    const pieces = `\r\n${body}`.split(`\r\n--${boundary}`).slice(1);
    const inner = pieces.filter((piece) => !piece.startsWith('--')).map((piece) => piece.replace(/^[ \t]*\r\n/, ''));
    children = inner.map((piece, index) => parseMime(piece, below(index)));
  } else if (value === 'message/rfc822') {
    const message = parseMime(body, number);
    children = [message.children.length > 0 ? message : { ...message, number: `${number}.1` }];
  }
  return { number: number || '1', headers, body, children, type: value, parameters };
}

/** Returns the value of a header, unfolded. */
export function headerOf(headers: string, name: string): string | undefined {
  const line = headers
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .find((one) => one.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}

function structured(text: string): { readonly value: string; readonly parameters: ReadonlyMap<string, string> } {
  const [value = '', ...rest] = text.split(';');
  const pairs = rest.map((one): [string, string] => {
    const [key = '', ...of] = one.split('=');
    return [key.trim().toLowerCase(), of.join('=').trim().replace(/^"|"$/g, '')];
  });
  return { value: value.trim().toLowerCase(), parameters: new Map(pairs) };
}

const quoted = (text: string | undefined): string =>
  text === undefined ? 'NIL' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

const listed = (parameters: ReadonlyMap<string, string>): string =>
  parameters.size === 0 ? 'NIL' : `(${[...parameters].map((pair) => pair.map(quoted).join(' ')).join(' ')})`;

/** Writes the BODYSTRUCTURE of a part. */
export function bodyStructure(part: MimePart): string {
  const { headers, body, children, type, parameters } = part;
  const [main = '', sub = ''] = type.toUpperCase().split('/');
  const written = headerOf(headers, 'content-disposition');
  const disposition = written === undefined ? undefined : structured(written);
  const ending = disposition
    ? `(${quoted(disposition.value.toUpperCase())} ${listed(disposition.parameters)}) NIL NIL`
    : 'NIL NIL NIL';
  if (main === 'MULTIPART') {
    return `(${children.map(bodyStructure).join('')} ${quoted(sub)} ${listed(parameters)} ${ending})`;
  }
  const encoding = headerOf(headers, 'content-transfer-encoding') ?? '7bit';
  const basic = [quoted(main), quoted(sub), listed(parameters), quoted(headerOf(headers, 'content-id')), 'NIL'];
  const fields = [...basic, quoted(encoding.toUpperCase()), body.length];
  const lines = body.split('\r\n').length;
  const [message] = children;
  if (type === 'message/rfc822' && message !== undefined) {
    const envelope = `(NIL ${quoted(headerOf(message.headers, 'subject'))} NIL NIL NIL NIL NIL NIL NIL NIL)`;
    return `(${fields.join(' ')} ${envelope} ${bodyStructure(message)} ${lines} NIL ${ending})`;
  }
  return `(${fields.join(' ')}${main === 'TEXT' ? ` ${lines}` : ''} NIL ${ending})`;
}

/** Returns a section of a message: `HEADER`, `HEADER.FIELDS (…)`, `TEXT`, a number, or a number with `.MIME`. */
export function sectionOf(message: MimePart, raw: string, section: string): string | undefined {
  if (section === '') return raw;
  if (section === 'HEADER') return message.headers;
  if (section === 'TEXT') return message.body;
  const fields = /^HEADER\.FIELDS \((.*)\)$/.exec(section)?.[1]?.toLowerCase().split(' ');
  if (fields !== undefined) {
    const lines = message.headers.replaceAll(/\r\n(?=[ \t])/g, '\0').split('\r\n');
    const wanted = lines.filter((line) => fields.includes(line.split(':')[0]?.toLowerCase() ?? ''));
    return `${wanted.map((line) => `${line.replaceAll('\0', '\r\n')}\r\n`).join('')}\r\n`;
  }
  const [, number, isMime] = /^([\d.]+?)(\.MIME)?$/.exec(section) ?? [];
  const part = number === undefined ? undefined : findPart(message, number);
  return isMime === undefined ? part?.body : part?.headers;
}

function findPart(part: MimePart, number: string): MimePart | undefined {
  if (part.children.length === 0) return part.number === number ? part : undefined;
  if (part.number === number && part.type === 'message/rfc822') return part;
  for (const child of part.children) {
    const found = findPart(child, number);
    if (found !== undefined) return found;
  }
  return undefined;
}
