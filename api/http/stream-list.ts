/** Answers lists of any length with little memory: they are read, checked and sent in portions. */
import { Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { z } from 'zod';
import { heavyListBytes, refuseLong } from './list-query.ts';

export class ListStream<Item> {
  readonly portions: AsyncIterable<readonly Item[]>;

  constructor(portions: AsyncIterable<readonly Item[]>) {
    this.portions = portions;
  }
}

/** The result that a handler may give in place of a list. */
export type Streamed<List> = List extends readonly (infer Item)[] ? ListStream<Item> : never;

/**
 * Returns the list itself when it is one portion, else a stream that begins with it. A failure of the first portion is
 * still answered with a status of its own.
 */
export async function listInPortions<Row, Item>(
  portions: AsyncGenerator<readonly Row[]>,
  show: (row: Row) => Item,
): Promise<Item[] | ListStream<Item>> {
  const first = await portions.next();
  if (first.done === true) return [];
  const second = await portions.next();
  if (second.done === true) return first.value.map(show);
  async function* all(rows: readonly (readonly Row[])[]): AsyncGenerator<readonly Item[]> {
    for (const some of rows) yield some.map(show);
    for await (const some of portions) yield some.map(show);
  }
  return new ListStream(all([first.value, second.value]));
}

/**
 * Returns the list itself, for code that needs it whole, and any other answer as it is.
 * @throws Refusal `invalid-request` for a list that is too large for one answer
 */
export async function wholeList(given: unknown): Promise<unknown> {
  if (!(given instanceof ListStream)) return given;
  const all: unknown[] = [];
  let bytes = 0;
  for await (const items of given.portions) {
    bytes += JSON.stringify(items).length;
    all.push(...items);
    refuseLong(all.length, bytes);
    if (bytes > heavyListBytes) await nextTick();
  }
  return all;
}

/** Makes the JSON array of a list as fast as it is taken. Parsing drops every field that the contract does not name. */
export function streamOf(list: ListStream<unknown>, output: z.ZodType): Readable {
  if (!(output instanceof z.ZodArray)) throw new Error('only lists are streamed');
  const portion = z.array(output.element as z.ZodType);
  async function* text(): AsyncGenerator<string> {
    let opening = '[';
    for await (const items of list.portions) {
      if (items.length === 0) continue;
      yield opening + JSON.stringify(portion.parse(items)).slice(1, -1);
      opening = ',';
      // A database in this process answers within one tick: without a pause no other request would run, and nothing
      // would be sent.
      await nextTick();
    }
    yield opening === '[' ? '[]' : ']';
  }
  return Readable.from(text(), { highWaterMark: 1 });
}
