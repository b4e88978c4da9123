/** The words of messages, in each language that a channel may have. */
import type { AlertLanguage } from './channels.ts';
import type { OutageKind } from './outage-kinds.ts';

/** The words of one kind of outage. `{name}`, `{since}` and `{span}` stand for their values. */
interface KindWords {
  readonly title: string;
  readonly began: string;
  readonly todo: string;
  readonly endedTitle: string;
  readonly ended: string;
}

interface Words {
  readonly kinds: Readonly<Record<OutageKind, KindWords>>;
  readonly open: (count: number) => string;
  readonly over: (count: number) => string;
  readonly more: (count: number) => string;
  readonly leftOut: (count: number) => string;
  readonly testTitle: string;
  readonly test: string;
  readonly days: string;
  readonly hours: string;
  readonly minutes: string;
}

const english: Words = {
  kinds: {
    'frame-silent': {
      title: '“{name}” is not heard of',
      began: '“{name}” was expected on {since} and has not come.',
      todo: 'Look at its battery and at the Wi-Fi, or wake it by its button.',
      endedTitle: '“{name}” is back',
      ended: '“{name}” is back, after {span}.',
    },
    'battery-low': {
      title: 'The battery of “{name}” is low',
      began: 'The battery of “{name}” is low since {since}.',
      todo: 'Charge it, or change the batteries.',
      endedTitle: 'The battery of “{name}” is charged',
      ended: 'The battery of “{name}” is charged again, after {span}.',
    },
    'credentials-ending': {
      title: 'The certificate of “{name}” ends soon',
      began: 'The certificate of “{name}” ends within 14 days: after that the frame cannot connect.',
      todo: 'Renew its credentials on the page of the frame.',
      endedTitle: '“{name}” may connect again',
      ended: 'The certificate of “{name}” was renewed.',
    },
    'picture-failing': {
      title: 'There is no new picture of “{name}”',
      began: 'Since {since} no picture of “{name}” can be made.',
      todo: 'The page of the frame says why, and what to do.',
      endedTitle: 'There are pictures of “{name}” again',
      ended: 'Pictures of “{name}” are made again, after {span}.',
    },
    'callbacks-failing': {
      title: 'The integration of “{name}” does not answer',
      began: 'Since {since} the integration of “{name}” does not take what it is told.',
      todo: 'Whoever runs the integration finds every attempt on the page of the paper.',
      endedTitle: 'No more callbacks of “{name}” wait',
      ended: 'Nothing waits any more for the integration of “{name}”, after {span}.',
    },
    'rollout-paused': {
      title: 'The update {name} was paused',
      began: 'The firmware update {name} was paused on {since}: too many frames did not come back, or failed.',
      todo: 'Look at those frames before you let it go on.',
      endedTitle: 'The update {name} is no longer paused',
      ended: 'The firmware update {name} is no longer paused, after {span}.',
    },
    'disk-low': {
      title: 'The disk is nearly full',
      began: 'The disk of the data folder has little room left since {since}.',
      todo: 'Make room, or give it a larger disk: when it is full, nothing new is kept.',
      endedTitle: 'The disk has room again',
      ended: 'The disk of the data folder has room again, after {span}.',
    },
    'certificate-ending': {
      title: 'The certificate of the broker ends soon',
      began: 'The certificate with which frames recognize this service ends within 14 days.',
      todo: 'Start the service again: it makes a new one. papergate doctor says when it ends.',
      endedTitle: 'The certificate of the broker is in order',
      ended: 'The certificate of the broker is in order again, after {span}.',
    },
    'backup-failed': {
      title: 'Nightly backups fail',
      began: 'Nightly backups fail since {since}: the last one was not made, or their folder cannot be written.',
      todo: 'papergate doctor and papergate backup create say why.',
      endedTitle: 'There is a backup again',
      ended: 'A nightly backup was made again, after {span}.',
    },
  },
  open: (count) => (count === 1 ? '1 outage' : `${count} outages`),
  over: (count) => (count === 1 ? '1 is over' : `${count} are over`),
  more: (count) => `And ${count} more.`,
  leftOut: (count) => `${count === 1 ? '1 older message' : `${count} older messages`} could not be sent in time.`,
  testTitle: 'Test message',
  test: 'This is a test: messages of this channel arrive.',
  days: 'd',
  hours: 'h',
  minutes: 'min',
};

