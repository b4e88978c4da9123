/** Reads an event stream, as the HTML standard describes it. */

/** One message; a keep-alive line of the service is one without data. */
export interface StreamMessage {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Reads the messages of an answer until it ends. */
export async function* streamMessages(answer: Response): AsyncGenerator<StreamMessage> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    text += part.value;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) yield readMessage(block);
  }
}

function readMessage(block: string): StreamMessage {
  const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line));
  const named = (name: string) => fields.filter((field) => field?.[1] === name).map((field) => field?.[2] ?? '');
  return { event: named('event')[0] ?? 'message', data: named('data').join('\n'), id: named('id')[0] };
}
