/** Markup that means harm, worked on in threads: it ends with a sentence, and the next piece of work is done. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { doRecipeJob } from '../../api/recipes/work/recipe-jobs.ts';
import { systemClock } from '../../runtime/clock.ts';
import { pageJob, pageOrWords, withRecipeThreads } from './work-world.ts';

const test = suite('hostile markup');

const sharer = ['house'];
const mega = 2 ** 20;

/** Markup that must not end with a page, by what it does, and the data that it needs. */
const endless: Readonly<Record<string, readonly [markup: string, data?: unknown]>> = {
  'a loop over a million numbers': ['{% for i in (1..1000000) %}{{ i }}{% endfor %}'],
  'a range of a billion': ['{% for i in (1..1000000000000) %}x{% endfor %}'],
  'a range that is assigned': ['{% assign r = (1..100000000) %}{{ r | size }}'],
  'a range by its bounds alone': ['{{ (1..999999999999) | size }}'],
  'loops in loops': [`${'{% for i in (1..2000) %}'.repeat(4)}x${'{% endfor %}'.repeat(4)}`],
  'a text that doubles': [
    '{% assign s = "0123456789" %}{% for i in (1..60) %}{% assign s = s | append: s %}{% endfor %}{{ s | size }}',
  ],
  'a text that is replaced by longer ones': [
    '{% assign s = "a" %}{% for i in (1..40) %}{% assign s = s | replace: "a", "aa" %}{% endfor %}{{ s | size }}',
  ],
  'a list that doubles': [
    '{% assign l = "a,b" | split: "," %}{% for i in (1..60) %}{% assign l = l | concat: l %}{% endfor %}{{ l | size }}',
  ],
  'a capture of itself': [
    '{% for i in (1..60) %}{% capture c %}{{ c }}{{ c }}0123456789{% endcapture %}{% endfor %}{{ c | size }}',
  ],
  'templates that call each other twice': [
    '{% template a %}{% render "b" %}{% render "b" %}{% endtemplate %}{% template b %}{% render "a" %}{% render "a" %}{% endtemplate %}{% render "a" %}',
  ],
  'a condition over 200,000 items': [
    '{{ items | where_exp: "n", "n > 1 and n < 7 or n == 3" | size }}{% for i in (1..500) %}{{ items | where_exp: "n", "n > 1" | size }}{% endfor %}',
    { items: Array.from({ length: 200_000 }, (_, at) => at) },
  ],
  'sorting again and again': [
    '{% for i in (1..500) %}{{ items | sort_natural | size }}{% endfor %}',
    { items: Array.from({ length: 60_000 }, (_, at) => `item ${(at * 7919) % 60_013}`) },
  ],
  'sorting in one breath': [
    `{{ items${' | sort_natural'.repeat(500)} | size }}`,
    { items: Array.from({ length: 60_000 }, (_, at) => `item ${(at * 7919) % 60_013}`) },
  ],
  'dates of gigabytes': ['{% for i in (1..100000) %}{{ "now" | date: "%999999999999d" }}{% endfor %}'],
  'blocks of which none ends': ['{% if true %}'.repeat(20_000)],
  'markup of two megabytes': ['{{ a }}'.repeat(300_000)],
};

test('each ends with a sentence within the bounds, and the next page is made', async () => {
  await withRecipeThreads(async (threads) => {
    for (const [title, [markup, data]] of Object.entries(endless)) {
      const words = pageOrWords(await threads.work(sharer, pageJob(markup, data)));
      assert.match(words, /^its page (?:cannot be made: .+|takes too long: 5 s are the limit)$/, title);
      assert.ok(words.length < 400, words);
      assert.is(pageOrWords(await threads.work(sharer, pageJob('{{ 1 | plus: 1 }}'))), '2', title);
    }
  });
});

test('work that looks at no bound is ended with its thread after five seconds', async () => {
  const items = Array.from({ length: 30_000 }, () => ({ k: {} }));
  const much = Array.from({ length: 80_000 }, () => 'text');
  await withRecipeThreads(async (threads) => {
    const late = threads.work(sharer, pageJob('{{ items | where: "k", much | size }}', { items, much: { much } }));
    const next = threads.work(['others'], pageJob('next'));
    assert.is(pageOrWords(await late), 'its page takes too long: 5 s are the limit');
    assert.is(pageOrWords(await next), 'next');
  });
});

