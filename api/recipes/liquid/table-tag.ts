/** The tag `tablerow`, with the lines that Ruby's engine breaks. */
import { type Context, type Emitter, evalToken, TablerowTag } from 'liquidjs';
import { itemsOf, loopOf } from './items.ts';

/** The place of a cell, as templates read it. */
const placeOf = (index: number, { length, columns }: { readonly length: number; readonly columns: number }) => ({
  ...loopOf(index, length),
  col: (index % columns) + 1,
  col0: index % columns,
  col_first: index % columns === 0,
  col_last: (index + 1) % columns === 0,
  row: Math.floor(index / columns) + 1,
});

/** Prints rows of cells; also an empty list has one row. */
export class RowsTag extends TablerowTag {
  override *render(ctx: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const rows = yield evalToken(this.collection, ctx);
    if (rows === null || rows === undefined) return;
    const all = itemsOf(rows);
    const args = (yield this.args.render(ctx)) as Readonly<Record<string, unknown>>;
    const from = Number(args.offset ?? 0);
    const items = all.slice(from, args.limit === undefined ? all.length : from + Number(args.limit));
    const columns = Number(args.cols ?? 0) || items.length;
    const scope: Record<string, unknown> = {};
    ctx.push(scope);
    emitter.write('<tr class="row1">\n');
    for (const [index, item] of items.entries()) {
      const place = placeOf(index, { length: items.length, columns });
      Object.assign(scope, { [this.variable]: item, tablerowloop: place });
      emitter.write(`<td class="col${place.col}">`);
      yield this.liquid.renderer.renderTemplates(this.templates, ctx, emitter);
      emitter.write('</td>');
      if (place.col_last && !place.last) emitter.write(`</tr>\n<tr class="row${place.row + 1}">`);
    }
    emitter.write('</tr>\n');
    ctx.pop();
  }
}
