/** An address as a code that cameras read. */
import { useResource } from '../ground/resource.ts';
import { Loading } from './states.tsx';

interface QrCodeProps {
  readonly url: string;
  /** The words for those who do not see it. */
  readonly label: string;
}

/** Draws the code. It is scrolled into view: on a phone it would lie below the window. */
export const QrCode = ({ url, label }: QrCodeProps) => {
  const code = useResource(async () => (await import('uqr')).encode(url, { ecc: 'M', border: 4 }), [url]);
  if (code.value === undefined) return <Loading />;
  const { data, size } = code.value;
  const dots = data.flatMap((line, y) => line.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      ref={(drawn) => drawn?.scrollIntoView({ block: 'nearest' })}
      class="qr"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={dots.join('')} fill="#000" />
    </svg>
  );
};
