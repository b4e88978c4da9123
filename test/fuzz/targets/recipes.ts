/**
 * Recipes: a stranger's markup, settings, archives, addresses, answers and programs. The first line of an input says which
 * of them follows.
 */
import { createHash } from 'node:crypto';
import { readPlainUrl } from '../../../api/outgoing/plain-url.ts';
import type { PageChild } from '../../../api/pages/element.ts';
import { hostsOf } from '../../../api/recipes/data/read-recipe.ts';
import { archiveAddress } from '../../../api/recipes/import-recipe.ts';
import { licenceOf } from '../../../api/recipes/package/licence.ts';
import { templateValues } from '../../../api/recipes/package/recipe-fields.ts';
import { readSettingsFile, UnusableSettings } from '../../../api/recipes/package/recipe-settings.ts';
import { screenDocument } from '../../../api/recipes/screen/screen-document.ts';
import { screenPage } from '../../../api/recipes/screen/screen-page.ts';
import { pollRequests } from '../../../api/recipes/work/poll-requests.ts';
import { doRecipeJob, type RecipeDone, type RecipeJob } from '../../../api/recipes/work/recipe-jobs.ts';
import { panelOfKind } from '../../../firmware-protocol/panels.ts';
import { Find, type FuzzTarget, insist, mustEqual } from '../target.ts';

const now = Date.UTC(2026, 10, 28, 10, 20, 30);
const timeZone = 'Europe/Berlin';
const colours = panelOfKind('epd7')?.colours ?? [];
const settings = { strategy: 'static', isDark: false, isWithoutPadding: false } as const;
const surroundings = { now, timeZone, language: 'de', paperName: 'Kitchen', panel: { width: 800, height: 480 } };
const data = {
  items: [3, 1, 2],
  name: 'Ada',
  deep: { list: [{ a: 1, b: 'x' }, { a: null }] },
  when: '2026-03-29T01:30:00Z',
  n: 1.5,
  none: null,
};

/** One of so many programs is run: each has an interpreter of its own. */
const programsOf = 16;

const words =
  'page\n|typeset\n|settings\n|requests\n|json\n|xml\n|csv\n|text\n|ical\n|files\n|address\n|program\n|{{ items | |{% for i in (1..3) %}|{% endfor %}|{% if items.size > 1 and n != null %}|{% else %}|{% endif %}|{% assign x = |{% capture c %}|{% endcapture %}|{% case n %}|{% when 1 %}|{% endcase %}|{% raw %}|{% endraw %}|{% comment %}|{% endcomment %}|{% render "a", b: 1 %}|{% template a %}|{% endtemplate %}|{% tablerow i in items %}|{% endtablerow %}|{% cycle 1, 2 %}|{% increment x %}|{% ifchanged %}|{% endifchanged %}|{%- |-%}| | date: "%A %e. %B %s %9N %-d"| | plus: 1| | divided_by: 0| | modulo: 0| | round: 3| | slice: -3, 9| | truncate: 3| | split: ","| | join| | sort: "a"| | where: "a", 1| | where_exp: "x", "x.a > 1"| | map: "a"| | group_by: "a"| | json| | parse_json| | number_with_delimiter| | markdown_to_html| | qr_code| | l_date: "long", "de"| | pluralize: 2| | sum| | uniq| | compact| | concat: items| | default: 1| | escape| | url_decode| | base64_decode| | find_by: "a", 1| | days_ago: 3|<style>|</style>|<svg viewBox="0 0 9 9">|</svg>|<div class="view">|<div class="screen" style="color:red;width:10px">| data-clamp="2"|<script>|<img src="http://192.168.1.7/x">|var(--a,#fff)|url(|@import|strategy: polling\n|polling_url: https://example.org/{{ key }}\n|polling_headers: a=b&c=d\n|polling_verb: post\n|polling_body: "{}"\n|static_data: "{}"\n|refresh_interval: 15\n|custom_fields:\n- keyname: key\n  field_type: string\n  name: Key\n|  field_type: select\n  options:\n  - a: b\n|  conditional_validation:\n  - when: a\n    hidden: [b]\n|&a [*a]|<<: *a|!!binary |__proto__|constructor|<?xml version="1.0"?>|<![CDATA[|]]>|<!DOCTYPE |&#x0;|&amp;|type="array"|nil="true"|BEGIN:VCALENDAR\r\n|BEGIN:VTODO\r\n|https://github.com/a/b/tree/main/c|https://trmnl.com/recipes/1|function run(input) { return input }|while(1);'.split(
    '|',
  );

