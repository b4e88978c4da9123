/** Lists of any length in little memory: they are read, checked and sent in portions (T-21). */
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';

/** A list that is longer than one portion. */
export class ListStream<Item> {
  readonly portions: AsyncIterable<readonly Item[]>;

  constructor(portions: AsyncIterable<readonly Item[]>) {
    this.portions = portions;
  }
}

/** What a handler may give in place of a list. */
export type Streamed<List> = List extends readonly (infer Item)[] ? ListStream<Item> : never;

/**
 * The list itself when it is one portion, else a stream that begins with it. Whatever goes wrong with the first portion
 * is still answered with a status of its own.
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

/** The list itself, for who cannot do with portions; every other answer as it is. */
export async function wholeList(given: unknown): Promise<unknown> {
  if (!(given instanceof ListStream)) return given;
  const all: unknown[] = [];
  for await (const items of given.portions) all.push(...items);
  return all;
}

/** The JSON array of a list, made as fast as it is taken. Parsing drops every field the contract does not name. */
export function streamOf(list: ListStream<unknown>, output: z.ZodType): Readable {
  if (!(output instanceof z.ZodArray)) throw new Error('only lists are streamed');
  const portion = z.array(output.element as z.ZodType);
  async function* text(): AsyncGenerator<string> {
    let opening = '[';
    for await (const items of list.portions) {
      if (items.length === 0) continue;
      yield opening + JSON.stringify(portion.parse(items)).slice(1, -1);
      opening = ',';
      // A database in this process answers within the turn: without a pause nobody else would get one, and nothing be sent.
      await nextTurn();
    }
    yield opening === '[' ? '[]' : ']';
  }
  return Readable.from(text(), { highWaterMark: 1 });
}
