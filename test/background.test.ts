/**
 * Guards against what would end the process by surprise (T-75): promises that nobody waits for, and emitters without a
 * listener for their errors. Both are read from the sources, as far as their text tells.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const root = resolve(import.meta.dirname, '..');
const floors = ['firmware-protocol', 'reasons', 'runtime', 'cluster', 'gateway', 'api', 'cli', 'client'];

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

interface Source {
  readonly path: string;
  readonly text: string;
  readonly program: Node;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** The nodes right below a node. */
function below(node: Node): Node[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}

function* walk(node: Node): Generator<Node> {
  yield node;
  for (const child of below(node)) yield* walk(child);
}

const parse = (path: string, text: string): Source => ({
  path,
  text,
  program: parseSync(path, text).program as unknown as Node,
});

const sources: readonly Source[] = floors.flatMap((floor) =>
  readdirSync(join(root, floor), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    // What runs in a browser ends no process.
    .filter((path) => !/^api\/console\/[\w-]+\.mjs$|\/settings-frame\//.test(path))
    .map((path) => parse(path, readFileSync(join(root, path), 'utf8'))),
);

const nameOf = (node: unknown): string | undefined =>
  isNode(node) && typeof node.name === 'string' ? (node.name as string) : undefined;

/** The last name of a called expression: `end` in `client.end()`. */
function calledName(call: Node): string | undefined {
  const callee = call.callee as Node;
  return callee.type === 'MemberExpression' ? nameOf(callee.property) : nameOf(callee);
}

/** Strips what changes nothing: `a?.b()`, `(a)`. */
function bare(node: Node): Node {
  const inner = node.expression;
  return ['ChainExpression', 'ParenthesizedExpression'].includes(node.type) && isNode(inner) ? bare(inner) : node;
}

const promised = /^(Promise|PromiseLike)\b/;

/** Returns whether a declared function returns a promise; undefined for anything but a function. */
function returnsPromise(node: Node, text: string): boolean | undefined {
  const type = node.returnType;
  if (
    ![
      'ArrowFunctionExpression',
      'FunctionExpression',
      'FunctionDeclaration',
      'TSMethodSignature',
      'TSFunctionType',
    ].includes(node.type)
  ) {
    return undefined;
  }
  if (node.async === true) return true;
  if (!isNode(type)) return node.type === 'ArrowFunctionExpression' ? undefined : false;
  const annotation = bare(type.typeAnnotation as Node);
  return promised.test(text.slice(annotation.start));
}

/** Names that functions without a promise have, too, here or in a library. */
const sharedNames = new Set(
  'push pop set add delete clear once on off emit end close resume pause write destroy send collect giveBack assign use remove store release register resize check call'.split(
    ' ',
  ),
);
/** The calls that may stand behind `void`: they return no promise, or a query that is being put together. */
const returnsNothing = new Set(
  'push close send after set where orWhere whereNull orWhereNull whereNotNull orWhereNotNull'.split(' '),
);

/** Names of functions and methods whose every declaration in the project returns a promise. */
function promisingNames(all: readonly Source[]): ReadonlySet<string> {
  const found = new Map<string, boolean>();
  const note = (name: string | undefined, promises: boolean | undefined): void => {
    if (name !== undefined && promises !== undefined) found.set(name, (found.get(name) ?? true) && promises);
  };
  for (const { program, text } of all) {
    for (const node of walk(program)) {
      const isSignature = node.type === 'TSMethodSignature';
      if (node.type === 'FunctionDeclaration') note(nameOf(node.id), returnsPromise(node, text));
      if (isSignature) note(nameOf(node.key), returnsPromise(node, text));
      const value = node.type === 'VariableDeclarator' ? node.init : node.value;
      const key = node.type === 'VariableDeclarator' ? node.id : node.key;
      if (isNode(value)) note(nameOf(key), returnsPromise(value, text));
      const typed =
        node.type === 'TSPropertySignature' ? (node.typeAnnotation as Node | null)?.typeAnnotation : undefined;
      if (isNode(typed)) note(nameOf(node.key), returnsPromise(typed, text));
    }
  }
  return new Set([...found].filter(([name, promises]) => promises && !sharedNames.has(name)).map(([name]) => name));
}

const isFunction = (node: unknown): node is Node =>
  isNode(node) && ['ArrowFunctionExpression', 'FunctionExpression'].includes(node.type);

/** A chain that ends so has no rejection left. */
function isSettled(call: Node): boolean {
  const given = call.arguments as readonly Node[];
  if (given.some((argument) => isFunction(argument) && argument.async === true)) return false;
  return calledName(call) === 'catch' || (calledName(call) === 'then' && given.length === 2);
}

const chains = new Set(['then', 'catch', 'finally']);
/** The calls that run a function later and take no promise from it. */
const callsLater = new Set(
  'on once addListener prependListener addEventListener after setTimeout setInterval setImmediate queueMicrotask schedule'.split(
    ' ',
  ),
);

/** Finds promises that nobody waits for. */
function floating({ program, text, path }: Source, promising: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const at = ({ start }: Node): string => `${path}:${text.slice(0, start).split('\n').length}`;
  const judge = (node: Node): void => {
    const given = bare(node);
    if (given.type !== 'CallExpression' || isSettled(given)) return;
    const name = calledName(given) ?? '';
    if (chains.has(name) || promising.has(name)) found.push(`${at(given)}: ${name} is waited for by nobody`);
  };
  for (const node of walk(program)) {
    if (node.type === 'ExpressionStatement') judge(node.expression as Node);
    if (node.type === 'UnaryExpression' && node.operator === 'void') {
      const given = bare(node.argument as Node);
      const isCall =
        given.type === 'CallExpression' && !returnsNothing.has(calledName(given) ?? '') && !isSettled(given);
      if (isCall || given.type === 'LogicalExpression') found.push(`${at(node)}: void of a call`);
    }
    if (node.type !== 'CallExpression' || !callsLater.has(calledName(node) ?? '')) continue;
    for (const argument of node.arguments as readonly Node[]) {
      if (isFunction(argument) && argument.async === true) found.push(`${at(argument)}: an async listener or timer`);
    }
  }
  return found;
}

const test = suite('background');
const promising = promisingNames(sources);

test('no promise is left alone: it is awaited, ends in a catch, or is begun in the background', () => {
  assert.ok(sources.length > 500, `${sources.length} files`);
  assert.ok(promising.size > 100, `${promising.size} names`);
  assert.equal(
    sources.flatMap((source) => floating(source, promising)),
    [],
  );
});

test('the search for promises that are left alone finds each kind', () => {
  const lines = [
    'work();',
    'void work();',
    'work().then(next);',
    'void work().then(next).finally(next);',
    'work().catch(log).then(next);',
    'work().then(async () => {}, log);',
    "socket.on('data', async () => {});",
    'setTimeout(async () => {}, 5);',
    'deps.work?.();',
  ];
  for (const line of lines) {
    const source = parse('a.ts', `async function work() {}\n${line}`);
    assert.is(floating(source, promisingNames([source])).length, 1, line);
  }
  for (const line of [
    'await work();',
    'work().catch(log);',
    'work().then(next, log);',
    "socket.on('data', () => {});",
  ]) {
    const source = parse('a.ts', `async function work() {}\n${line}`);
    assert.equal(floating(source, promisingNames([source])), [], line);
  }
});

test.run();
