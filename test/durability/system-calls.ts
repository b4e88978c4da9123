/** Reads what strace wrote of a process: every call that changes files, and every 202 that left, in their order. */

/** When a call began and ended, as line numbers of the trace; a call that never returned ends at infinity. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** One call that succeeded. `node` of a write is the descriptor's number; paths are absolute. */
export type Call = Span &
  (
    | { readonly name: 'open'; readonly fd: number; readonly path: string; readonly truncates: boolean }
    | {
        readonly name: 'write';
        readonly fd: number;
        readonly path: string;
        readonly data: Buffer;
        readonly at?: number;
      }
    | { readonly name: 'resize'; readonly fd: number; readonly path: string; readonly bytes: number }
    | { readonly name: 'sync'; readonly fd: number; readonly path: string }
    | { readonly name: 'mkdir' | 'remove'; readonly path: string }
    | { readonly name: 'rename' | 'link'; readonly path: string; readonly to: string }
    | { readonly name: 'acknowledge'; readonly body: Readonly<Record<string, string>> }
  );

/** The calls that have to be traced. `write` and `writev` are also how answers leave. */
const traced = [
  'openat',
  'write',
  'pwrite64',
  'writev',
  'pwritev',
  'ftruncate',
  'fsync',
  'fdatasync',
  'mkdir',
  'rmdir',
  'unlink',
  'unlinkat',
  'rename',
  'renameat',
  'renameat2',
  'link',
  'linkat',
];

/** The command that traces another one into a file, with whole buffers and the path of every descriptor, in hex. */
export function tracer(file: string): string[] {
  return ['strace', '-f', '-y', '-xx', '-s', '100000000', '--seccomp-bpf', '-o', file, '-e', `trace=${traced.join()}`];
}

const text = (hex: string): Buffer => Buffer.from(hex.replaceAll('\\x', ''), 'hex');

interface Line extends Span {
  readonly name: string;
  readonly args: string;
  readonly result: number;
  readonly rest: string;
}

/** Puts calls together that were interrupted by those of other threads. */
function* linesOf(trace: string): Generator<Line> {
  const begun = new Map<string, { name: string; args: string; start: number }>();
  for (const [at, line] of trace.split('\n').entries()) {
    const space = line.indexOf(' ');
    const thread = line.slice(0, space);
    const said = line.slice(space).trimStart();
    const unfinished = /^(\w+)\((.*) <unfinished \.\.\.>$/.exec(said);
    if (unfinished) {
      begun.set(thread, { name: unfinished[1] ?? '', args: unfinished[2] ?? '', start: at });
      continue;
    }
    const ended = /^(?:(\w+)\(|<\.\.\. \w+ resumed>)(.*)\)\s+= (-?\d+)(.*)$/.exec(said);
    if (ended === null) continue;
    const open = ended[1] === undefined ? begun.get(thread) : undefined;
    if (ended[1] === undefined && open === undefined) continue;
    begun.delete(thread);
    yield {
      name: open?.name ?? ended[1] ?? '',
      args: (open?.args ?? '') + ended[2],
      result: Number(ended[3]),
      rest: ended[4] ?? '',
      start: open?.start ?? at,
      end: at,
    };
  }
  // What the power loss of the recording's end cut short may have happened.
  for (const { name, args, start } of begun.values()) yield { name, args, result: 0, rest: '', start, end: Infinity };
}

/** Reads a trace. Calls come in the order in which they ended. */
export function readTrace(trace: string): Call[] {
  const calls: Call[] = [];
  for (const line of linesOf(trace)) {
    const call = line.result < 0 ? undefined : callOf(line);
    if (call !== undefined) calls.push(call);
  }
  return calls;
}

function callOf({ name, args, result, rest, start, end }: Line): Call | undefined {
  const span = { start, end };
  const strings = [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => text(hex));
  const paths = strings.map(String);
  const [, fd = '', hex = ''] = /^(\d+)<([^>]*)>/.exec(args) ?? [];
  const file = { fd: Number(fd), path: text(hex).toString() };
  const lastNumber = Number(/(\d+)$/.exec(args)?.[1]);
  const [path = '', to = ''] = paths;
  switch (name) {
    case 'openat': {
      const opened = text(/^<([^>]*)>/.exec(rest)?.[1] ?? '').toString();
      return { ...span, name: 'open', fd: result, path: opened, truncates: args.includes('O_TRUNC') };
    }
    case 'write':
    case 'writev': {
      const data = Buffer.concat(strings);
      const body = acknowledged(data);
      if (body !== undefined) return { ...span, name: 'acknowledge', body };
      return { ...span, name: 'write', ...file, data };
    }
    case 'pwrite64':
    case 'pwritev':
      return { ...span, name: 'write', ...file, data: Buffer.concat(strings), at: lastNumber };
    case 'ftruncate':
      return { ...span, name: 'resize', ...file, bytes: lastNumber };
    case 'fsync':
    case 'fdatasync':
      return { ...span, name: 'sync', ...file };
    case 'mkdir':
      return { ...span, name: 'mkdir', path };
    case 'rmdir':
    case 'unlink':
    case 'unlinkat':
      return { ...span, name: 'remove', path };
    case 'rename':
    case 'renameat':
    case 'renameat2':
      return { ...span, name: 'rename', path, to };
    case 'link':
    case 'linkat':
      return { ...span, name: 'link', path, to };
    default:
      return undefined;
  }
}

/** The body of a 202, when these bytes are one. */
function acknowledged(data: Buffer): Record<string, string> | undefined {
  if (!data.subarray(0, 12).equals(Buffer.from('HTTP/1.1 202'))) return undefined;
  const answer = data.toString();
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
}
