/** The page of a server's trial: every check with what was seen, and every call with its answer. */

import { duration } from '../../../runtime/spans.ts';
import { aside, facts, folded, literal, paragraph, picture, preformatted, table } from '../../report/blocks.ts';
import { type Content, type Html, html } from '../../report/html.ts';
import { badge, type ResultTone, reportPage } from '../../report/page.ts';
import type { ServerCall } from '../../server/check-server.ts';
import type { MissingChecks, ServerCheck } from '../../server/judge-answers.ts';
import { readable, withoutSecrets } from '../transcript.ts';
import { spokenTime } from './spoken-time.ts';

/** A trial that is over. */
export interface ReportedServer {
  readonly base: string;
  readonly model: string;
  readonly firmware: string;
  readonly mac: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly release: string;
  readonly checks: readonly ServerCheck[];
  readonly missing: readonly MissingChecks[];
  readonly calls: readonly ServerCall[];
  readonly command: string;
}

/** Larger pictures are given by their size alone. */
const maxPictureBytes = 1024 * 1024;

/** Writes the page. */
export function serverReport(trial: ReportedServer): string {
  const { checks, missing, calls } = trial;
  const wrong = checks.filter(({ kept }) => !kept);
  const server = withoutSecrets(trial.base);
  return reportPage({
    title: `Conformance of ${server}`,
    verdict: verdictOf(trial),
    opening: facts([
      ['Server', literal(server)],
      ['Played frame', html`${trial.model}, firmware ${trial.firmware}, ${literal(trial.mac)}`],
      ['When', `${spokenTime(trial.startedAt)}, ${duration(trial.endedAt - trial.startedAt)}`],
      ['Tried by', `papergate ${trial.release}`],
      ['Checks', `${checks.length} made, ${wrong.length} not kept`],
    ]),
    sections: [
      ...(wrong.length === 0
        ? []
        : [{ heading: 'What was not kept', content: wrong.map((check) => wrongCheck(check, calls)) }]),
      { heading: 'Checks', content: checkTable(checks, missing) },
      {
        heading: 'What was said',
        content: [aside('Secrets are left out.'), calls.map((call, at) => callPart(call, at))],
      },
      { heading: 'Try it again', content: howToRepeat(trial) },
    ],
  });
}

function verdictOf({ checks, missing }: ReportedServer): Parameters<typeof reportPage>[0]['verdict'] {
  const failed = checks.filter(({ level, kept }) => level === 'must' && !kept).length;
  const doubtful = checks.filter(({ level, kept }) => level === 'should' && !kept).length;
  if (failed > 0)
    return {
      tone: 'bad',
      word: 'broken',
      sentence: `${failed} of ${checks.length} checks failed, ${doubtful} are doubtful.`,
    };
  if (missing.some(({ checks: word }) => word === 'display'))
    return {
      tone: 'doubtful',
      word: 'not tried',
      sentence: 'The frame was given no key, so that most could not be tried.',
    };
  if (doubtful > 0)
    return {
      tone: 'doubtful',
      word: 'kept, with doubts',
      sentence: `Nothing breaks a frame; ${doubtful} of ${checks.length} checks are doubtful.`,
    };
  return { tone: 'good', word: 'kept', sentence: `All ${checks.length} checks were kept.` };
}

function resultOf({ level, kept }: ServerCheck): Html {
  const [tone, word]: [ResultTone, string] = kept
    ? ['good', 'kept']
    : level === 'must'
      ? ['bad', 'broken']
      : ['doubtful', 'doubtful'];
  return badge(tone, word);
}

/** The word by which a check finds the call that it judges. */
function callOf({ check }: ServerCheck): string {
  const [subject = ''] = check.split(':');
  return check === 'setup: strangers' ? 'strangers' : subject;
}

function wrongCheck(check: ServerCheck, calls: readonly ServerCall[]): Html {
  const at = calls.findLastIndex(({ wants }) => wants === callOf(check));
  const call = calls[at];
  return html`<h3>${check.check} ${resultOf(check)}</h3>${facts([
    ['Expected', check.right],
    ['Came', readable(check.seen)],
    [
      'Level',
      check.level === 'must' ? 'must: some firmware breaks without' : 'should: it costs the owner of a frame something',
    ],
    ['Explained', 'docs/polled-frames.md, “Simulated frames, and other servers”'],
  ])}${call === undefined ? undefined : callPart(call, at)}`;
}

function checkTable(checks: readonly ServerCheck[], missing: readonly MissingChecks[]): Html {
  const made = checks.map((check) => [
    check.check,
    resultOf(check),
    [check.right, html`<br>`, aside('seen: ', readable(check.seen))],
  ]);
  const left = missing.map(({ checks: word, why }) => [`${word}`, badge('none', 'not tried'), why]);
  return table(['Check', 'Result', 'What is right, and what was seen'], [...made, ...left]);
}

const wanted: Readonly<Record<ServerCall['wants'], string>> = {
  strangers: 'a key for an address that nobody knows',
  setup: 'its key',
  display: 'what to show',
  picture: 'the picture',
  log: 'that its log is taken',
  glass: 'what to show, after an error screen',
};

function callPart({ wants, method, headers, body, answer }: ServerCall, at: number): Html {
  const asked = [
    `${method} ${withoutSecrets(answer.url)}`,
    ...Object.entries(headers).map(([name, value]) => header(name, value)),
    ...(body === undefined ? [] : ['', readable(body)]),
  ].join('\n');
  const summary = [html`<strong>${at + 1}.</strong> The frame wants ${wanted[wants]}.`, aside(outcomeOf(answer))];
  return folded(summary, [preformatted(asked), answered(answer)]);
}

function outcomeOf({ status, problem }: ServerCall['answer']): string {
  return problem === undefined ? `HTTP ${status}` : `no answer: ${withoutSecrets(problem)}`;
}

function answered(answer: ServerCall['answer']): Content {
  if (answer.problem !== undefined) return paragraph(`No answer: ${withoutSecrets(answer.problem)}`);
  const { status, headers, body } = answer;
  const lines = Object.entries(headers).map(([name, value]) => header(name, String(value)));
  const isPicture = body.subarray(0, 4).toString('latin1') === '\u0089PNG';
  const isText = !isPicture && !body.includes(0);
  const rest = isText ? ['', readable(body.toString())] : ['', `${body.length} bytes`];
  const shown = isPicture && body.length <= maxPictureBytes ? picture(body, 'The picture that came') : undefined;
  return [preformatted([`HTTP ${status}`, ...lines, ...rest].join('\n')), shown];
}

/** Headers whose values open something. */
const secretHeader = /token|cookie|authoriz|key|secret/i;

function header(name: string, value: string): string {
  return `${name}: ${secretHeader.test(name) ? '…' : readable(value)}`;
}

function howToRepeat({ command, mac }: ReportedServer): Content {
  return [
    preformatted(command),
    paragraph(
      `A frame that was served once is a device of that server afterwards: remove ${mac} there, or give its key with --key.`,
    ),
  ];
}
