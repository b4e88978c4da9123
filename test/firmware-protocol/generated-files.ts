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
  return [
    ['firmware-protocol/papergate.h', describeHeader()],
    withSection('docs/protocol.md', 'messages', describeMessages(exampleOf)),
    withSection('docs/picture-files.md', 'panels', describePanels()),
    withSection('docs/conformance.md', 'clauses', describeClauses()),
  ];
}

/** The path of a page, and the page with its generated section replaced. */
function withSection(path: string, name: string, section: string): readonly [path: string, content: string] {
  const page = readFileSync(join(root, path), 'utf8');
  const [begin, end] = [`<!-- generated: ${name} -->`, '<!-- end -->'];
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`${path} has no section ${begin} ... ${end}`);
  return [path, `${page.slice(0, from + begin.length)}\n\n${section}\n\n${page.slice(to)}`];
}

/**
 * The longest message of its kind in the stories: it has most of the fields. Fields that no story contains are taken
 * from the vectors.
 */
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
