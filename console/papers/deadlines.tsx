/** The deadlines of a paper: by when it is to be proven on which frames, and whom to notify where that cannot be kept. */

import { useSignal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { type BodyOf, callApi } from '../ground/call-api.ts';
import { fleet } from '../ground/fleet.ts';
import type { Paper } from '../ground/paper-book.ts';
import { type Resource, useResource } from '../ground/resource.ts';
import { organizationId } from '../ground/session.ts';
import { clockTime } from '../ground/times.ts';
import { listWords, locale, spokenLanguage, t } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { DueList, readDue } from '../parts/due-list.tsx';
import { CheckField, ChoiceField } from '../parts/forms/choice-field.tsx';
import { confirmed } from '../parts/forms/confirm.tsx';
import { Field, Form } from '../parts/forms/field.tsx';
import { frameChoices } from '../parts/forms/frame-choices.ts';
import { act, say } from '../parts/messages.tsx';

type DeadlineShown = Schemas['Deadline'];
type NewDeadline = BodyOf<'POST /deadlines/'>;

/** Draws the section, with what is due of it now. */
export const Deadlines = ({ paper }: { readonly paper: Paper }) => {
  const read: Resource<readonly DeadlineShown[]> = useResource(
    async (signal) => {
      const query = { organization: organizationId.peek(), paper: paper.id };
      return (await callApi('GET /deadlines/', { query, signal })).deadlines;
    },
    [paper.id],
  );
  const changed = async (): Promise<void> => {
    await read.reload();
    await readDue().catch(() => undefined);
  };
  return (
    <>
      <DueList paper={paper.id} />
      <Card id="paper-deadlines" title={t('deadlines.title')} hint={t('deadlines.hint')} of={read}>
        {read.value?.length === 0 && <p>{t('deadlines.none')}</p>}
        {read.value !== undefined && read.value.length > 0 && (
          <ul class="rows">
            {read.value.map((deadline) => (
              <DeadlineRow key={deadline.id} deadline={deadline} changed={changed} />
            ))}
          </ul>
        )}
        <MakeDeadline paper={paper} changed={changed} />
      </Card>
    </>
  );
};

const workdays = [1, 2, 3, 4, 5];

/** A weekday by its number, Monday being 1, as the viewer's language writes it. */
const weekdayName = (day: number): string =>
  new Intl.DateTimeFormat(locale.value, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2026, 0, 4 + day));

/** A time of day such as `07:00`, as the viewer's language writes it. */
const timeOfDay = (time: string): string =>
  new Intl.DateTimeFormat(locale.value, { timeStyle: 'short', timeZone: 'UTC' }).format(
    new Date(`2026-01-05T${time}Z`),
  );

/** The time zone of the person who looks. */
const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

function timeLine({ rule, by, nextBy, timeZone }: DeadlineShown): string {
  if (rule !== null) {
    const time = timeZone === ownZone() ? timeOfDay(rule.time) : `${timeOfDay(rule.time)} (${timeZone})`;
    if (rule.weekdays.length === 7) return t('deadlines.daily', { time });
    const isWorkdays = rule.weekdays.join() === workdays.join();
    const days = isWorkdays ? t('deadlines.workdays') : listWords(rule.weekdays.map(weekdayName));
    return t('deadlines.ruled', { days, time });
  }
  return t('deadlines.onceBy', { time: clockTime(nextBy ?? by ?? '') });
}

const framesLine = ({ devices }: DeadlineShown): string =>
  devices === null
    ? t('deadlines.everywhere')
    : listWords(devices.map((id) => fleet.value.get(id)?.name || t('frame.noName')));

interface RowProps {
  readonly deadline: DeadlineShown;
  readonly changed: () => Promise<void>;
}

