/** The cost of settings before they are saved: wakes, the battery, and how late pictures hang. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, type BodyOf, callApi } from '../../ground/call-api.ts';
import { spanWords } from '../../ground/times.ts';
import { t } from '../../ground/words.ts';

type BatteryForecast = AnswerOf<'POST /devices/{deviceId}/battery-forecast'>;

/** The settings that the form shows. */
export type AskedForecast = BodyOf<'POST /devices/{deviceId}/battery-forecast'>;

/** While somebody types, the forecast waits. */
const restMs = 350;

/** Draws the forecast, as the service estimates it. */
export const Forecast = ({ id, asked }: { readonly id: string; readonly asked: AskedForecast }) => {
  const found = useSignal<BatteryForecast | undefined>(undefined);
  useEffect(() => {
    const asking = new AbortController();
    const timer = setTimeout(() => {
      callApi('POST /devices/{deviceId}/battery-forecast', {
        path: { deviceId: id },
        body: asked,
        signal: asking.signal,
      })
        .then((answer) => {
          found.value = answer;
        })
        // A schedule that is refused is reported when it is saved.
        .catch(() => {
          if (!asking.signal.aborted) found.value = undefined;
        });
    }, restMs);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [id, JSON.stringify(asked)]);
  return (
    <p class="note forecast" role="status">
      {found.value === undefined ? t('forecast.none') : `${sayBattery(found.value)} ${sayLateness(found.value.asked)}`}
    </p>
  );
};

/** Of many wakes a day a tenth of one says nothing. */
const roughly = (count: number): number => (count < 10 ? count : Math.round(count));

function sayBattery({ now, asked, lastsTimes }: BatteryForecast): string {
  const wakes = t('forecast.wakes', { count: roughly(asked.wakesPerDay) });
  if (asked.daysLeft !== null && now.daysLeft !== null) {
    const days = t('frame.days', { count: asked.daysLeft });
    const change = asked.daysLeft - now.daysLeft;
    if (change === 0) return `${wakes} ${t('forecast.days', { days })}`;
    const by = t('frame.days', { count: Math.abs(change) });
    return `${wakes} ${t(change > 0 ? 'forecast.more' : 'forecast.fewer', { days, by })}`;
  }
  if (Math.abs(lastsTimes - 1) < 0.05) return wakes;
  return `${wakes} ${t('forecast.times', { times: Math.round(lastsTimes * 10) / 10 })}`;
}

/** How late pictures hang: those that are known beforehand, and those that somebody sends. */
function sayLateness({ lateSeconds, sentWaitsSeconds, leftOut }: BatteryForecast['asked']): string {
  const sent = aboutSpan(sentWaitsSeconds);
  const line =
    lateSeconds === null ? t('forecast.sent', { sent }) : t('forecast.late', { late: aboutSpan(lateSeconds), sent });
  return leftOut === 0 ? line : `${line} ${t('forecast.leftOut', { count: leftOut })}`;
}

/** A span as people say it: whole minutes from two of them on, whole hours from two of those on. */
function aboutSpan(seconds: number): string {
  const unit = seconds >= 7200 ? 3600 : seconds >= 120 ? 60 : 1;
  return spanWords(Math.max(1, Math.round(seconds / unit)) * unit);
}
