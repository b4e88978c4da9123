/** One report as one HTML file: it loads nothing, runs nothing, and is read on a phone, in the dark and on paper. */
import { type Content, Html, html } from './html.ts';
import { reportStyle } from './style.ts';

/** How good a result is. */
export type ResultTone = 'good' | 'bad' | 'doubtful' | 'none';

/** A part of a report under a heading of its own. */
export interface ReportSection {
  readonly heading: string;
  readonly content: Content;
}

export interface ReportDocument {
  /** The subject of the report, which is the title of the page. */
  readonly title: string;
  readonly verdict: { readonly tone: ResultTone; readonly word: string; readonly sentence: string };
  /** The lines below the verdict, before the first heading: what was tried, when and how. */
  readonly opening: Content;
  readonly sections: readonly ReportSection[];
}

/** Links to the sections help from this many on. */
const minLinked = 3;

/** Writes the page. Its policy forbids every script and every address, also where a text should have escaped. */
export function reportPage({ title, verdict, opening, sections }: ReportDocument): string {
  const links = sections.map(({ heading }, at) => html`<li><a href="#part-${at + 1}">${heading}</a></li>`);
  const parts = sections.map(
    ({ heading, content }, at) => html`<section id="part-${at + 1}"><h2>${heading}</h2>${content}</section>\n`,
  );
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">
<title>${title}: ${verdict.word}</title>
<style>${new Html(reportStyle)}</style></head>
<body><header><h1>${title}</h1>
<p class="verdict">${badge(verdict.tone, verdict.word)}<span>${verdict.sentence}</span></p>
${opening}${links.length < minLinked ? undefined : html`<nav aria-label="Parts of this report"><ul>${links}</ul></nav>`}</header>
<main>
${parts}</main></body></html>
`.markup;
}

/** A result as a word with a colour; the word alone is enough. */
export function badge(tone: ResultTone, word: string): Html {
  return html`<span class="badge ${tone}">${word}</span>`;
}