const german: Words = {
  kinds: {
    'frame-silent': {
      title: '„{name}“ meldet sich nicht',
      began: '„{name}“ wurde am {since} erwartet und ist nicht gekommen.',
      todo: 'Sehen Sie nach Batterie und WLAN, oder wecken Sie den Rahmen mit seiner Taste.',
      endedTitle: '„{name}“ ist wieder da',
      ended: '„{name}“ ist wieder da, nach {span}.',
    },
    'battery-low': {
      title: 'Die Batterie von „{name}“ ist schwach',
      began: 'Die Batterie von „{name}“ ist seit {since} schwach.',
      todo: 'Laden Sie sie auf, oder wechseln Sie die Batterien.',
      endedTitle: 'Die Batterie von „{name}“ ist geladen',
      ended: 'Die Batterie von „{name}“ ist wieder geladen, nach {span}.',
    },
    'credentials-ending': {
      title: 'Das Zertifikat von „{name}“ läuft ab',
      began:
        'Das Zertifikat von „{name}“ läuft innerhalb von 14 Tagen ab: danach kann sich der Rahmen nicht mehr verbinden.',
      todo: 'Erneuern Sie seine Zugangsdaten auf der Seite des Rahmens.',
      endedTitle: '„{name}“ kann sich weiter verbinden',
      ended: 'Das Zertifikat von „{name}“ wurde erneuert.',
    },
    'picture-failing': {
      title: 'Es gibt kein neues Bild von „{name}“',
      began: 'Seit {since} entsteht kein Bild von „{name}“.',
      todo: 'Auf der Seite des Rahmens steht, warum, und was zu tun ist.',
      endedTitle: 'Es gibt wieder Bilder von „{name}“',
      ended: 'Bilder von „{name}“ entstehen wieder, nach {span}.',
    },
    'callbacks-failing': {
      title: 'Die Integration von „{name}“ antwortet nicht',
      began: 'Seit {since} nimmt die Integration von „{name}“ nicht an, was ihr gemeldet wird.',
      todo: 'Wer die Integration betreibt, findet jeden Versuch auf der Seite des Blattes.',
      endedTitle: 'Für „{name}“ wartet keine Rückmeldung mehr',
      ended: 'Für die Integration von „{name}“ wartet nichts mehr, nach {span}.',
    },
    'rollout-paused': {
      title: 'Das Update {name} wurde angehalten',
      began:
        'Das Firmware-Update {name} wurde am {since} angehalten: Zu viele Rahmen kamen nicht zurück oder meldeten Fehler.',
      todo: 'Sehen Sie nach diesen Rahmen, bevor Sie es fortsetzen.',
      endedTitle: 'Das Update {name} ist nicht mehr angehalten',
      ended: 'Das Firmware-Update {name} ist nicht mehr angehalten, nach {span}.',
    },
    'disk-low': {
      title: 'Die Festplatte ist fast voll',
      began: 'Auf der Festplatte des Datenordners ist seit {since} kaum noch Platz.',
      todo: 'Schaffen Sie Platz, oder nehmen Sie eine größere: Ist sie voll, wird nichts Neues mehr gespeichert.',
      endedTitle: 'Die Festplatte hat wieder Platz',
      ended: 'Die Festplatte des Datenordners hat wieder Platz, nach {span}.',
    },
    'certificate-ending': {
      title: 'Das Zertifikat des Brokers läuft ab',
      began: 'Das Zertifikat, an dem Rahmen diesen Dienst erkennen, läuft innerhalb von 14 Tagen ab.',
      todo: 'Starten Sie den Dienst neu: Er macht ein neues. papergate doctor sagt, wann es abläuft.',
      endedTitle: 'Das Zertifikat des Brokers ist in Ordnung',
      ended: 'Das Zertifikat des Brokers ist wieder in Ordnung, nach {span}.',
    },
    'backup-failed': {
      title: 'Nächtliche Sicherungen schlagen fehl',
      began:
        'Nächtliche Sicherungen schlagen seit {since} fehl: Die letzte ist misslungen, oder ihr Ordner ist nicht beschreibbar.',
      todo: 'papergate doctor und papergate backup create sagen, warum.',
      endedTitle: 'Es gibt wieder eine Sicherung',
      ended: 'Eine nächtliche Sicherung ist wieder gelungen, nach {span}.',
    },
  },
  open: (count) => (count === 1 ? '1 Störung' : `${count} Störungen`),
  over: (count) => (count === 1 ? '1 ist vorbei' : `${count} sind vorbei`),
  more: (count) => `Und ${count} weitere.`,
  leftOut: (count) =>
    count === 1
      ? '1 ältere Meldung ließ sich nicht rechtzeitig senden.'
      : `${count} ältere Meldungen ließen sich nicht rechtzeitig senden.`,
  testTitle: 'Testmeldung',
  test: 'Das ist ein Test: Meldungen dieses Kanals kommen an.',
  days: 'T.',
  hours: 'Std.',
  minutes: 'Min.',
};

/** The words, by language. */
export const messageWords: Readonly<Record<AlertLanguage, Words>> = { en: english, de: german };
