/** Credentials that were just made, as files to keep: they are shown this once. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Schemas } from '../../../client/contract.ts';
import { t } from '../../ground/words.ts';
import { CopyField } from '../../parts/forms/copy-field.tsx';
import { ReachWarning, useAddresses } from '../../parts/reach.tsx';

type CredentialsMade = Schemas['FrameCredentials'];

interface CredentialFile {
  readonly name: string;
  readonly text: string;
  readonly what: string;
}

/** How long a browser is given to begin a download before its address ends. */
const graceMs = 10_000;

function filesOf({ serial, key, certificate, ca, password }: CredentialsMade): CredentialFile[] {
  return [
    { name: `${serial}.key`, text: key, what: t('files.key') },
    { name: `${serial}.crt`, text: certificate, what: t('files.certificate') },
    { name: 'ca.crt', text: ca, what: t('files.ca') },
    ...(password === null ? [] : [{ name: `${serial}.password`, text: password, what: t('files.password') }]),
  ];
}

function download({ name, text }: CredentialFile): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), graceMs);
}

/** Draws the files with what to do with them. The browser asks before it leaves while one was not taken. */
export const CredentialFiles = ({ made }: { readonly made: CredentialsMade }) => {
  const files = filesOf(made);
  const { broker } = useAddresses().value ?? {};
  const taken = useSignal<ReadonlySet<string>>(new Set());
  const isDone = files.every(({ name }) => taken.value.has(name));
  const take = (some: readonly CredentialFile[]): void => {
    for (const file of some) download(file);
    taken.value = new Set([...taken.value, ...some.map(({ name }) => name)]);
  };
  useEffect(() => {
    if (isDone) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isDone]);
  return (
    <div class="files">
      <p class="warn">{t('files.once')}</p>
      <ul class="rows">
        {files.map((file) => (
          <li key={file.name}>
            <span>
              <code>{file.name}</code>
              <br />
              <span class="note">{file.what}</span>
            </span>
            <button type="button" onClick={() => take([file])}>
              {taken.value.has(file.name) ? t('files.again') : t('files.download')}
            </button>
          </li>
        ))}
      </ul>
      <div class="actions">
        <button type="button" class="primary" onClick={() => take(files)}>
          {t('files.all')}
        </button>
      </div>
      {broker !== undefined && (
        <>
          <ReachWarning address={broker.host} whom="frames" />
          <CopyField label={t('files.broker')} value={broker.host} />
          <CopyField label={t('files.brokerPort')} value={String(broker.port)} />
        </>
      )}
      <p>{made.password === null ? t('files.howCertificate') : t('files.howPassword')}</p>
    </div>
  );
};