const DeadlineRow = ({ deadline, changed }: RowProps) => {
  const time = timeLine(deadline);
  const withdraw = async (): Promise<void> => {
    const question = {
      title: t('deadlines.withdrawTitle', { time }),
      text: t('deadlines.withdrawText'),
      yes: t('deadlines.withdraw'),
    };
    if (!(await confirmed(question))) return;
    const path = { deadlineId: deadline.id };
    await act(() => callApi('DELETE /deadlines/{deadlineId}', { path }), t('deadlines.withdrawn'));
    await changed();
  };
  return (
    <li>
      <span class="who">
        <strong>{time}</strong> <span class="note">{framesLine(deadline)}</span>
      </span>
      <button type="button" class="danger" aria-label={t('deadlines.withdrawTitle', { time })} onClick={withdraw}>
        {t('deadlines.withdraw')}
      </button>
    </li>
  );
};

const everyDay = [1, 2, 3, 4, 5, 6, 7];

/** The steps that were chosen: the channels at once, then a person, then another frame. */
function stepsOf({ urgent, person, frame }: { urgent: boolean; person: string; frame: string }): NewDeadline['steps'] {
  return [
    { when: { state: 'unavoidable' }, to: { channels: 'all' }, urgent },
    ...(person === '' ? [] : [{ when: { minutesLater: 5 }, to: { person }, urgent }]),
    ...(frame === '' ? [] : [{ when: { minutesLater: 5 }, to: { device: frame }, urgent }]),
  ];
}

const MakeDeadline = ({ paper, changed }: { readonly paper: Paper; readonly changed: () => Promise<void> }) => {
  const [when, time, moment] = [useSignal('weekdays'), useSignal('07:00'), useSignal('')];
  const [frame, person, other] = [useSignal(''), useSignal(''), useSignal('')];
  const urgent = useSignal(false);
  const people = useResource(
    (signal) => callApi('GET /users/', { query: { organization: organizationId.peek() }, signal }),
    [organizationId.value],
  );
  const frames = frameChoices([...fleet.value.values()]).map(({ value, word }) => [value, word] as const);
  const members = (people.value ?? []).map(({ id, name, email }) => [id, name || email || id] as const);
  const isReady = when.value === 'once' ? moment.value !== '' : time.value !== '';
  const make = () =>
    act(async () => {
      const rule = { weekdays: when.value === 'daily' ? everyDay : workdays, time: time.value };
      const made = await callApi('POST /deadlines/', {
        body: {
          organization: organizationId.peek(),
          paper: paper.id,
          timeZone: ownZone(),
          language: spokenLanguage(),
          ...(when.value === 'once' ? { by: new Date(moment.value).toISOString() } : { rule }),
          ...(frame.value !== '' && { devices: [frame.value] }),
          steps: stepsOf({ urgent: urgent.value, person: person.value, frame: other.value }),
        },
      });
      const lost = made.due
        .filter(({ state }) => state === 'unavoidable')
        .map(({ device, deviceName }) => (device === null ? t('due.nowhere') : deviceName));
      say(lost.length === 0 ? t('deadlines.made') : t('deadlines.madeInVain', { names: listWords(lost) }));
      moment.value = '';
      await changed();
    });
  return (
    <Form class="paper-form" submit={make}>
      <h3>{t('deadlines.new')}</h3>
      <div class="entry deadline-time">
        <ChoiceField
          label={t('deadlines.when')}
          value={when}
          choices={[
            ['weekdays', t('deadlines.workdays')],
            ['daily', t('deadlines.everyDay')],
            ['once', t('deadlines.once')],
          ]}
        />
        {when.value === 'once' ? (
          <Field label={t('deadlines.moment')} type="datetime-local" value={moment} required />
        ) : (
          <Field label={t('deadlines.time')} type="time" value={time} required />
        )}
      </div>
      <ChoiceField label={t('deadlines.frames')} value={frame} choices={[['', t('deadlines.everywhere')], ...frames]} />
      <ChoiceField
        label={t('deadlines.person')}
        hint={t('deadlines.stepsHint')}
        value={person}
        choices={[['', t('deadlines.nobody')], ...members]}
      />
      <ChoiceField label={t('deadlines.other')} value={other} choices={[['', t('deadlines.noOther')], ...frames]} />
      <CheckField label={t('deadlines.urgent')} value={urgent} />
      <div class="actions">
        <button type="submit" class="primary" disabled={!isReady}>
          {t('deadlines.make')}
        </button>
      </div>
    </Form>
  );
};
