/** The fields and the name of each kind of channel. A kind that the API adds does not compile without its row. */

import type { Signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { Schemas } from '../../client/contract.ts';
import { type TextKey, t } from '../ground/words.ts';
import { Field } from '../parts/forms/field.tsx';

/** A way in which messages leave. */
export type ChannelKind = Schemas['AlertChannel']['kind'];

/** The typed target of a channel. */
export interface TargetDraft {
  readonly recipients: Signal<string>;
  readonly url: Signal<string>;
  readonly topic: Signal<string>;
  readonly secret: Signal<string>;
}

interface TargetFieldsProps {
  readonly draft: TargetDraft;
  readonly hasSecret: boolean;
}

interface ChannelForm {
  readonly name: TextKey;
  readonly TargetFields: ComponentType<TargetFieldsProps>;
  /** Returns the fields of the target as they are sent. */
  readonly targetOf: (draft: TargetDraft) => Pick<Schemas['AlertChannel'], 'recipients' | 'url' | 'topic'>;
}

const defaultServer = 'https://ntfy.sh';

const MailFields = ({ draft }: TargetFieldsProps) => (
  <Field label={t('alerts.recipients')} value={draft.recipients} rows={3} hint={t('alerts.recipientsHint')} required />
);

const NtfyFields = ({ draft, hasSecret }: TargetFieldsProps) => (
  <>
    <Field
      label={t('alerts.server')}
      type="url"
      value={draft.url}
      hint={t('alerts.serverHint', { server: defaultServer })}
    />
    <Field label={t('alerts.topic')} value={draft.topic} hint={t('alerts.topicHint')} maxLength={64} required />
    <SecretField
      label={t('alerts.token')}
      value={draft.secret}
      hint={hasSecret ? 'alerts.secretKept' : 'alerts.tokenHint'}
    />
  </>
);

const WebhookFields = ({ draft, hasSecret }: TargetFieldsProps) => (
  <>
    <Field label={t('alerts.url')} type="url" value={draft.url} required />
    <SecretField
      label={t('alerts.secret')}
      value={draft.secret}
      hint={hasSecret ? 'alerts.secretKept' : 'alerts.secretHint'}
    />
  </>
);

const SecretField = ({
  label,
  value,
  hint,
}: {
  readonly label: string;
  readonly value: Signal<string>;
  readonly hint: TextKey;
}) => <Field label={label} type="password" value={value} hint={t(hint)} maxLength={200} autocomplete="new-password" />;

/** The kinds in the order in which they are offered. */
export const channelForms: Readonly<Record<ChannelKind, ChannelForm>> = {
  mail: {
    name: 'alerts.mail',
    TargetFields: MailFields,
    targetOf: ({ recipients }) => ({ recipients: recipients.value.split(/[\s,;]+/).filter(Boolean) }),
  },
  ntfy: {
    name: 'alerts.ntfy',
    TargetFields: NtfyFields,
    targetOf: ({ url, topic }) => ({ url: url.value.trim() || defaultServer, topic: topic.value.trim() }),
  },
  webhook: {
    name: 'alerts.webhook',
    TargetFields: WebhookFields,
    targetOf: ({ url }) => ({ url: url.value.trim() }),
  },
};