/** Markup that ends with a page, which has nothing of what it was after. */
const harmless: Readonly<Record<string, readonly [markup: string, page: string | RegExp]>> = {
  'a template that calls itself': [
    '{% template a %}{% render "a" %}{% endtemplate %}{% render "a" %}!',
    'Liquid error: Nesting too deep!',
  ],
  'files of the machine': [
    '{% include "/etc/hostname" %}{% render "../../package.json" %}',
    'Liquid error: Template not found: /etc/hostname.Liquid error: Template not found: ../../package.json.',
  ],
  'a layout of the machine': ['a{% layout "/etc/hostname" %}b', /^a?(?:Liquid error: .+)?b?$/],
  'what JavaScript has': [
    '[{{ list.constructor }}{{ map.__proto__.polluted }}{{ map.constructor.constructor }}{{ "x".constructor }}{{ map.hasOwnProperty }}{{ list.map }}{{ constructor }}{{ __proto__ }}{{ toString }}]',
    '[]',
  ],
  'keys that JavaScript has': ['{{ map["__proto__"] }}{{ map["constructor"] }}{{ map | map: "toString" }}.', '.'],
  'filters that JavaScript has': ['{{ "x" | constructor }}{{ "x" | __proto__ }}{{ "y" | toString }}', 'xxy'],
  'assigning to the prototype': ['{% assign __proto__ = map %}{% assign constructor = 1 %}{{ other.k }}.', '.'],
  'grouping by the prototype': [
    '{% assign g = items | group_by: "k" %}{% for p in g %}{{ p[0] }}={{ p[1].size }};{% endfor %}{{ other.size }}',
    '__proto__=1;constructor=2;0',
  ],
  'values that are functions in JavaScript': [
    '{{ map.valueOf }}{{ list.length }}{{ list.push }}{{ "abc".length }}.',
    '.',
  ],
};

test('what is after the machine gets nothing of it', async () => {
  const data = {
    list: [1],
    map: { k: 'v' },
    other: {},
    items: [{ k: '__proto__' }, { k: 'constructor' }, { k: 'constructor' }],
  };
  await withRecipeThreads(async (threads) => {
    for (const [title, [markup, page]] of Object.entries(harmless)) {
      const words = pageOrWords(await threads.work(sharer, pageJob(markup, data)));
      if (typeof page === 'string') assert.is(words, page, title);
      else assert.match(words, page, title);
    }
  });
});

test('text that a slow filter would take long for takes little work', async () => {
  const long = 'a'.repeat(140_000);
  const quick: readonly (readonly [string, unknown])[] = [
    ['{{ s | strip_html | size }}', { s: '<'.repeat(60_000) }],
    ['{{ s | strip_html | size }}', { s: '<script'.repeat(9_000) }],
    ['{{ s | strip_html | size }}', { s: '<!--'.repeat(9_000) }],
    ['{{ s | truncatewords: 3 | size }}', { s: `${' '.repeat(70_000)}x${' '.repeat(70_000)}` }],
    ['{{ s | split: " " | size }}{{ s | strip | size }}', { s: `x${' '.repeat(140_000)}x` }],
    ['{{ s | number_with_delimiter | size }}', { s: '9'.repeat(100_000) }],
    ['{{ s | escape_once | size }}', { s: `&${long}` }],
    ['{{ s | date: "%F" | size }}', { s: long }],
    ['{{ s | markdown_to_html | size }}', { s: '*a '.repeat(5_000) }],
    ['{{ s | markdown_to_html | size }}', { s: '['.repeat(5_000) }],
    ['{{ s | markdown_to_html | size }}', { s: '> '.repeat(5_000) }],
    ['{{ s | pluralize: 2 | size }}', { s: long }],
    ['{{ s | times: 3 | size }}', { s: '9'.repeat(5_000) }],
    ['{{ l | group_by: "k" | size }}', { l: Array.from({ length: 60_000 }, () => ({ k: 1 })) }],
    ['{{ l | uniq | size }}{{ l | sort | first }}', { l: Array.from({ length: 60_000 }, (_, at) => at) }],
  ];
  for (const [markup, data] of quick) {
    const before = process.cpuUsage();
    // Some are beyond the bounds of a page, which is an end as well.
    await doRecipeJob(pageJob(markup, data), { clock: systemClock, random: () => 0.5 }).catch(() => undefined);
    const { user } = process.cpuUsage(before);
    assert.ok(user < 3_000_000, `${markup}: ${user} µs`);
  }
});

test('memory of the process stays bounded', async () => {
  await withRecipeThreads(async (threads) => {
    await threads.work(sharer, pageJob('warm'));
    const before = process.memoryUsage().rss;
    const greedy =
      '{% assign l = "a,b,c,d" | split: "," %}{% for i in (1..9) %}{% assign l = l | concat: l | sort %}{% endfor %}';
    for (let time = 0; time < 5; time++) await threads.work(sharer, pageJob(greedy.repeat(50)));
    assert.ok(process.memoryUsage().rss - before < 400 * mega);
  });
});

test.run();
