/** Battery and Wi-Fi over time, as small curves that are also put into words. */
import { useSignal } from '@preact/signals';
import { type AnswerOf, callApi } from '../../ground/call-api.ts';
import { showsDetails } from '../../ground/details.ts';
import { useResource } from '../../ground/resource.ts';
import { clockTime, fullTime } from '../../ground/times.ts';
import { t } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';

type Readings = AnswerOf<'GET /devices/{deviceId}/readings'>;

interface Point {
  readonly at: number;
  readonly value: number;
}

const spans = ['1', '7', '30', '90'] as const;
const [width, height] = [320, 84];
const points = 160;

interface CurvesProps {
  readonly id: string;
  /** When the frame woke last: readings come with wakes. */
  readonly wokeAt: string | null;
}

/** Draws both curves. */
export const FrameCurves = ({ id, wokeAt }: CurvesProps) => {
  const days = useSignal<string>('7');
  const found = useResource<Readings>(
    (signal) =>
      callApi('GET /devices/{deviceId}/readings', {
        path: { deviceId: id },
        query: { days: Number(days.value), points },
        signal,
      }),
    [id, wokeAt, days.value],
  );
  return (
    <Card
      id="curves"
      title={t('curves.title')}
      of={found}
      isQuiet
      beside={
        <label>
          <span class="visually-hidden">{t('curves.span')}</span>
          <select
            value={days.value}
            onChange={(event) => {
              days.value = event.currentTarget.value;
            }}
          >
            {spans.map((span) => (
              <option key={span} value={span}>
                {t('frame.days', { count: Number(span) })}
              </option>
            ))}
          </select>
        </label>
      }
    >
      {found.value !== undefined && <Curves {...found.value} />}
    </Card>
  );
};

const Curves = ({ from, to, readings }: Readings) => {
  const pick = (name: 'millivolts' | 'signal'): Point[] =>
    readings.flatMap(({ at, [name]: value }) => (value === null ? [] : [{ at: Date.parse(at), value }]));
  const range = [Date.parse(from), Date.parse(to)] as const;
  return (
    <>
      <Curve
        label={t('curves.battery')}
        range={range}
        found={pick('millivolts')}
        bounds={[3000, 6000]}
        write={(value) => t('frame.volts', { volts: Math.round(value / 10) / 100 })}
      />
      <Curve
        label={t('curves.signal')}
        range={range}
        found={pick('signal')}
        bounds={[-90, -40]}
        write={(value) => t('frame.dbm', { dbm: value })}
      />
    </>
  );
};

interface CurveProps {
  readonly label: string;
  readonly range: readonly [from: number, to: number];
  readonly found: readonly Point[];
  /** The values at the bottom and the top, unless readings lie beyond them. */
  readonly bounds: readonly [least: number, most: number];
  readonly write: (value: number) => string;
}

const Curve = ({ label, range: [from, to], found, bounds, write }: CurveProps) => {
  const last = found.at(-1);
  if (last === undefined) return <p class="note">{t('curves.none', { label })}</p>;
  // One value is not a curve.
  if (found.length === 1) {
    return (
      <p class="curve">
        {showsDetails.value
          ? t('curves.first', { label, value: write(last.value), when: clockTime(last.at) })
          : t('curves.once', { label, when: clockTime(last.at) })}{' '}
        <span class="note">{t('curves.follows')}</span>
      </p>
    );
  }
  const values = found.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const [bottom, top] = [Math.min(bounds[0], least), Math.max(bounds[1], most)];
  const place = ({ at, value }: Point): string =>
    `${(((at - from) / (to - from)) * width).toFixed(1)},${(height - ((value - bottom) / (top - bottom)) * height).toFixed(1)}`;
  const ends = { least: write(least), most: write(most) };
  // Values that are written alike are one value to a reader.
  const isOne = ends.least === ends.most;
  const said = { label, now: write(last.value), count: found.length };
  const inNumbers = isOne ? t('curves.wordsOne', said) : t('curves.words', { ...said, ...ends });
  const inWords = showsDetails.value ? inNumbers : t('curves.plain', { label, count: found.length });
  return (
    <figure class="curve">
      <figcaption>
        <strong>{label}</strong> {showsDetails.value && write(last.value)}{' '}
        <time dateTime={new Date(last.at).toISOString()} title={fullTime(last.at)}>
          ({clockTime(last.at)})
        </time>
      </figcaption>
      <svg viewBox={`-2 -3 ${width + 4} ${height + 6}`} role="img" aria-label={inWords} preserveAspectRatio="none">
        <path class="base" d={`M0 ${height}H${width}`} />
        <polyline points={found.map(place).join(' ')} />
      </svg>
      {showsDetails.value && (
        <p class="note">{isOne ? t('curves.rangeOne', { value: ends.least }) : t('curves.range', ends)}</p>
      )}
    </figure>
  );
};
