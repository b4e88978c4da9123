/** How much of a picture has gone, in bytes. */
import type { Progress } from '../../ground/upload.ts';
import { locale, t } from '../../ground/words.ts';

/** Draws a bar with its numbers; without numbers while the picture is drawn, or the service works on it. */
export const UploadProgress = ({
  progress,
  name,
}: {
  readonly progress: Progress | undefined;
  readonly name: string;
}) => {
  const isGoing = progress !== undefined && progress.sent < progress.total;
  const label = t('send.progressOf', { name });
  return (
    <div class="upload-progress">
      {isGoing ? (
        <progress aria-label={label} value={progress.sent} max={progress.total} />
      ) : (
        <progress aria-label={label} />
      )}
      <span class="line">
        {isGoing
          ? t('send.bytes', {
              sent: megabytes(progress.sent, progress.total),
              total: megabytes(progress.total, progress.total, true),
            })
          : t(progress === undefined ? 'send.uploading' : 'send.working')}
      </span>
    </div>
  );
};

const mega = 1_000_000;

/** A number of bytes, in the unit that the whole has. */
function megabytes(bytes: number, whole: number, hasUnit = false): string {
  const isSmall = whole < mega;
  const unit = isSmall ? 'kilobyte' : 'megabyte';
  const digits = { minimumFractionDigits: isSmall ? 0 : 1, maximumFractionDigits: isSmall ? 0 : 1 };
  const style = hasUnit ? ({ style: 'unit', unit, unitDisplay: 'short' } as const) : {};
  return new Intl.NumberFormat(locale.value, { ...digits, ...style }).format(bytes / (isSmall ? 1_000 : mega));
}
