/** Markup beside what Liquid in Ruby makes of it, by the rules of recipes. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderLiquid } from '../../api/recipes/liquid/engine.ts';
import { readData } from '../../api/recipes/liquid/read-data.ts';

const test = suite('markup of recipes');

/**
 * Markup and its page, by the rule that it shows. The pages are those of Ruby's Liquid 5.4, but where TRMNL answers
 * otherwise; `data` is a text, so that numbers keep their fractions.
 */
const { now, data, vectors }: { now: string; data: string; vectors: Record<string, [markup: string, page: string][]> } =
  JSON.parse(readFileSync(new URL('./vectors.json', import.meta.url), 'utf8'));

const rendered = (markup: string, text = data): ReturnType<typeof renderLiquid> =>
  renderLiquid({ markup, data: readData(text) as Record<string, unknown>, now: Date.parse(now), random: Math.random });

for (const [rule, pairs] of Object.entries(vectors)) {
  test(`${rule}: pages are those of Liquid in Ruby`, () => {
    for (const [markup, page] of pairs) assert.is(rendered(markup).page, page, markup);
  });
}

test('there are vectors for every rule', () => {
  assert.ok(Object.values(vectors).flat().length >= 250);
});

test('a tag that cannot be read prints nothing, and is remarked upon', () => {
  const { page, remarks } = rendered('a{% nosuchtag x %}b{% assign y = 1 | divided_by: 0 %}c');
  assert.is(page, 'abc');
  assert.is(remarks.length, 2);
  assert.match(remarks[0] ?? '', /nosuchtag/);
  assert.match(remarks[1] ?? '', /divided by 0/);
});

test('a block that does not end fails with a sentence', () => {
  for (const markup of ['{% if yes %}a', '{% for i in list %}a', '{% template x %}a', '{% ifchanged %}a']) {
    assert.throws(() => rendered(markup), /not closed/, markup);
  }
});

test('RC-46: each failing tag is named where it stands, and the rest of the page is there', () => {
  const { page } = rendered('<p>{{ 1 | divided_by: 0 }}</p><p>{{ list | map: "x" }}</p><p>{{ s }}</p>');
  assert.is(
    page,
    "<p>Liquid error: divided by 0</p><p>Liquid error: cannot select the property 'x'</p><p>Hello World</p>",
  );
});

test('one rendering leaves nothing for the next', () => {
  rendered('{% template t %}x{% endtemplate %}{% assign kept = 1 %}{% increment q %}');
  assert.is(rendered('{% render "t" %}{{ kept }}{% increment q %}').page, 'Liquid error: Template not found: t.0');
});

test('what is random differs, and lies within its bounds', () => {
  const made = new Set(Array.from({ length: 20 }, () => rendered('{{ "id-" | append_random }}').page));
  assert.ok(made.size > 15);
  for (const text of made) assert.match(text, /^id-[0-9a-f]{4}$/);
  const chosen = new Set(Array.from({ length: 60 }, () => rendered('{{ list | sample }}').page));
  assert.equal([...chosen].sort(), ['1', '2', '3']);
});

test('a code is made of as many modules as its text needs', () => {
  const code = rendered('{{ "https://paper.example/a-longer-address?with=parts" | qr_code: 2, "m" }}').page;
  const side = Number(/viewBox="0 0 (\d+) \1"/.exec(code)?.[1]);
  assert.is((side / 2 - 17) % 4, 0);
  assert.match(code, /^<svg [^>]*class="qr-code"/);
});

test.run();
