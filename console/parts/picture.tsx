/** A picture of the API: its temporary address is asked for when it comes into view. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type ApiPath, askAddress } from '../ground/call-api.ts';
import { t } from '../ground/words.ts';

interface PictureProps {
  /** The path of the API that answers the address; null when there is no picture. */
  readonly path: ApiPath | null;
  /** POST where there may be no picture: it answers without one, and a browser logs no error. GET unless given. */
  readonly method?: 'GET' | 'POST';
  /** What it shows, for people who do not see it. */
  readonly alt: string;
  /** Width and height in pixels of the panel, so that nothing moves when the picture arrives. */
  readonly size: readonly [width: number, height: number];
  /** What proves that it may be seen, where that is no session. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What stands there instead when there is no picture; left out, an empty picture that says so. */
  readonly instead?: ComponentChildren;
}

/** Draws the picture, or says that there is none. */
export const ApiPicture: ComponentType<PictureProps> = ({
  path,
  method,
  alt,
  size: [width, height],
  headers,
  instead,
}) => {
  const box = useRef<HTMLDivElement>(null);
  const address = useSignal<string | undefined>(undefined);
  const isMissing = useSignal(false);
  useEffect(() => {
    if (path === null || box.current === null) return undefined;
    const asking = new AbortController();
    const seen = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        seen.disconnect();
        askAddress(path, { signal: asking.signal, headers, method })
          .then((found) => {
            if (asking.signal.aborted) return;
            if (found === undefined) isMissing.value = true;
            else address.value = found;
          })
          .catch(() => {
            isMissing.value = !asking.signal.aborted;
          });
      },
      { rootMargin: '200px' },
    );
    seen.observe(box.current);
    return () => {
      asking.abort();
      seen.disconnect();
      address.value = undefined;
      isMissing.value = false;
    };
  }, [path]);
  const isNone = path === null || isMissing.value;
  return (
    <>
      <div
        class="picture"
        ref={box}
        style={{ aspectRatio: `${width} / ${height}`, '--ratio': width / height }}
        hidden={isNone && instead !== undefined}
      >
        {address.value !== undefined && (
          <img src={address.value} alt={alt} width={width} height={height} decoding="async" />
        )}
        {isNone && <span class="none">{t('picture.none')}</span>}
      </div>
      {isNone && instead}
    </>
  );
};
