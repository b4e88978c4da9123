/** The record of what hung where: that of one frame or of all, as a list, and as files to keep. */
import { useSignal } from '@preact/signals';
import { type AnswerOf, callApi, fetchApi } from '../../ground/call-api.ts';
import { type Resource, useResource } from '../../ground/resource.ts';
import { organizationId } from '../../ground/session.ts';
import { clockTime, fullTime } from '../../ground/times.ts';
import { spokenLanguage, t, tCode } from '../../ground/words.ts';
import { Card } from '../card.tsx';
import { Field } from '../forms/field.tsx';
import { uploadPicture } from '../frame-words.ts';
import { act } from '../messages.tsx';
import { ApiPicture } from '../picture.tsx';
import { saveAnswer } from '../save-file.ts';

type RecordPage = AnswerOf<'GET /organizations/{organizationId}/record/intervals'>;
type Interval = RecordPage['intervals'][number];

/** The time that is looked at, as a call of the service takes it. */
interface RecordQuery {
  readonly from: string;
  readonly to: string;
  readonly frame?: string;
}

/** Writes a day of this browser's zone as a field has it. */
const dayField = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-');

/** Returns the query of some days, to the end of the last one; undefined while they are typed. */
function queryOf(first: string, last: string, frame: string | undefined): RecordQuery | undefined {
  const [from, to] = [new Date(`${first}T00:00`), new Date(`${last}T00:00`)];
  to.setDate(to.getDate() + 1);
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime()) || from >= to) return undefined;
  return { from: from.toISOString(), to: to.toISOString(), ...(frame !== undefined && { frame }) };
}

function usePage(path: FilesProps['path'], query: RecordQuery | undefined): Resource<RecordPage> {
  return useResource<RecordPage>(
    async (signal) =>
      query === undefined
        ? { intervals: [], next: null }
        : callApi('GET /organizations/{organizationId}/record/intervals', { path, query, signal }),
    [path.organizationId, query?.frame, query?.from, query?.to],
  );
}

/**
 * Draws the record of a frame, or of all that the organization has or had.
 * @param frame the serial of the frame
 */
export const WallRecord = ({ frame }: { readonly frame?: string }) => {
  const today = new Date();
  const first = useSignal(dayField(new Date(today.getFullYear(), today.getMonth(), 1)));
  const last = useSignal(dayField(today));
  const path = { organizationId: organizationId.value };
  const query = queryOf(first.value, last.value, frame);
  const page = usePage(path, query);
  const { value } = page;
  return (
    <Card id="record" title={t('record.title')} hint={t('record.hint')} of={page}>
      <div class="line-form">
        <Field label={t('record.from')} value={first} type="date" required />
        <Field label={t('record.to')} value={last} type="date" required />
      </div>
      {value !== undefined && value.intervals.length === 0 && <p class="note">{t('record.none')}</p>}
      <ul class="wall-record">
        {value?.intervals.map((interval) => (
          <HungOnce key={interval.id} interval={interval} isOfAll={frame === undefined} />
        ))}
      </ul>
      {value !== undefined && value.next !== null && <p class="note">{t('record.more')}</p>}
      {query !== undefined && <Files path={path} query={query} />}
    </Card>
  );
};

const HungOnce = ({ interval, isOfAll }: { readonly interval: Interval; readonly isOfAll: boolean }) => {
  const { deviceId, uploadId, isKept, since, until, ended, title, sender, grade, frameName, serial } = interval;
  const end = until === null ? t('record.still') : clockTime(until);
  const parts = [
    isOfAll ? (frameName === '' ? serial : frameName) : '',
    sender === null ? '' : t('record.by', { name: sender }),
    tCode('recordGrade', grade),
    ended === null || ended === 'replaced' ? '' : t(ended === 'left' ? 'record.left' : 'record.uncertain'),
  ];
  return (
    <li>
      <ApiPicture path={isKept ? uploadPicture(deviceId, uploadId) : null} alt="" size={[160, 96]} />
      <div>
        <strong>{title ?? t('record.untitled')}</strong>
        <p title={[since, until].flatMap((at) => (at === null ? [] : fullTime(at))).join(' – ')}>
          {t('record.span', { from: clockTime(since), to: end })}
        </p>
        <p class="note">{parts.filter((part) => part !== '').join(' · ')}</p>
      </div>
    </li>
  );
};

interface FilesProps {
  readonly path: { readonly organizationId: string };
  readonly query: RecordQuery;
}

/** The files: what is printed, what a table program reads, and what proves both. */
const Files = ({ path, query: { frame, ...times } }: FilesProps) => {
  const query = { ...times, ...(frame !== undefined && { frame }) };
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const print = () => ({ ...query, timeZone, language: spokenLanguage() });
  const files = [
    ['record.pdf', () => fetchApi('GET /organizations/{organizationId}/record/pdf', { path, query: print() })],
    ['record.csv', () => fetchApi('GET /organizations/{organizationId}/record/csv', { path, query })],
    ['record.receipts', () => fetchApi('GET /organizations/{organizationId}/record/receipts', { path, query: times })],
  ] as const;
  return (
    <div class="wall-files">
      {files.map(([label, ask]) => (
        <button key={label} type="button" onClick={() => act(async () => saveAnswer(await ask()))}>
          {t(label)}
        </button>
      ))}
    </div>
  );
};
