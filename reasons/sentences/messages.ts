/** The sentences about the outcome of messages about outages. */
export const messageSentences = {
  'mail-taken': 'The mail server accepted it: {answer}',
  'mail-not-taken': 'The mail server did not accept it: {answer}',
  'mail-refused-some': 'The mail server did not accept it for everyone: {refused}',
  'mail-greeting-refused':
    'The mail server refuses the name that this service greets it with: {answer}. Append a full host name to PAPERGATE_SMTP_URL, such as ?name=papers.example.org',
  'mail-certificate':
    'The certificate of the mail server is not trusted ({error}): name the file of its authority in NODE_EXTRA_CA_CERTS, or correct the host in PAPERGATE_SMTP_URL',
  'mail-no-tls':
    'The mail server does not begin with TLS at this port: write smtp:// in place of smtps:// in PAPERGATE_SMTP_URL, or correct the port',
  'mail-server-away': 'The mail server could not be reached: {error}',
  'mail-server-late': 'The mail server did not answer in {#seconds} s',
  'mail-not-set-up': 'This service sends no email: its operator has to set PAPERGATE_SMTP_URL and PAPERGATE_MAIL_FROM',
  'receiver-took-it': 'The receiver accepted it: status {#status}',
  'receiver-not-taken': 'The receiver did not accept it: status {#status}',
  'channel-lacks': 'A channel of kind {kind} needs {field}',
  'channel-kind-unknown': 'This release of the service cannot send by a channel of kind {kind}',
  'channel-secret-lost': 'The secret of the channel can no longer be opened: set it again',
  'channels-many': 'An organization has at most {#most} channels',
} as const;
