/** Queues and rates of the last day, and the sizes on the disk; for those who may read the metrics. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, callApi } from '../ground/call-api.ts';
import { type Resource, useResource } from '../ground/resource.ts';
import { clockTime } from '../ground/times.ts';
import { t, tCode } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { Field, Form } from '../parts/forms/field.tsx';
import { Loading, ProblemBox } from '../parts/states.tsx';
import { inBytes, inNumbers } from './amounts.ts';
import { Chart } from './chart.tsx';

type NumbersShown = AnswerOf<'GET /service/history'>;

const readEveryMs = 60_000;

/** The numbers of the last day, read again every minute. */
export function useNumbers(): { readonly numbers: Resource<NumbersShown>; readonly give: (token: string) => void } {
  const token = useSignal('');
  const numbers = useResource<NumbersShown>(
    (signal) =>
      callApi('GET /service/history', {
        signal,
        ...(token.value !== '' && { headers: { 'x-papergate-metrics-token': token.value } }),
      }),
    [token.value],
  );
  useEffect(() => {
    const timer = setInterval(() => void numbers.reload(), readEveryMs);
    return () => clearInterval(timer);
  }, []);
  const give = (given: string): void => {
    if (given === token.peek()) void numbers.reload();
    token.value = given;
  };
  return { numbers, give };
}

type Series = NumbersShown['series'][number];

const writeOf = ({ unit }: Series): ((value: number) => string) => {
  if (unit === 'bytes') return inBytes;
  return unit === 'perMinute' ? (value) => t('numbers.perMinute', { rate: inNumbers(value) }) : inNumbers;
};

/** Draws the charts. */
export const Numbers = ({ numbers, give }: ReturnType<typeof useNumbers>) => (
  <Card id="numbers" title={t('numbers.title')}>
    {numbers.value === undefined && numbers.problem === undefined && <Loading />}
    {numbers.problem?.status === 403 && <TokenForm give={give} />}
    {numbers.problem !== undefined && numbers.problem.status !== 403 && (
      <ProblemBox problem={numbers.problem} again={() => void numbers.reload()} />
    )}
    {numbers.value !== undefined && <Charts {...numbers.value} />}
  </Card>
);

const TokenForm = ({ give }: { readonly give: (token: string) => void }) => {
  const token = useSignal('');
  return (
    <>
      <p class="note">{t('numbers.ofAll')}</p>
      <Form class="line-form" submit={() => give(token.value.trim())}>
        <Field label={t('numbers.token')} value={token} type="password" autocomplete="off" required />
        <button type="submit">{t('numbers.show')}</button>
      </Form>
    </>
  );
};

const Charts = ({ times, series }: NumbersShown) => {
  if (times.length === 0) return <p class="note">{t('numbers.none')}</p>;
  const [first, last] = [times[0] ?? '', times.at(-1) ?? ''];
  return (
    <>
      <p class="note">{t('numbers.span', { from: clockTime(first), to: clockTime(last) })}</p>
      <div class="charts">
        {series.map((one) => (
          <Chart key={one.name} label={tCode('series', one.name)} values={one.values} write={writeOf(one)} />
        ))}
      </div>
      <AsTable times={times} series={series} />
    </>
  );
};

const AsTable = ({ times, series }: Pick<NumbersShown, 'times' | 'series'>) => {
  const isOpen = useSignal(false);
  return (
    <details
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>{t('numbers.asTable')}</summary>
      {isOpen.value && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the window is scrolled by keys
        <section class="scrolled" tabIndex={0} aria-label={t('numbers.asTable')}>
          <table class="plain-table">
            <thead>
              <tr>
                <th scope="col">{t('numbers.time')}</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col">
                    {tCode('series', name)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((time, index) => (
                <tr key={time}>
                  <th scope="row">{clockTime(time)}</th>
                  {series.map((one) => {
                    const value = one.values[index];
                    return <td key={one.name}>{value === null || value === undefined ? '–' : writeOf(one)(value)}</td>;
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
};