/** Words of a fault of ours, where a sentence about the recipe was expected. */
const ofOurs =
  /Cannot (?:read|set|convert|mix|destructure|delete|use)|is not (?:a function|iterable|defined|a constructor|extensible)|Invalid (?:time|array|count|code|date|regular|string)|undefined \(|circular|object null|Reduce of empty|out of range/i;

const machine = { clock: { now: () => now }, random: () => 0.5 };

/** Does a piece of work; a sentence in its place is an answer as well. */
async function worked<Kind extends RecipeJob['do']>(
  job: RecipeJob & { do: Kind },
): Promise<RecipeDone[Kind] | undefined> {
  try {
    return (await doRecipeJob(job, machine)) as RecipeDone[Kind];
  } catch (error) {
    insist(error instanceof Error && !ofOurs.test(error.message), `it fails in words of our own: ${String(error)}`);
    insist(error.message.length <= 2_000, 'a sentence without a bound');
    return undefined;
  }
}

/** Judges the elements of a page that is typeset: none of them loads or runs anything. */
function judgeElements(children: readonly PageChild[], depth = 0): void {
  insist(depth < 3_000, 'elements without end');
  for (const child of children) {
    if (typeof child === 'string') continue;
    insist(typeof child.tag === 'string', 'an element without a name');
    for (const [name, value] of Object.entries(child.style ?? {})) {
      insist(
        /^[\w-]+$/.test(name) && (typeof value === 'number' || !String(value).includes(';')),
        'a style that is two',
      );
    }
    judgeElements(child.children, depth + 1);
  }
}

async function page(markup: string, typesetAt?: number): Promise<void> {
  const done = await worked({
    do: 'page',
    markup,
    settings,
    data: JSON.stringify(data),
    values: {},
    layout: 'full',
    surroundings,
    typesetAt,
  });
  if (done === undefined) return;
  insist(done.remarks.length <= 20, 'remarks without a bound');
  const failed = /Liquid error: ([^\n<]{0,200})/.exec(done.page)?.[1] ?? '';
  insist(!ofOurs.test(failed), `it prints a fault of our own: ${failed}`);
  const options = {
    markup: done.page,
    layout: 'full',
    width: 800,
    height: 480,
    colours,
    language: 'de',
    isDark: false,
    isWithoutPadding: false,
  } as const;
  const document = screenPage(options);
  insist(document.startsWith('<!doctype html>') && document.endsWith('</html>'), 'a page that does not end');
  if (done.read === undefined) return;
  judgeElements(done.read.children);
  const { css } = screenDocument(options, done.read);
  insist(typeof css === 'string', 'no stylesheet');
}

function readSettings(text: string): void {
  let read: ReturnType<typeof readSettingsFile>;
  try {
    read = readSettingsFile(text);
  } catch (error) {
    if (error instanceof UnusableSettings) return;
    throw error;
  }
  mustEqual(JSON.parse(JSON.stringify(read)), read, 'settings that no row can keep');
  insist(read.everyMinutes >= 5 && read.everyMinutes <= 1_440, 'a refresh that is too often or never');
  JSON.parse(read.data);
  const values = templateValues(read.fields, {}, '2026-11-28');
  const all = Object.fromEntries(read.fields.map(({ key }) => [key, '\u00e4 "x"\r\ny']));
  for (const given of [values, templateValues(read.fields, all, '2026-11-28')]) requests(read, given);
}

function requests(read: Parameters<typeof pollRequests>[0], values: Parameters<typeof pollRequests>[1]): void {
  let made: ReturnType<typeof pollRequests>;
  try {
    made = pollRequests(read, values, { now, timeZone, random: () => 0.5 });
  } catch (error) {
    insist(
      error instanceof Error && !ofOurs.test(error.message),
      `requests fail in words of our own: ${String(error)}`,
    );
    return;
  }
  const hosts = hostsOf(made);
  for (const { url, headers } of made) {
    for (const [name, value] of Object.entries(headers)) {
      insist(
        /^[\w-]+$/.test(name) && !/^(?:host|content-length|connection|transfer-encoding)$/.test(name),
        `a header that is not the recipe's: ${name}`,
      );
      insist(!/[^\t\x20-\x7e\x80-\xff]/.test(value), 'a header that cannot be sent');
    }
    const asked = readPlainUrl(url);
    if (asked instanceof URL) insist(hosts.includes(asked.host), 'a request to a host that is not noted');
  }
}

async function answer(contentType: string, text: string): Promise<void> {
  const bytes = Buffer.from(text, 'latin1');
  const done = await worked({ do: 'data', answers: [{ bytes, contentType }], place: { now, timeZone }, seen: {} });
  if (done !== undefined) insist(typeof JSON.parse(done.data) === 'object', 'data that are not an object');
}

/** Files stand behind lines `=== PATH`. */
async function files(text: string): Promise<void> {
  const [, ...parts] = text.split(/^=== /m);
  const named = Object.fromEntries(
    parts.map((part) => [part.slice(0, part.search(/\n|$/)), part.slice(part.search(/\n|$/) + 1)]),
  );
  licenceOf(new Map(Object.entries(named)));
  await worked({ do: 'import', from: { files: named }, folder: '' });
}

async function program(text: string): Promise<void> {
  if (createHash('sha256').update(text).digest().readUInt8() % programsOf !== 0) return;
  const answers = [{ read: JSON.stringify(data) }];
  const done = await worked({
    do: 'data',
    answers,
    place: { now, timeZone },
    transform: text,
    seen: { trmnl: { user: 'Ada' } },
  });
  if (done === undefined) return;
  insist(!Object.hasOwn(JSON.parse(done.data), 'trmnl'), 'a program hands back what it only saw');
}

function address(text: string): void {
  const read = archiveAddress(text);
  if (read === undefined) return;
  insist(read.url.protocol === 'https:', 'an archive that is not asked for by HTTPS');
  if (read.kind === 'repository')
    insist(read.url.host === 'codeload.github.com' && read.url.pathname.includes('/zip/'), 'a repository elsewhere');
}

const kinds: Readonly<Record<string, (text: string) => unknown>> = {
  page,
  typeset: (text) => page(text, 1.5),
  settings: readSettings,
  json: (text) => answer('application/json', text),
  xml: (text) => answer('application/xml', text),
  csv: (text) => answer('text/csv; charset=utf-8', text),
  text: (text) => answer('', text),
  files,
  zip: (text) => worked({ do: 'import', from: { archive: Buffer.from(text, 'latin1') }, folder: '' }),
  address,
  program,
};

export const openRecipes = async (): Promise<FuzzTarget> => ({
  guides: ['api/recipes/'],
  words,
  maxBytes: 4_096,
  maxMs: 4_000,
  async run(input) {
    const end = input.indexOf(10);
    const kind = input.toString('latin1', 0, Math.max(0, end));
    const rest = input.subarray(end + 1);
    const asBytes = kind === 'zip' || kind === 'json' || kind === 'xml' || kind === 'csv' || kind === 'text';
    if (Object.hasOwn(kinds, kind)) await kinds[kind]?.(asBytes ? rest.toString('latin1') : rest.toString());
    // Nothing of one piece of work is left for the next.
    if (Object.keys({}).length > 0 || ({} as { polluted?: unknown }).polluted !== undefined)
      throw new Find('all objects have something in common');
  },
});
