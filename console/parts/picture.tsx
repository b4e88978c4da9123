/** A picture of the API: its temporary address is asked for when it comes into view. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type ApiPath, askAddress } from '../ground/call-api.ts';
import type { LiveChange } from '../ground/live.ts';
import { useVersion } from '../ground/versions.ts';
import { t } from '../ground/words.ts';

interface PictureProps {
  /** The path of the API that answers the address; null when there is no picture. */
  readonly path: ApiPath | null;
  /** POST where there may be no picture: it answers without one, and a browser logs no error. GET unless given. */
  readonly method?: 'GET' | 'POST';
  /** The description of the picture, for people who do not see it. */
  readonly alt: string;
  /** Width and height in pixels of the panel, so that nothing moves when the picture arrives. */
  readonly size: readonly [width: number, height: number];
  /** The headers that prove the right to see it, where that is not a session. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a picture that was missing may be there after this change; left out, it is not asked for again. */
  readonly mayComeWith?: (change: LiveChange) => boolean;
  /** The content when there is no picture; unless given, an empty picture that says so. */
  readonly instead?: ComponentChildren;
}

/** Draws the picture, or says that there is none. */
export const ApiPicture = ({
  path,
  method,
  alt,
  size: [width, height],
  headers,
  mayComeWith,
  instead,
}: PictureProps) => {
  const box = useRef<HTMLDivElement>(null);
  const address = useSignal<string | undefined>(undefined);
  const isMissing = useSignal(false);
  const ask = async (signal: AbortSignal): Promise<void> => {
    if (path === null) return;
    const found = await askAddress(path, { signal, headers, method }).catch(() => undefined);
    if (signal.aborted) return;
    address.value = found;
    isMissing.value = found === undefined;
  };
  useEffect(() => {
    if (path === null || box.current === null) return undefined;
    const asking = new AbortController();
    const seen = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        seen.disconnect();
        void ask(asking.signal);
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
  const changes = useVersion((change) => mayComeWith?.(change) ?? false, [path]);
  useEffect(() => {
    if (mayComeWith === undefined || !isMissing.peek()) return undefined;
    const asking = new AbortController();
    void ask(asking.signal);
    return () => asking.abort();
  }, [changes]);
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
