/** The one list of wordings that are not used: in what people read, in comments, and in names of the code (`docs/style.md`). */

/** A wording that is not used. */
export interface Wording {
  /** The number of its rule in `docs/style.md`; none where the rule is one of names alone. */
  readonly rule?: number;
  readonly not: RegExp;
  readonly but: string;
  /** The paths in which it is looked for; everywhere unless given. */
  readonly within?: RegExp;
  /** The paths in which it has to stand, or names the field of something older. */
  readonly except?: RegExp;
}

const what = '(?!longer|more|less|fewer|later|earlier|matter|one\\b|need|way|room|doubt|use|other|such|different)';
const measures = '(?!larger|smaller|wider|older|newer|better|worse|taller|higher|lower)';

/** Looked for in texts, sentences, strings, comments and documents. */
export const wordings: readonly Wording[] = [
  {
    rule: 1,
    not: /\b(?:is|are|was|were|be|been|being)(?: not| never| also)? told\b(?! (?:apart|from)\b| to (?!nobody|others|the|it|them|people)[a-z]+)/i,
    but: 'somebody reports, notifies, logs, sends, announces',
  },
  {
    rule: 2,
    not: new RegExp(
      `(?<!\\bthere |\\bthere still |\\bthere yet )\\b(?:is|was|are|were) no ${what}${measures}[a-z]`,
      'i',
    ),
    but: 'is not a, or invalid',
  },
  { rule: 3, not: /\b(?:works?|opens?|counts?|applies) no more\b(?! than)/i, but: 'no longer' },
  { rule: 3, not: /\bany more\b(?! \w+s\b| than)/i, but: 'no longer' },
  { rule: 4, not: /(?<![-.])\banew\b/i, but: 'again' },
  { rule: 5, not: /\bno letters (?:for|of)\b|\bletters that (?:no|the|a) font\b/i, but: 'glyphs or characters' },
  {
    rule: 6,
    not: /\b(?:is|are|was|were) of (?:the|this|an|another|your) (?:organization|service)\b/i,
    but: 'belongs to',
  },
  { rule: 7, not: /\bbeside\b/i, but: 'next to, alongside, besides' },
  { rule: 8, not: /\bwhoever\b(?! (?:it|that|they) )/i, but: 'anyone who, the person who, no matter who' },
  { rule: 10, not: /\bexpected is\b/i, but: 'the subject first' },
  { rule: 12, not: /\bheard of\b/i, but: 'heard from, or offline' },
];

/** Looked for in docstrings, of the tests as well. */
export const openings: readonly Wording[] = [
  { rule: 9, not: /^(?:\/\*\*[\s*]*)?What\b/, but: 'a noun for a value, a verb for a function' },
  { not: /^\/\*\*[\s*]*(?:The )?dependencies of [^.,:;]*\.\s*\*\/$/i, but: 'nothing that the name says already' },
];

/** Looked for in names: identifiers and members as they are written. */
export const namings: readonly Wording[] = [
  { not: /\b(?:const|let|readonly|function)\s+most[A-Z]\w*/, but: 'max' },
  { not: /\b(?:const|let|readonly|function)\s+longest[A-Z]\w*/, but: 'max' },
  { not: /\b(?:const|let|readonly|function)\s+usual[A-Z]\w*/, but: 'default' },
  {
    not: /\bturn(?:[A-Z]\w*)?\b/,
    but: 'a turn is one in a queue: pictures have rotations, series positions, and event loops iterations',
    // They name the column `shown_pictures.turn`, or the field of the panel's facts.
    except:
      /^(?:api\/delivery-state\/(?:due-pictures|tables)|api\/delivery\/show-papers|api\/devices\/shown-pictures|api\/filled-albums\/queue|api\/papers\/sent-pictures|cli\/devices\/panel-facts)\.ts$/,
  },
  {
    not: /\b(?:un)?(?:told|said|heard|worth)(?=[A-Z]|\b)|(?:Told|Said|Heard|Worth)(?=[A-Z]|\b)/,
    but: 'nodes, streams and the log of who did what publish, receive and record',
    within: /^(?:cluster|api\/changes|api\/audit)\//,
    // A field on the wire between nodes has its name for good.
    except: /^cluster\/nodes\/counters\.ts$/,
  },
];

/** Returns what of a text is not worded as it should be, each with what stands in its place. */
export function wrongWords(list: readonly Wording[], path: string, text: string): string[] {
  return list
    .filter(({ within, except }) => (within?.test(path) ?? true) && !except?.test(path))
    .flatMap(({ not, but }) => {
      const [found] = not.exec(text) ?? [];
      return found === undefined ? [] : [`${path}: “${found}” (${but}): ${text.replaceAll(/\s+/g, ' ').slice(0, 160)}`];
    });
}
