/** The lines of a scenario file, so that every error names the line. */
import {
  type Document,
  isMap,
  isScalar,
  type LineCounter,
  type Node,
  parseDocument,
  visit,
  YAMLParseError,
} from 'yaml';

/** A mistake in a scenario file. The message begins with the line. */
export class WrongScenario extends Error {
  readonly line: number;
  constructor(line: number, sentence: string) {
    super(`line ${line}: ${sentence}`);
    this.line = line;
  }
}

/** A place of the file: names and numbers from its root. */
export type Path = readonly PropertyKey[];

/** A file with the lines of what it says. */
export interface FileLines {
  /** Reads a word at a place of the file. @throws WrongScenario with its line when the reader throws */
  read<Value>(path: Path, reader: () => Value): Value;
  /** Refuses what stands at a place. */
  refuse(path: Path, sentence: string): never;
  lineOf(path: Path): number;
}

/** Parses YAML. The parser's own look for keys that stand twice compares each with all others: 20,000 took 20 s. */
export function parseYaml(text: string, lineCounter: LineCounter): Document.Parsed {
  const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false });
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const [begin = 0, end = 0] = key.range ?? [];
        if (seen.has(key.value)) {
          const twice = new YAMLParseError([begin, end], 'DUPLICATE_KEY', `the key ${String(key.value)} stands twice`);
          document.errors.push(twice);
        }
        seen.add(key.value);
      }
    },
  });
  return document;
}

/** Finds the lines of a document. */
export function linesOf(contents: Node | null, lineCounter: LineCounter): FileLines {
  const lineOf = (path: Path): number => lineCounter.linePos(positionOf(contents, path)).line || 1;
  const refuse = (path: Path, sentence: string): never => {
    throw new WrongScenario(lineOf(path), sentence);
  };
  return {
    lineOf,
    refuse,
    read(path, reader) {
      try {
        return reader();
      } catch (error) {
        return refuse(path, (error as Error).message);
      }
    },
  };
}

/** Where a place of the document begins: its key, or what holds it where it is missing. */
function positionOf(contents: Node | null, path: Path): number {
  let [node, position]: [unknown, number] = [contents, contents?.range?.[0] ?? 0];
  for (const name of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === name);
      if (pair === undefined) return position;
      position = (pair.key as Node).range?.[0] ?? position;
      node = pair.value;
    } else {
      node = (node as { items?: unknown[] } | null)?.items?.[Number(name)];
      if (node === undefined) return position;
      position = (node as Node).range?.[0] ?? position;
    }
  }
  return position;
}
