/**
 * Runs a recipe's own program over its data, in an interpreter of its own: it sees its input and the language, and neither
 * network, files nor modules (RC-21). `node:vm` and workers of Node keep nobody in.
 */
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import type { Clock } from '../../../runtime/clock.ts';

const bounds = {
  memoryBytes: 64 * 2 ** 20,
  stackBytes: 256 * 1024,
  ms: 1_500,
  jobs: 10_000,
  letters: 2_000_000,
} as const;

/** Why a program gave no data, in its own words. */
export class TransformFailed extends Error {}

const prologue = 'globalThis.module = { exports: {} }; globalThis.exports = module.exports;';

/** Calls `run`, else `transform`, else takes `result`; a program that has none of them changes nothing. */
const epilogue = `
;(() => {
  const input = JSON.parse(globalThis.papergateInput);
  const named = typeof run === 'function' ? run
    : typeof transform === 'function' ? transform
    : typeof module.exports === 'function' ? module.exports
    : module.exports.run ?? module.exports.transform;
  const given = typeof named === 'function' ? () => named(input) : () => (typeof result === 'undefined' ? input : result);
  new Promise((resolve) => resolve(given()))
    .then((answer) => { globalThis.papergateAnswer = JSON.stringify(answer ?? null) ?? 'null'; })
    .catch((error) => { globalThis.papergateFailure = String(error); });
})();`;

/**
 * Runs a program.
 * @param input JSON of an object
 * @returns what it answered; a list stands below `data`
 * @throws TransformFailed
 */
export async function runTransform(
  program: string,
  input: string,
  clock: Pick<Clock, 'now'>,
): Promise<Readonly<Record<string, unknown>>> {
  const engine = await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'));
  try {
    return answerIn(startRuntime(engine, clock), program, input);
  } catch (error) {
    // The interpreter itself may have come to the end of its stack or its memory.
    throw error instanceof TransformFailed ? error : new TransformFailed(wordsOf(error));
  }
}

function startRuntime(engine: QuickJSWASMModule, clock: Pick<Clock, 'now'>): QuickJSRuntime {
  const runtime = engine.newRuntime();
  runtime.setMemoryLimit(bounds.memoryBytes);
  runtime.setMaxStackSize(bounds.stackBytes);
  const end = clock.now() + bounds.ms;
  runtime.setInterruptHandler(() => clock.now() > end);
  return runtime;
}

function answerIn(runtime: QuickJSRuntime, program: string, input: string): Readonly<Record<string, unknown>> {
  // Nothing of it is given back: its memory goes with the interpreter, which a program may have left in any state.
  const context = runtime.newContext();
  context.newString(input).consume((text) => context.setProp(context.global, 'papergateInput', text));
  const ran = context.evalCode(`${prologue}${program}${epilogue}`, 'transform.js');
  if (ran.error !== undefined) throw new TransformFailed(wordsOf(context.dump(ran.error)));
  runtime.executePendingJobs(bounds.jobs);
  return answerOf(context);
}

function answerOf(context: QuickJSContext): Readonly<Record<string, unknown>> {
  const read = (name: string): unknown => context.getProp(context.global, name).consume((value) => context.dump(value));
  const failure = read('papergateFailure');
  if (typeof failure === 'string') throw new TransformFailed(failure.slice(0, 300));
  const text = read('papergateAnswer');
  if (typeof text !== 'string') throw new TransformFailed('it did not come to an end');
  if (text.length > bounds.letters) throw new TransformFailed('its answer is too long');
  const answer: unknown = JSON.parse(text);
  if (Array.isArray(answer)) return { data: answer };
  if (typeof answer !== 'object' || answer === null)
    throw new TransformFailed('its answer is neither an object nor a list');
  return answer as Readonly<Record<string, unknown>>;
}

/** The words of an error of the program: its message alone, without a stack. */
function wordsOf(error: unknown): string {
  const { name, message } = Object(error) as { name?: unknown; message?: unknown };
  const text = message === undefined ? String(error) : `${String(name)}: ${String(message)}`;
  return text.slice(0, 300);
}
