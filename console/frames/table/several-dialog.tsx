/** A form over the page by which several frames are changed at once. */
import type { FleetDevice } from '../../ground/fleet.ts';
import { FormDialog, type FormDialogProps } from '../../parts/forms/form-dialog.tsx';

/** The props of each form. */
export interface SeveralProps {
  readonly devices: readonly FleetDevice[];
  readonly close: () => void;
}

/** Draws the dialog: it closes when it is sent, and how far the work is stands below the table. */
export const SeveralDialog = ({ submit, close, ...more }: FormDialogProps) => (
  <FormDialog
    {...more}
    close={close}
    submit={() => {
      close();
      return submit();
    }}
  />
);
