/** One series over time, as a small curve that is also put into words. Gaps stay gaps. */
import { t } from '../ground/words.ts';

const [width, height] = [320, 72];

/** Draws the chart. */
export const Chart = ({
  label,
  values,
  write,
}: {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly write: (value: number) => string;
}) => {
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  if (last === undefined) {
    return (
      <figure class="curve">
        <figcaption>
          <strong>{label}</strong>
        </figcaption>
        <p class="note">{t('numbers.unknown')}</p>
      </figure>
    );
  }
  const most = Math.max(...known);
  const top = most > 0 ? most : 1;
  const place = (value: number, index: number): string =>
    `${((index / Math.max(1, values.length - 1)) * width).toFixed(1)},${(height - (value / top) * height).toFixed(1)}`;
  const inWords = t('numbers.words', { label, now: write(last), most: write(most) });
  return (
    <figure class="curve">
      <figcaption>
        <strong>{label}</strong> {write(last)}
      </figcaption>
      <svg viewBox={`-2 -3 ${width + 4} ${height + 6}`} role="img" aria-label={inWords} preserveAspectRatio="none">
        <path class="base" d={`M0 ${height}H${width}`} />
        {stretches(values).map(({ from, values: stretch }) =>
          stretch.length === 1 ? (
            <path key={from} class="dot" d={`M${place(stretch[0] ?? 0, from)}h-0.1`} />
          ) : (
            <polyline key={from} points={stretch.map((value, index) => place(value, from + index)).join(' ')} />
          ),
        )}
      </svg>
      <p class="note">{t('numbers.most', { most: write(most) })}</p>
    </figure>
  );
};

/** Returns the stretches of known values between what is unknown. */
function stretches(values: readonly (number | null)[]): { readonly from: number; readonly values: number[] }[] {
  const found: { from: number; values: number[] }[] = [];
  values.forEach((value, index) => {
    if (value === null) return;
    const before = found.at(-1);
    if (before !== undefined && before.from + before.values.length === index) before.values.push(value);
    else found.push({ from: index, values: [value] });
  });
  return found;
}
