/**
 * English sentences of the service that the console words itself, because a person reads them in another place than a program
 * reads the answer. Every other sentence is the service's own (`reasons/sentences`), written as a whole sentence.
 */
import type { sentences } from '../../reasons/sentences.ts';
import { formSentences } from './form-sentences.ts';

type Code = keyof typeof sentences;

/** The reasons for which the console has words of its own. A test holds each sentence against its reason. */
export const ownSentences = {
  forProgrammers: formSentences,
  /** The API says paper, device, panel, board and user; the console says content, frame, screen and person. */
  inWordsOfTheConsole: {
    'another-picture-since': 'Another picture has arrived here since.',
    'bound-by-registration': 'A frame is added by its serial.',
    'device-does-not-fit': 'One of these frames does not belong to your organization, or is a different model.',
    'device-image-none': 'The frame does not have this picture.',
    'device-other-panel': 'The frame has the screen {panel}, not {kind}.',
    'field-keeps-device': 'Content cannot move to another frame.',
    'firmware-image-damaged': 'The firmware’s file is missing or damaged. The operator has to add it again.',
    'guest-no-panel': 'Send the picture as it is; it is fitted when a frame shows it.',
    'image-damaged': 'The picture is damaged. Send the whole file.',
    'images-supported':
      'This is not a picture that can be read. Supported are JPEG, PNG, HEIC, AVIF, WebP and GIF of at most 60 megapixels.',
    'kind-no-calendars': 'Content of the kind {kind} has no calendars.',
    'kind-not-rendered': 'Content of the kind {kind} is not drawn. Known kinds are {kinds}.',
    'kind-takes-no-pictures':
      'Content of the kind {kind} does not take pictures. Make the link for an album or a picture.',
    'kind-takes-not-so': 'Content of the kind {kind} does not take pictures in this way.',
    'kind-not-known': 'Frames of the kind {kind} are not known here.',
    'many-claims': '{most} new frames wait for their boards, and there cannot be more.',
    'many-drafts-drawn': 'Many previews are being drawn at once. Try again shortly.',
    'many-guest-links':
      'There are at most {most} guest links to one album or picture, including those that ended in the last 90 days.',
    'many-logins': 'There are at most {most} logins here. Remove one first.',
    'many-streams': 'The service has {most} consoles open and cannot have more. Try again later.',
    'many-streams-account': 'Your account has {most} consoles open and cannot have more. Close one.',
    'many-viewers': 'At most {most} people can be chosen to see the same frame or content.',
    'no-album': 'Content of the kind {kind} is not an album.',
    'no-album-any-more': 'This is no longer an album.',
    'no-firmware-image':
      'There is no firmware {version} for native frames of the kind {kind}. The operator has to add it.',
    'no-frame-of-kind': 'The organization has no native frame of the kind {kind}.',
    'no-image-file': 'There is no picture.',
    'no-panel-known': 'No screen is known for the kind {kind}.',
    'no-pictures-sent': 'Pictures cannot be sent to content of the kind {kind}.',
    'no-such-callback': 'There is no such callback here.',
    'no-such-device': 'There is no such frame in this organization.',
    'no-such-paper': 'There is no such content in this organization.',
    'no-such-patient': 'There is no such person in this organization.',
    'not-plugin-paper': 'This does not come from an integration.',
    'of-paper': '{paper}:',
    'paper-deleted': 'It was removed.',
    'paper-draws-itself': 'This redraws itself. Times are for pictures.',
    'paper-image-none': 'There is no such picture here.',
    'paper-is-composed': 'It is itself made of other content.',
    'paper-no-picture': 'There is no picture here yet.',
    'percent-or-devices': 'Enter a percentage or name frames, not both.',
    'picture-lost': 'The stored picture is missing or damaged; send it again.',
    'playlist-begins': 'It begins at {time}.',
    'pushed-picture-lost': 'The picture that the integration sent is missing or damaged; it has to send it again.',
    'rollout-is': 'The rollout is in the state {state}.',
    'several-ask': 'Several devices use the address {address}: one of them may be somebody else’s.',
    'upload-overtaken': 'Another picture came before this one was ready.',
    'week-too-full': 'This changes more than {most} times in a week, which no frame can follow.',
  },
  /** The console says what to do about it, in its own screens or by the operator of the service. */
  withTheNextStep: {
    'album-no-room': 'The album is full: it holds {most} pictures. Remove some, then send this one again.',
    'album-takes-turns': 'This is an album: its pictures take turns. Send without times.',
    'album-too-large': 'The album’s pictures already take 2 GiB. Remove some, then send this one again.',
    'callback-connection-ended': 'The connection of this callback may no longer act. Connect the integration again.',
    'channel-lacks': 'Something is missing: {field}.',
    'channels-many': 'An organization has at most {most} channels. Remove one first.',
    'choose-asker':
      'A frame that waits shows its code. Adopt the one that shows the same code as {address} on your wall, or switch the other one off.',
    'device-no-frame': 'It has no frame yet. Add one by its serial.',
    'device-other-frame': 'It was given another frame meanwhile. Look again.',
    'echo-went-backwards':
      'An echo of an earlier answer came back after a later one: another device may use its key, or its address.',
    'files-unreachable': 'The file storage cannot be reached. Try again shortly.',
    'frame-has-credentials': 'This frame already has credentials: add it by its serial.',
    'frame-kind-unknown': 'The kind of {serial} is not known. Choose it.',
    'letters-missing': 'No installed font has {letters}; they appear as boxes until a font is added on the server.',
    'link-used': 'This link has expired or was used. Ask somebody who manages this Papergate for a new one.',
    'mail-certificate':
      'The certificate of the mail server is not trusted ({error}). Operators name the file of its authority in NODE_EXTRA_CA_CERTS, or correct the host in PAPERGATE_SMTP_URL.',
    'mail-greeting-refused':
      'The mail server refuses the name that this service greets it with: {answer}. Operators append a full host name to PAPERGATE_SMTP_URL, for example ?name=papers.example.org.',
    'mail-link-anew': 'Open it there, or ask for a new one here.',
    'mail-no-tls':
      'The mail server does not begin with TLS at this port. Operators write smtp:// in place of smtps:// in PAPERGATE_SMTP_URL, or correct the port.',
    'mail-not-set-up': 'This service sends no email: its operator has to set up a mail server.',
    'many-calendars-read': 'Many calendars are being read at once. Try again shortly.',
    'many-keys': 'An account has at most {most} API keys. End one that is no longer used.',
    'many-organizations': 'At most {most} organizations can be made from one. Remove one, or ask the operator.',
    'many-passkeys': 'You have {most} passkeys, and more are not possible. Remove one first.',
    'many-timed': 'Your organization already has {most} scheduled pictures. Cancel one first.',
    'much-sent': 'Too much is being sent at once. Try again shortly.',
    'no-other-admin':
      'An organization that is in use has no other admin. Make somebody else its admin, or remove it first.',
    'not-a-serial': '{serial} is not the serial of a frame: letters, digits, - and _ only, at most 64.',
    'not-joined': 'This person has not joined yet. Pass on their invitation link.',
    'organization-exists': 'An organization was created meanwhile. Ask for a link to it.',
    'own-role': 'You cannot change your own role or organization. Ask another admin.',
    'pairing-anew': 'Show a new one on the device where you are signed in.',
    'passkey-needs-session': 'Sign in here first, then add a passkey.',
    'passkey-not-proved': 'That did not work. Try again.',
    'passkey-not-taken': 'The passkey was not added. Try again.',
    'passkey-blocked-remedy': 'Sign in another way, remove it under Account, and add a new one.',
    'remedy-versions-used-up':
      'Reset the frame to its factory settings, and provision it again: papergate frames provision SERIAL --out DIR.',
    'removes-self': 'You cannot remove yourself. Ask another admin.',
    'rollout-at-once': 'Another rollout began at the same moment. Look again.',
    'rollout-changed': 'The rollout has just changed. Look again.',
    'sign-in-elsewhere':
      'This page is at {page}, and its request arrived for {asked}. Sign in on a page of this service itself. If there is a proxy in between, its operator has to let it pass on the Host header with the port (nginx: proxy_set_header Host $http_host;), or set PAPERGATE_PUBLIC_URL.',
    'sign-in-link-anew': 'Ask somebody who manages this Papergate for a new one.',
    'storage-full':
      'The pictures of the organization take up all of the {most} MiB that it may use. Remove some that nobody misses; their room is free some hours later. The operator can allow more.',
  },
  /** The answer leaves the subject to the words around it; here the sentence stands alone. */
  standingAlone: {
    'calendar-read': 'It was read.',
    'many-pixels': 'The picture has more than 60 megapixels (AVIF: 52), or a side of more than 65,535 pixels.',
    'not-https': 'The address is not https.',
    'not-port-443': 'The address is not on port 443.',
    'timed-failed': 'It failed.',
    'timed-shown': 'It is shown.',
    'timed-shown-until': 'It is shown until {time}.',
    'timed-waits': 'It waits until {time}.',
    'timed-was-cancelled': 'It was cancelled.',
    'update-no-return': 'The frame did not come back.',
  },
  /** They stand behind a colon in a line. */
  withinALine: {
    'rollout-after-restore': 'the service was restored from a backup',
    'rollout-by-person': 'by a person',
    'rollout-losing': '{lost} of {started} frames that started failed or did not come back',
  },
} as const satisfies Readonly<Record<string, Partial<Readonly<Record<Code, string>>>>>;
