/** The files that are generated from the wire's tables, as they should be. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { MessageName } from '../../firmware-protocol/messages.ts';
import { nativeTopic } from '../../firmware-protocol/topics.ts';
import { describeHeader } from './describe-header.ts';
import { describeClauses, describeMessages } from './describe-messages.ts';
import { describePanels } from './describe-panels.ts';
import { native, stories } from './read-vectors.ts';

export const root = resolve(import.meta.dirname, '../..');

/** Every generated file: path below the root, content. */
export function protocolFiles(): readonly (readonly [path: string, content: string])[] {
  const page = 'docs/protocol.md';
  const text = readFileSync(join(root, page), 'utf8');
  return [
    ['firmware-protocol/papergate.h', describeHeader()],
    [
      page,
      withSection(
        withSection(withSection(text, 'messages', describeMessages(exampleOf)), 'panels', describePanels()),
        'clauses',
        describeClauses(),
      ),
    ],
  ];
}

/** A page with one generated section replaced. */
function withSection(page: string, name: string, section: string): string {
  const [begin, end] = [`<!-- generated: ${name} -->`, '<!-- end -->'];
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`no section ${begin} ... ${end}`);
  return `${page.slice(0, from + begin.length)}\n\n${section}\n\n${page.slice(to)}`;
}

/** The longest message of its kind in the stories: it has most of the fields. What no story tells is taken from the vectors. */
function exampleOf(name: MessageName): string {
  const said = stories.flatMap(({ frame, steps }) =>
    steps.flatMap((step) =>
      'topic' in step && step.topic === nativeTopic(frame, name) ? [JSON.stringify(step.message)] : [],
    ),
  );
  const accepted = native.flatMap((vector) =>
    vector.message === name && vector.decoded !== undefined ? [JSON.stringify(vector.decoded)] : [],
  );
  return (said.length > 0 ? said : accepted).reduce(
    (longest, text) => (text.length > longest.length ? text : longest),
    '',
  );
}
