/**
 * The calls of the API: what each takes and answers. Written by `node --import tsx test/accept.ts api` from the routes, by way of
 * `docs/openapi.json`; a call that is in no route, and a field that it does not have, do not compile.
 */

/** The parts of what several calls take or answer, by the name that the API's description gives it. */
export interface Schemas {
  Error: { code: string; message: string; hint?: string; reasons?: readonly Schemas['Sentence'][]; dependents?: { [name: string]: readonly string[] }; requestId?: string };
  Organization: { id: string; name: string; email: string; kind?: string; meta: { [name: string]: unknown }; createdAt: string; updatedAt: string };
  User: { id: string; name: string; email: string; role: 'admin' | 'user' | 'patient' | 'onlyself'; category?: 'doctor' | 'nurse' | 'patient' | 'pharmacist' | 'relative'; organization: string; timezone?: string; avatar?: string; meta: { [name: string]: unknown }; status?: 'invited' | 'accepted'; accountId?: string; inviteCode?: string; createdAt: string; updatedAt: string };
  TemplateUser: { id: string; name: string; age: number };
  Links: { devices: readonly string[]; papers: readonly string[] };
  Account: { id: string; providerId?: string; email: string; firstName?: string; lastName?: string; organizationId: string; roles: readonly ('admin' | 'user' | 'patient' | 'onlyself')[]; isMfaEnabled: boolean; meta?: { [name: string]: unknown }; createdAt: string; updatedAt: string };
  ApiKey: { id: string; name: string; createdAt: string };
  Session: { id: string; createdAt: string; usedAt: string; endsAt: string; stays: boolean; way: 'link' | 'key' | 'invitation' | 'provider' | 'passkey' | 'member-link' | 'mail' | 'pairing' | null; browser: string | null; isCurrent: boolean };
  WhoAmI: { account: { id: string; name?: string; email?: string }; memberships: readonly ({ organization: { id: string; name: string }; userId: string; role: 'admin' | 'user' | 'patient' | 'onlyself'; name: string })[]; session: Schemas['Session'] | null };
  Passkey: { id: string; name: string; address: string; worksHere: boolean; createdAt: string; usedAt: string | null; blockedAt: string | null; endsWithKey: string | null };
  SignInLink: { id: string; madeBy: string | null; createdAt: string; endsAt: string; usedAt: string | null };
  Pairing: { id: string; state: 'open' | 'scanned' | 'confirmed' | 'done' | 'refused'; browser: string | null; choices: readonly number[]; endsAt: string };
  AuditEntry: { id: string; at: string; who: { by: 'key' | 'session' | 'token' | 'address' | 'integration' | 'guest' | 'operator' | 'service' | 'unproved'; name: string; userId: string | null; accountId: string | null; key: { id: string; name: string } | null }; action: 'organization.created' | 'organization.changed' | 'user.added' | 'user.changed' | 'user.removed' | 'user.joined' | 'user.linked' | 'account.created' | 'account.changed' | 'account.ended' | 'key.made' | 'key.ended' | 'session.started' | 'session.refused' | 'session.changed' | 'session.ended' | 'pairing.refused' | 'passkey.added' | 'passkey.blocked' | 'passkey.removed' | 'passkey.renamed' | 'sign-in-link.made' | 'device.created' | 'device.changed' | 'device.removed' | 'device.registered' | 'device.released' | 'device.adopted' | 'device.pressed' | 'device.provisioned' | 'organization.adopts' | 'device.uploaded' | 'device.shown-again' | 'device.website' | 'device.image-changed' | 'device.rebooted' | 'device.reset' | 'device.simulated' | 'device.identified' | 'device.restored' | 'credential.made' | 'credential.renewed' | 'credential.revoked' | 'recipe.added' | 'recipe.changed' | 'recipe.removed' | 'paper.created' | 'paper.changed' | 'paper.removed' | 'paper.uploaded' | 'paper.upload-taken-back' | 'paper.ordered' | 'paper.picture-removed' | 'guest-link.made' | 'guest-link.revoked' | 'album-source.added' | 'album-source.changed' | 'album-source.listed' | 'album-source.removed' | 'album-address.made' | 'album-address.ended' | 'album-sender.invited' | 'album-sender.removed' | 'album-mail.decided' | 'album-code.made' | 'album-chat.removed' | 'login.set' | 'login.forgotten' | 'picture.cancelled' | 'connection.granted' | 'connection.made' | 'connection.ended' | 'callback.repeated' | 'firmware.offered' | 'firmware.paused' | 'firmware.resumed' | 'group.made' | 'group.changed' | 'group.removed' | 'job.made' | 'job.paused' | 'job.resumed' | 'job.cancelled' | 'job.undone' | 'alert-channel.made' | 'alert-channel.changed' | 'alert-channel.removed' | 'alert-channel.tested' | 'record.changed' | 'record.words-forgotten' | 'deadline.made' | 'deadline.changed' | 'deadline.withdrawn' | 'deadline.acknowledged'; object: { kind: 'organization' | 'user' | 'account' | 'key' | 'session' | 'passkey' | 'device' | 'paper' | 'picture' | 'connection' | 'rollout' | 'channel' | 'job' | 'group' | 'deadline'; id: string | null; name: string }; address: string; values: { [name: string]: string | number | boolean | null } };
  DeviceOverview: { id: string; name: string; organization: string; serial: string | null; kind: string | null; patient: string | null; place: { building: string | null; floor: string | null; room: string | null } | null; simulated: boolean; status: 'online' | 'offline' | 'error'; connected: boolean; awake: boolean; awakeUntil: string | null; panel: { width: number; height: number; orientation: 'portrait' | 'landscape' } | null; paper: { id: string; title: string | null; kind: string } | null; glass: { uploadId: string; fileVersion: number; since: string; level: 'offered' | 'announced' | 'fetched' | 'reported shown' | 'confirmed'; grade: 'offered' | 'fetched' | 'processed' | 'reported' | 'named'; doubt: 'identity' | 'before-restore' | 'other-digest' | 'older-version' | null } | null; due: { uploadId: string | null; fileVersion: number | null; state: 'making' | 'not-made' | 'offered' | 'announced' | 'fetched' | 'failed'; since: string | null } | null; battery: { percent: number | null; millivolts: number; daysLeft: number | null; at: string | null } | null; signal: number | null; firmware: string | null; lastSeenAt: string | null; nextWakeAt: string | null; nextChange: Schemas['PlannedChange'] | null; trouble: { code: 'identity-doubted' | 'credentials-revoked' | 'credentials-expired' | 'wrong-panel' | 'battery-empty' | 'silent' | 'update-failed' | 'picture-not-made' | 'given-up' | 'battery-low' | 'credentials-ending' | 'never-connected'; level: 'warning' | 'alarm'; since: string | null; remedy?: string; remedies?: readonly Schemas['Sentence'][] } | null; why: { code: 'no-frame' | 'no-paper' | 'kind-not-drawn' | 'no-content' | 'not-set-up' | 'begins-later' | 'waits-for-time' | 'identity-doubted' | 'not-made' | 'frame-failed' | 'nothing-offered' | 'own-image' | 'newer-not-offered' | 'not-announced' | 'not-fetched' | 'not-shown' | 'other-digest' | 'not-in-step' | 'order-unproven' | 'contact-too-old'; reason?: string; reasons?: readonly Schemas['Sentence'][]; expectedAt?: string; paperKind?: string; chosenPaper?: string } | null };
  PlannedChange: { at: string; reason?: string; reasons?: readonly Schemas['Sentence'][]; mayShowEarly: boolean };
  Sentence: { code?: 'link-used' | 'no-such-key' | 'organization-exists' | 'no-such-invitation' | 'invitation-anew' | 'member-already' | 'they-are-members' | 'own-role' | 'removes-self' | 'address-in-organization' | 'many-keys' | 'many-organizations' | 'no-other-admin' | 'provider-silent' | 'many-guest-links' | 'kind-takes-no-pictures' | 'no-room-left' | 'make-room' | 'storage-full' | 'album-no-room' | 'album-too-large' | 'no-album-any-more' | 'kind-takes-not-so' | 'other-picture-sent' | 'image-damaged' | 'convert-picture' | 'image-cut' | 'images-supported' | 'album-one-by-one' | 'another-image-since' | 'another-picture-since' | 'timed-file-gone' | 'timed-cancelled' | 'many-timed' | 'album-takes-turns' | 'paper-draws-itself' | 'timed-over' | 'kind-no-calendars' | 'many-calendars-read' | 'many-drafts-drawn' | 'no-pictures-sent' | 'week-too-full' | 'no-such-callback' | 'callback-too-old' | 'callback-connection-ended' | 'no-such-paper' | 'no-such-device' | 'device-other-panel' | 'frame-kind-unknown' | 'frame-is-yours' | 'many-viewers' | 'simulated-off' | 'many-simulated' | 'remove-simulated' | 'many-claims' | 'claims-end' | 'frame-has-credentials' | 'offline-address-too-long' | 'not-a-serial' | 'kind-not-known' | 'device-no-frame' | 'device-other-frame' | 'no-firmware-image' | 'no-frame-of-kind' | 'device-does-not-fit' | 'rollout-at-once' | 'rollout-is' | 'rollout-changed' | 'firmware-image-damaged' | 'service-stopping' | 'many-streams-account' | 'many-streams' | 'much-sent' | 'files-unreachable' | 'timed-waits' | 'timed-shown' | 'timed-shown-until' | 'timed-interrupted' | 'timed-missed' | 'timed-done' | 'timed-was-cancelled' | 'timed-replaced' | 'timed-failed' | 'many-logins' | 'no-image-file' | 'several-pictures' | 'pictures-one-by-one' | 'bytes-expected' | 'many-pixels' | 'panel-not-named' | 'sign-in-elsewhere' | 'sign-in-again' | 'token-of-future' | 'sign-in-by-nothing' | 'first-run-lacks' | 'guest-sees-no-panel' | 'guest-no-panel' | 'picture-time-unclear' | 'picture-time-past' | 'picture-time-order' | 'picture-time-far' | 'form-field-large' | 'form-has-more' | 'form-incomplete' | 'body-ended' | 'pictures-two' | 'device-pictures-two' | 'codes-at-once' | 'service-numbers' | 'paper-image-none' | 'device-image-none' | 'no-such-patient' | 'call-without-session' | 'no-provider' | 'address-ended' | 'bound-by-registration' | 'websites-waited' | 'rollout-one-frame' | 'rollout-list' | 'rollout-percent' | 'rollout-none' | 'classic-all-at-once' | 'percent-or-devices' | 'frame-awake-does' | 'frame-learns-later' | 'frame-asked' | 'record-stretch-long' | 'no-album' | 'sign-in-link-used' | 'sign-in-link-ended' | 'sign-in-link-unknown' | 'sign-in-link-elsewhere' | 'sign-in-link-anew' | 'mail-link-anew' | 'not-joined' | 'no-sign-in-mail' | 'mail-link-leads-nowhere' | 'opens-one-organization' | 'passkey-needs-name' | 'passkey-needs-session' | 'passkey-not-taken' | 'passkey-not-proved' | 'passkey-unknown' | 'passkey-copied' | 'passkey-blocked' | 'passkey-blocked-remedy' | 'many-passkeys' | 'pairing-needs-session' | 'pairing-taken' | 'pairing-ended' | 'pairing-anew' | 'field-unknown' | 'field-too-long' | 'field-too-short' | 'field-too-large' | 'field-too-small' | 'field-too-many' | 'field-not-email' | 'field-not-url' | 'field-missing' | 'field-other-type' | 'field-invalid' | 'field-other-option' | 'field-unlike-pattern' | 'field-over' | 'field-taken' | 'field-time-zone' | 'field-time-zone-unknown' | 'field-many-time-zones' | 'field-not-cron' | 'field-not-start' | 'field-not-rule' | 'field-not-time' | 'field-not-moment' | 'field-some-of' | 'field-one-of' | 'field-not-whole-between' | 'field-not-after' | 'field-not-whole-number' | 'field-not-id' | 'field-not-short-name' | 'field-not-storable' | 'field-with-nul' | 'field-holds-nul' | 'field-no-selector' | 'field-at-most' | 'field-name-long' | 'field-needs-file' | 'field-file-too-large' | 'field-file-broken' | 'field-no-image' | 'field-many-pixels' | 'field-not-manifest-address' | 'field-not-embedded-picture' | 'field-begins-late' | 'field-entry-gone' | 'field-keeps-device' | 'field-of-path' | 'field-no-header-name' | 'field-no-login-header' | 'field-not-printable' | 'field-not-token' | 'field-because' | 'field-url' | 'field-kind' | 'no-answer' | 'not-asked' | 'busy' | 'frames-not-heard' | 'messages-wait' | 'broker-missing' | 'broker-silent' | 'broker-certificate-ended' | 'broker-certificate-ending' | 'database-refuses' | 'database-locked' | 'database-slow' | 'database-away' | 'database-busy' | 'database-full' | 'database-read-only' | 'database-too-slow' | 'database-remedy' | 'disk-full' | 'disk-nearly-full' | 'clients-share-address' | 'browser-network-own' | 'browser-network-shared' | 'pages-wait' | 'browser-rests' | 'browser-not-running' | 'browser-not-found' | 'callbacks-stuck' | 'callback-late' | 'callbacks-many' | 'mail-taken' | 'mail-not-taken' | 'mail-refused-some' | 'mail-greeting-refused' | 'mail-certificate' | 'mail-no-tls' | 'mail-server-away' | 'mail-server-late' | 'mail-not-set-up' | 'receiver-took-it' | 'receiver-not-taken' | 'channel-lacks' | 'channel-kind-unknown' | 'channel-secret-lost' | 'channels-many' | 'page-no-url' | 'page-too-slow' | 'page-not-loaded' | 'page-moved' | 'page-status' | 'page-wants-login' | 'page-is-data' | 'page-asks-to-sign-in' | 'page-not-public' | 'page-not-at-home' | 'page-left-house' | 'page-redirects' | 'page-is-download' | 'page-certificate' | 'page-unreachable' | 'page-left' | 'page-stopped' | 'page-lacks' | 'page-no-selector' | 'page-selector-slow' | 'page-click-lacks' | 'page-still-loading' | 'page-still-moving' | 'page-went' | 'page-not-ready' | 'page-drawn-unready' | 'letters-missing' | 'page-asks-much' | 'page-moves-much' | 'page-took-much' | 'page-blank' | 'page-error' | 'page-time-zone' | 'page-talks' | 'page-memory' | 'browser-ended' | 'page-drawer-ended' | 'browser-missing' | 'browser-not-executable' | 'browser-keeps-rights' | 'browser-not-in-sandbox' | 'image-end-missing' | 'image-profile-left-out' | 'image-gamma-left-out' | 'image-inks-guessed' | 'image-gain-map-left-out' | 'image-brightness-reduced' | 'image-parts-overlooked' | 'no-calendar-named' | 'no-integration-named' | 'no-website-named' | 'no-text' | 'no-album-picture' | 'no-paper-chosen' | 'no-entry-made' | 'playlist-begins' | 'paper-deleted' | 'paper-no-picture' | 'picture-lost' | 'pushed-picture-lost' | 'upload-overtaken' | 'newer-content' | 'no-picture-address' | 'no-part-chosen' | 'no-part' | 'part-failed' | 'no-slide' | 'no-entry' | 'paper-is-composed' | 'kind-not-rendered' | 'no-panel-known' | 'attempts-interrupted' | 'website-address' | 'of-paper' | 'no-calendar-read' | 'of-calendar' | 'address-missing' | 'address-too-long' | 'address-not-ascii' | 'address-not-http' | 'address-unreadable' | 'address-holds-password' | 'address-not-public' | 'not-at-home' | 'plain-not-at-home' | 'host-name-too-long' | 'host-not-public' | 'host-local' | 'host-silent' | 'host-no-address' | 'host-many-addresses' | 'host-address-not-public' | 'host-address-changed' | 'name-servers-silent' | 'answer-late' | 'not-to-be-sent' | 'not-https' | 'not-port-443' | 'connection-closed' | 'answer-too-long' | 'calendar-too-long' | 'calendar-too-full' | 'feed-wants-login' | 'feed-wants-digest' | 'answer-not-unpacked' | 'network-refused' | 'network-name-unknown' | 'network-certificate' | 'network-error' | 'network' | 'redirect-unusable' | 'redirect-not-private' | 'redirects-many' | 'redirect-of-post' | 'address-gives-page' | 'answer-status' | 'calendar-read' | 'calendar-zone-guessed' | 'calendar-not-read' | 'calendars-take-long' | 'calendar-takes-long' | 'calendar-unreadable' | 'calendar-not-icalendar' | 'calendar-malformed' | 'calendar-key-twice' | 'connection-ended' | 'older-than-seven-days' | 'not-json' | 'not-a-manifest' | 'not-plugin-paper' | 'integration-not-named' | 'manifest-not-fetched' | 'manifest-url' | 'manifest-field' | 'settings-page' | 'render-page' | 'callback-path' | 'other-loopback' | 'other-origin' | 'url-not-text' | 'url-not-https' | 'url-not-https-443' | 'not-a-url' | 'url-this-service' | 'url-ends-in-dot' | 'url-too-long' | 'url-not-ascii' | 'url-holds-more' | 'url-dot-segments' | 'document-too-long' | 'document-unreadable' | 'file-unreadable' | 'document-not-json' | 'not-a-catalogue' | 'entry-left-out' | 'no-manifests-named' | 'manifest-left-out' | 'manifests-surplus' | 'not-read-in-time' | 'icon-left-out' | 'icon-not-a-picture' | 'archive-unreadable' | 'archive-too-large' | 'archive-hostile' | 'recipe-no-settings' | 'recipe-several' | 'recipe-no-markup' | 'recipe-language' | 'recipe-settings-unreadable' | 'recipe-needs-plugins' | 'recipe-needs-sign-in' | 'recipe-strategy-unknown' | 'recipe-data-unreadable' | 'recipe-not-chosen' | 'recipe-gone' | 'recipe-field-missing' | 'recipe-no-address' | 'recipe-many-addresses' | 'recipe-address-unusable' | 'recipe-other-host' | 'recipe-waits-for-data' | 'recipe-late' | 'recipe-failed' | 'recipe-transform-failed' | 'source-failed' | 'source-stale' | 'source-page' | 'source-too-deep' | 'source-unreadable' | 'answer-no-choices' | 'field-not-looked-up' | 'recipe-not-an-address' | 'many-recipes' | 'public-recipes-failed' | 'public-recipes-changed' | 'data-too-long' | 'boot-went-backwards' | 'version-went-backwards' | 'echo-went-backwards' | 'no-mac-address' | 'adopted-kind-unknown' | 'asker-unknown' | 'several-ask' | 'choose-asker' | 'addresses-push-out' | 'too-many-at-once' | 'kept-out' | 'login-refused' | 'login-no-identity' | 'certificate-expired' | 'certificate-not-accepted' | 'certificate-unknown' | 'certificate-revoked' | 'certificate-of-another' | 'login-nothing' | 'login-names-differ' | 'login-wrong-password' | 'reconnects-too-often' | 'floods' | 'packet-over-limit' | 'publishes-forbidden' | 'says-too-much' | 'wills-refused' | 'stored-sessions-refused' | 'connects-as-bridge' | 'password-without-name' | 'connect-too-long' | 'stopped-reading' | 'not-mqtt' | 'picture-of-nobody' | 'did-not-come-back' | 'lost-in-update' | 'away-in-update' | 'names-other-panel' | 'remedy-offline-silence' | 'remedy-other-panel' | 'remedy-versions-used-up' | 'versions-used-up' | 'subscribes-foreign' | 'speaks-other-version' | 'speaks-other-mqtt' | 'rollout-by-person' | 'rollout-after-restore' | 'rollout-losing' | 'update-other-version' | 'update-broken-off' | 'update-given-up' | 'update-no-return' | 'update-failed' | 'change-entry' | 'change-entry-first' | 'change-day' | 'change-event-begins' | 'change-event-ends' | 'change-picture-begins' | 'change-picture-ends' | 'change-album' | 'change-schedule' | 'change-asked' | 'job-has-it' | 'job-stored' | 'job-no-frame' | 'job-frame-gone' | 'job-changed-since' | 'job-fields-kept' | 'job-firmware-stays' | 'job-not-shown' | 'job-update-failed' | 'job-not-proven' | 'job-paper-gone' | 'job-rollout-over' | 'job-stopped' | 'job-growth-stuck' | 'job-author-gone' | 'job-paused-by-person' | 'job-cancelled' | 'job-is' | 'job-no-frames' | 'job-many-frames' | 'job-many' | 'job-wait' | 'job-changes-nothing' | 'job-changes-much' | 'job-many-ways' | 'job-field-not-many' | 'group-many' | 'group-in-itself' | 'group-of-one' | 'no-such-group' | 'job-growth-falls' | 'deadline-asleep' | 'deadline-battery' | 'deadline-came-late' | 'deadline-failing' | 'deadline-flat' | 'deadline-grade-never' | 'deadline-identity' | 'deadline-late' | 'deadline-making' | 'deadline-never-came' | 'deadline-no-frame' | 'deadline-not-made' | 'deadline-not-reported' | 'deadline-not-shown' | 'deadline-not-woken' | 'deadline-other-paper' | 'deadline-silent' | 'deadline-tight' | 'deadline-too-late' | 'deadline-past' | 'deadline-far' | 'deadline-no-time' | 'deadline-no-subject' | 'deadline-no-entry' | 'deadline-step-order' | 'deadline-step-frame' | 'deadline-withdrawn' | 'deadline-settled' | 'deadline-receiver-gone' | 'deadline-receiver-unknown' | 'deadline-due' | 'deadline-later' | 'deadline-nearer' | 'deadline-new' | 'deadline-withdraw-other' | 'deadlines-many' | 'album-source-away' | 'album-source-status' | 'album-source-busy' | 'album-source-denied' | 'album-source-gone' | 'album-source-unreadable' | 'album-source-listing-cut' | 'album-source-listing-repeats' | 'album-source-too-large' | 'album-source-picture-gone' | 'album-source-listing-more' | 'album-source-right-missing' | 'album-source-search-refused' | 'album-source-no-smart-search' | 'album-source-not-immich' | 'album-source-link-cut' | 'album-source-link-ended' | 'album-source-link-password' | 'album-source-not-icloud' | 'album-source-icloud-private' | 'album-source-icloud-host' | 'album-source-no-webdav' | 'album-source-answer-cut' | 'album-source-other-host' | 'album-source-file-too-large' | 'album-source-folder-away' | 'album-source-folder-closed' | 'album-source-folder-outside' | 'album-source-folder-removed' | 'album-source-no-pictures' | 'album-source-folder-unknown' | 'album-source-key-missing' | 'album-source-mailbox-unreadable' | 'album-source-mailbox-oauth' | 'album-source-mailbox-plain' | 'album-source-mailbox-denied' | 'album-source-mailbox-away' | 'album-source-mailbox-folder' | 'album-source-mail-automatic' | 'album-source-mail-own' | 'album-source-mail-address' | 'album-source-mail-sender-unclear' | 'album-source-mail-sender-unknown' | 'album-source-mail-sender-unproven' | 'album-source-mail-refused' | 'album-source-mail-broken' | 'album-source-mail-empty' | 'album-source-left-out-video' | 'album-source-left-out-animation' | 'album-source-left-out-winmail' | 'album-source-left-out-type' | 'album-source-left-out-bytes' | 'album-source-left-out-mail-bytes' | 'album-source-left-out-count' | 'album-source-bot-other-poller' | 'album-source-bot-denied' | 'album-source-left-out-small' | 'album-source-left-out-full' | 'album-source-post-ended' | 'album-source-bot-file-gone' | 'album-source-change' | 'many-invited-senders' | 'many-admitted-chats' | 'no-picture-mailbox' | 'no-picture-bot' | 'many-sources'; parameters?: { [name: string]: string | number }; sentence: string };
  Device: { id: string; name: string; serialNumber?: string; status: 'online' | 'offline' | 'error'; deviceId: string | null; kind: string | null; organization: string; patient: string | null; paper: string | null; meta: { [name: string]: unknown }; simulated: boolean; createdAt: string; updatedAt: string; deviceStatus: { [name: string]: unknown }; iotDevice: { [name: string]: unknown }; shadow: { [name: string]: unknown }; intake?: { [name: string]: unknown }; payment?: { [name: string]: unknown }; alarmEnable?: number; takeOffsetTime?: number; deadlines?: readonly Schemas['DueOnDevice'][]; loadedAt: string };
  DueOnDevice: { deadline: string; name: string; paper: string | null; by: string; state: 'planned' | 'at-risk' | 'unavoidable' | 'met' | 'shown-unproven' | 'missed' | 'met-late'; cause: string | null };
  FrameCredentials: { serial: string; key: string; certificate: string; ca: string; password: string | null; expiresAt: string };
  ListedDevice: { id: string; name: string; serialNumber?: string; status: 'online' | 'offline' | 'error'; deviceId: string | null; kind: string | null; organization: string; patient: string | null; paper: string | null; meta: { [name: string]: unknown }; simulated: boolean; createdAt: string; updatedAt: string };
  TimedPicture: { id: string; paper: string | null; device: string | null; state: 'waiting' | 'showing' | 'interrupted' | 'done' | 'cancelled' | 'replaced' | 'missed' | 'failed'; message: string; showFrom: string; showUntil: string | null; author: string; createdAt: string; url: string | null; frames: readonly ({ deviceId: string; name: string; expectedAt: string | null; isMissed: boolean })[] };
  Viewers: readonly ({ userId: string; name: string; role: 'admin' | 'user' | 'patient' | 'onlyself'; isPatient: boolean })[];
  Paper: { id: string; title: string; author: string; kind: Schemas['PaperKind'] | string; organization: string; deviceId: string | null; name?: string; draft: boolean; devicePaperId?: string; meta: unknown; createdAt: string; updatedAt: string; imageUpdatedAt?: string; sourcesAwaySince?: string; waitsForPicture?: true; waitingMails?: number };
  PaperKind: 'image' | 'printer' | 'website' | 'plugin' | 'remote' | 'recipe' | 'calendar' | 'slides' | 'album' | 'playlist' | 'board' | 'text' | 'testcard';
  CreatedPaper: { id: string; title: string; author: string; kind: Schemas['PaperKind'] | string; organization: string; deviceId: string | null; name?: string; draft: boolean; devicePaperId?: string; meta: unknown; createdAt: string; updatedAt: string; imageUpdatedAt?: string; sourcesAwaySince?: string; waitsForPicture?: true; waitingMails?: number; deviceShows: string | null; hint?: string };
  GuestLink: { id: string; name: string; state: 'active' | 'expired' | 'revoked' | 'used-up'; showsResult: boolean; maxPictures: number | null; used: number; usedAt: string | null; createdAt: string; endsAt: string | null };
  AddressLogin: { id: string; origin: string; header: string; storageKey?: string; isSet: true; setAt: string };
  AlbumSource: { id: string; kind: string; place: string; title: string; addedBy: string; createdAt: string; pictures: number; leftOut: { [name: string]: number }; failed: number; listedAt: string | null; nextAt: string; state: 'new' | 'ok' | 'doubtful' | 'away' | 'denied' | 'gone' | 'unusable'; since: string | null; problem?: string; problems?: readonly Schemas['Sentence'][] };
  AlbumSourceWithNames: { id: string; kind: string; place: string; title: string; addedBy: string; createdAt: string; pictures: number; leftOut: { [name: string]: number }; failed: number; listedAt: string | null; nextAt: string; state: 'new' | 'ok' | 'doubtful' | 'away' | 'denied' | 'gone' | 'unusable'; since: string | null; problem?: string; problems?: readonly Schemas['Sentence'][]; leftOutNames: { [name: string]: readonly string[] }; failedPictures: readonly ({ name: string; failedAt: string; problem?: string; problems?: readonly Schemas['Sentence'][] })[] };
  AlbumPost: { mailbox: { address: string | null; state: 'starting' | 'connected' | 'away' | 'denied'; since: string | null; problem?: string; problems?: readonly Schemas['Sentence'][] } | null; bot: { name: string | null; state: 'starting' | 'connected' | 'away' | 'stopped'; since: string | null; problem?: string; problems?: readonly Schemas['Sentence'][] } | null; senders: readonly Schemas['InvitedSender'][]; waiting: readonly Schemas['WaitingMail'][]; chats: readonly Schemas['AdmittedChat'][] };
  InvitedSender: { id: string; address: string; name: string; createdAt: string; lastAt: string | null; pictures: number };
  WaitingMail: { id: string; sender: string; subject: string; files: number; arrivedAt: string; problem: string; problems?: readonly Schemas['Sentence'][] };
  AdmittedChat: { id: string; title: string; isGroup: boolean; createdAt: string; lastAt: string | null; pictures: number };
  ListedRecipe: { id: string; name: string; description: string; category: string; rooms: readonly ('family' | 'office' | 'shop')[]; texts: { [name: string]: { [name: string]: string } }; picture: string | null; strategy: 'polling' | 'static' | 'webhook'; everyMinutes: number; source: { kind: 'own' | 'archive' | 'repository' | 'catalogue' | 'written'; from: string; licence: string }; updatedAt: string | null };
  Recipe: { id: string; name: string; description: string; category: string; rooms: readonly ('family' | 'office' | 'shop')[]; texts: { [name: string]: { [name: string]: string } }; picture: string | null; strategy: 'polling' | 'static' | 'webhook'; everyMinutes: number; source: { kind: 'own' | 'archive' | 'repository' | 'catalogue' | 'written'; from: string; licence: string }; updatedAt: string | null; fields: readonly Schemas['RecipeField'][]; addresses: string; isPost: boolean; headers: string; body: string; data: string; views: { [name: string]: string }; transform: string | null };
  RecipeField: { key: string; input: 'text' | 'lines' | 'address' | 'code' | 'secret' | 'date' | 'time' | 'zone' | 'number' | 'switch' | 'choice' | 'choices' | 'list' | 'place' | 'search' | 'shown'; name: string; description: string; placeholder: string; isRequired: boolean; initial: string | readonly string[]; options: readonly ({ label: string; value: string; labels: { [name: string]: string } })[]; lookup: { takesText: boolean; dependsOn: readonly string[] } | null; bounds: { min?: number; max?: number; step?: number; maxLength?: number }; hides: readonly ({ when: string; hidden: readonly string[] })[]; texts: { [name: string]: { [name: string]: string } } };
  RecipeData: { polledAt: string | null; changedAt: string | null; sources: readonly ({ host: string; paper: { id: string; title: string } | null; answeredAt: string | null; failingSince: string | null; problems: readonly Schemas['Sentence'][] })[]; data: unknown; failed: string | null; address: string | null };
  Job: { id: string; name: string; kind: 'paper' | 'settings' | 'place' | 'picture' | 'firmware'; paper: string | null; group: string | null; state: 'running' | 'paused' | 'finished' | 'cancelled' | 'undoing' | 'undone' | 'failed'; reason: string | null; reasons?: readonly Schemas['Sentence'][]; author: string; rules: { perMinute: number | null; growth: { steps: readonly number[]; provenPercent: number } | null; stopPercent: number | null; proofHours: number }; total: number; handed: number; skipped: number; frames: { queued: number; given: number; proven: number; failed: number; left: number; 'rolled-back': number; kept: number }; isOver: boolean; createdAt: string; changedAt: string; endedAt: string | null };
  JobFrame: { deviceId: string; name: string; position: number; state: 'queued' | 'given' | 'proven' | 'failed' | 'left' | 'rolled-back' | 'kept'; skipped: boolean; reason: string | null; reasons?: readonly Schemas['Sentence'][]; givenAt: string | null; provenAt: string | null; changedAt: string };
  Group: { id: string; name: string; place: { building?: string; floor?: string; room?: string } | null; tag: string | null; groups: readonly string[] | null; paper: string | null; settings: { [name: string]: unknown } | null; frames: number; author: string; jobs?: readonly string[]; createdAt: string; changedAt: string };
  Deadline: { id: string; organization: string; name: string; paper: string | null; timedPicture: string | null; entry: string | null; onePicture: boolean; devices: readonly string[] | null; places: readonly ({ building?: string; floor?: string; room?: string })[] | null; by: string | null; rule: { weekdays: readonly number[]; time: string } | null; timeZone: string; freshMinutes: number | null; grade: 'processed' | 'reported' | 'named'; steps: readonly ({ when: { state: 'at-risk' | 'unavoidable' | 'missed' } | { minutesBefore: number } | { minutesAfter: number } | { minutesLater: number }; to: { channels: 'all' } | { channel: string } | { person: string } | { device: string }; urgent: boolean })[]; language: string; author: string; createdAt: string; updatedAt: string; withdrawnAt: string | null; nextBy: string | null; due: readonly Schemas['DueDeadline'][] };
  DueDeadline: { id: string; deadline: string; name: string; paper: string | null; device: string | null; deviceName: string; place: { building: string | null; floor: string | null; room: string | null } | null; by: string; state: 'planned' | 'at-risk' | 'unavoidable' | 'met' | 'shown-unproven' | 'missed' | 'met-late'; since: string; cause: string | null; causes?: readonly Schemas['Sentence'][]; waysOut: readonly ('press-button' | 'other-frame' | 'charge' | 'choose-paper' | 'mend-picture' | 'bind-frame' | 'set-up-frame' | 'lower-grade')[]; expectedWakeAt: string | null; provenAt: string | null; grade: string | null; willMissAt: string | null; foreseeable: boolean | null; acknowledgedAt: string | null; acknowledgedBy: string | null; acknowledgedUntil: string | null; told: readonly ({ kind: 'channel' | 'person' | 'frame'; id: string; name: string; state: 'planned' | 'at-risk' | 'unavoidable' | 'met' | 'shown-unproven' | 'missed' | 'met-late'; at: string; sentAt: string | null; problem: string | null })[]; events: readonly ({ kind: 'deadline.at-risk' | 'deadline.will-miss' | 'deadline.met' | 'deadline.unproven' | 'deadline.missed' | 'deadline.met-late'; at: string })[] };
  DraftableKind: 'website' | 'remote' | 'recipe' | 'calendar' | 'slides' | 'playlist' | 'board' | 'text' | 'testcard';
  ConnectionStatus: { paperId: string; name: string; state: 'empty' | 'receiving' | 'accepted' | 'active' | 'superseded' | 'closed' | 'revoked'; messageId?: string; deliveries: readonly ({ deviceId: string; frameName: string; state: 'pending' | 'prepared' | 'synced' | 'superseded' | 'inactive' | 'failed' | 'unconfirmed'; since: string; evidence?: { level: 'not offered' | 'offered' | 'announced' | 'fetched' | 'reported shown' | 'confirmed'; grade?: 'offered' | 'fetched' | 'processed' | 'reported' | 'named'; offeredAt?: string; announcedAt?: string; fetchedAt?: string; shownAt?: string; confirmedAt?: string; missing?: readonly ('the picture was offered to the frame' | 'the frame says its picture is in step' | 'the frame reports this newer version' | 'announced, fetched and reported in that order' | 'the frame was in contact after it fetched' | 'the newest upload of this frame carries this content' | 'every byte was fetched' | 'the digest on the glass is this picture' | 'no other frame claims this identity')[] }; expectedAt?: string; overdue?: true; reason?: string; reasons?: readonly Schemas['Sentence'][] })[] };
  SentCallback: { eventId: string; connectionId: string; requestId: string; messageId: string; state: 'available' | 'superseded' | 'unconfirmed' | 'prepared' | 'synced' | 'inactive' | 'failed'; deviceId?: string; frameName?: string; occurredAt: string; outcome: 'waiting' | 'delivered' | 'dropped'; attempts: readonly ({ at: string; tookMs: number; status?: number; problem?: string; problems?: readonly Schemas['Sentence'][] })[]; attemptCount: number; nextAttemptAt?: string; deliveredAt?: string; problem?: string; problems?: readonly Schemas['Sentence'][] };
  ListedEvents: { events: readonly (Schemas['FrameCallback'] | Schemas['PaperCallback'])[]; next?: string; more: boolean };
  FrameCallback: { eventId: string; connectionId: string; paperId: string; requestId: string; messageId: string; state: 'prepared' | 'synced' | 'superseded' | 'inactive' | 'failed' | 'unconfirmed'; deviceId: string; frameName: string; grade?: 'offered' | 'fetched' | 'processed' | 'reported' | 'named'; dataAt?: string; occurredAt: string };
  PaperCallback: { eventId: string; connectionId: string; paperId: string; requestId: string; messageId: string; state: 'available' | 'superseded' | 'unconfirmed'; occurredAt: string };
  Rollout: { id: string; kind: string; dialect: 'native' | 'classic'; version: string; isOwn: boolean; state: 'running' | 'paused' | 'finished' | 'superseded'; reason: string | null; reasons?: readonly Schemas['Sentence'][]; target: number | null; offered: number; started: number; updated: number; lost: number; createdAt: string; changedAt: string };
  Record: { keepYears: number; publicKeys: readonly ({ key: string; since: string })[]; level: { target: number; pictures: number; inTime: number; budget: number; isBurning: boolean } };
  WallInterval: { id: string; serial: string; deviceId: string; frameName: string; title: string | null; sender: string | null; paperId: string | null; uploadId: string; isKept: boolean; picture: string; grade: 'offered' | 'fetched' | 'processed' | 'reported' | 'named'; since: string; until: string | null; ended: 'replaced' | 'uncertain' | 'left' | null };
  AlertChannel: { id: string; kind: 'mail' | 'webhook' | 'ntfy'; name: string; isOn: boolean; recipients?: readonly string[]; url?: string; topic?: string; kinds: readonly ('frame-silent' | 'battery-low' | 'credentials-ending' | 'picture-failing' | 'data-old' | 'callbacks-failing' | 'rollout-paused' | 'pictures-late' | 'job-paused')[] | null; places: readonly ({ building?: string; floor?: string; room?: string })[] | null; digest: 'immediately' | 'hourly' | 'daily'; quietHours: { from: string; until: string } | null; timeZone: string; language: 'en' | 'de' | 'fr' | 'es' | 'it' | 'nl' | 'pl' | 'pt'; hourlyLimit: number; hasSecret: boolean; createdAt: string; updatedAt: string; state: 'untried' | 'working' | 'failing' | 'off'; waiting: number; nextAt: string | null; lastSentAt: string | null; failingSince: string | null; lastError: string | null; lastErrors?: readonly Schemas['Sentence'][] };
  Outage: { id: string; kind: 'frame-silent' | 'battery-low' | 'credentials-ending' | 'picture-failing' | 'data-old' | 'callbacks-failing' | 'rollout-paused' | 'pictures-late' | 'job-paused'; subject: string; name: string; since: string; endedAt: string | null };
}

/** Each call by its method and path. */
export interface Calls {
  'POST /organizations/': {
    body: { kind: string; name?: string | undefined; email?: string | undefined; meta?: { [name: string]: unknown } | undefined };
    answer: Schemas['Organization'];
  };
  'GET /organizations/': {
    answer: readonly Schemas['Organization'][];
  };
  'GET /organizations/{organizationId}': {
    path: { organizationId: string };
    answer: Schemas['Organization'];
  };
  'PATCH /organizations/{organizationId}': {
    path: { organizationId: string };
    body: { organization: string; name?: string | undefined; kind?: string | undefined; meta?: { [name: string]: unknown } | undefined };
    answer: Schemas['Organization'];
  };
  'POST /organizations/{organizationId}': {
    path: { organizationId: string };
    body: { organization: string; name?: string | undefined; kind?: string | undefined; meta?: { [name: string]: unknown } | undefined };
    answer: Schemas['Organization'];
  };
  'DELETE /organizations/{organizationId}': {
    path: { organizationId: string };
    answer: Schemas['Organization'];
  };
  'GET /users/': {
    query: { name?: string | undefined; role?: string | undefined; sortBy?: string | undefined; search?: string | undefined; limit?: number | undefined; offset?: number | '' | 'null' | undefined; page?: number | undefined; organization: string };
    answer: readonly Schemas['User'][];
  };
  'POST /users/': {
    body: { organization: string; role?: 'admin' | 'user' | 'patient' | 'onlyself' | undefined; email?: string | null | undefined; name?: string | undefined; category?: 'doctor' | 'nurse' | 'patient' | 'pharmacist' | 'relative' | undefined; timezone?: string | undefined; avatar?: string | undefined; meta?: { [name: string]: unknown } | undefined; devices?: readonly string[] | undefined; papers?: readonly string[] | undefined };
    answer: Schemas['User'];
  };
  'POST /users/invitation': {
    body: { inviteCode: string };
    answer: { role: 'admin' | 'user' | 'patient' | 'onlyself'; email?: string; organization: { id: string; name: string } };
  };
  'POST /users/join': {
    body: { inviteCode: string };
    answer: Schemas['User'];
  };
  'GET /usersnnn/{userId}': {
    path: { userId: string };
    answer: Schemas['TemplateUser'];
  };
  'GET /users/{userId}': {
    path: { userId: string };
    answer: readonly ({ id: string; name: string; email: string; role: 'admin' | 'user' | 'patient' | 'onlyself'; category?: 'doctor' | 'nurse' | 'patient' | 'pharmacist' | 'relative'; organization: string; timezone?: string; avatar?: string; meta: { [name: string]: unknown }; status?: 'invited' | 'accepted'; accountId?: string; inviteCode?: string; createdAt: string; updatedAt: string; age: number })[] | undefined;
  };
  'POST /users/{userId}': {
    path: { userId: string };
    body: { name?: string | undefined; timezone?: string | undefined; avatar?: string | undefined; meta?: { [name: string]: unknown } | undefined; category?: 'doctor' | 'nurse' | 'patient' | 'pharmacist' | 'relative' | undefined; email?: string | null | undefined; role?: 'admin' | 'user' | 'patient' | 'onlyself' | undefined; inviteCode?: string | null | undefined; organization?: string | undefined } | undefined;
    answer: Schemas['User'];
  };
  'PATCH /users/{userId}': {
    path: { userId: string };
    body: { name?: string | undefined; timezone?: string | undefined; avatar?: string | undefined; meta?: { [name: string]: unknown } | undefined; category?: 'doctor' | 'nurse' | 'patient' | 'pharmacist' | 'relative' | undefined; email?: string | null | undefined; role?: 'admin' | 'user' | 'patient' | 'onlyself' | undefined; inviteCode?: string | null | undefined; organization?: string | undefined } | undefined;
    answer: Schemas['User'];
  };
  'DELETE /users/{userId}': {
    path: { userId: string };
    answer: { success: boolean };
  };
  'GET /users/{userId}/links': {
    path: { userId: string };
    answer: Schemas['Links'];
  };
  'POST /users/{userId}/links': {
    path: { userId: string };
    body: { devices?: readonly string[] | undefined; papers?: readonly string[] | undefined; sees?: boolean | undefined } | undefined;
    answer: Schemas['Links'];
  };
  'GET /accounts/{accountId}': {
    path: { accountId: string };
    answer: Schemas['Account'];
  };
  'PATCH /accounts/{accountId}': {
    path: { accountId: string };
    body: { firstName?: string | null | undefined; lastName?: string | null | undefined; meta?: { [name: string]: unknown } | undefined } | undefined;
    answer: Schemas['Account'];
  };
  'DELETE /accounts/{accountId}': {
    path: { accountId: string };
    answer: { success: boolean };
  };
  'POST /tokens/': {
    body: { name: string };
    answer: { id: string; name: string; createdAt: string; raw: string };
  };
  'GET /tokens/': {
    answer: readonly Schemas['ApiKey'][];
  };
  'GET /tokens/{tokenId}': {
    path: { tokenId: string };
    answer: Schemas['ApiKey'];
  };
  'DELETE /tokens/{tokenId}': {
    path: { tokenId: string };
    answer: undefined;
  };
  'GET /sessions/ways': {
    answer: { firstRun: boolean; provider: { name: string } | null; mail: boolean };
  };
  'GET /sessions/provider': {
    query: { stays?: '1' | undefined };
    answer: undefined;
  };
  'GET /sessions/provider/return': {
    query: { code?: string | undefined; state?: string | undefined; error?: string | undefined; iss?: string | undefined };
    answer: undefined;
  };
  'POST /sessions/': {
    body: { code?: string | undefined; apiKey?: string | undefined; inviteCode?: string | undefined; organizationName?: string | undefined; name?: string | undefined; email?: string | undefined; stays?: boolean | undefined } | undefined;
    answer: Schemas['Session'];
  };
  'GET /sessions/': {
    answer: readonly Schemas['Session'][];
  };
  'POST /sessions/invitation': {
    body: { inviteCode: string };
    answer: { organization: { name: string } };
  };
  'GET /sessions/current': {
    answer: Schemas['WhoAmI'];
  };
  'PATCH /sessions/current': {
    body: { stays: boolean };
    answer: Schemas['Session'];
  };
  'DELETE /sessions/current': {
    answer: undefined;
  };
  'DELETE /sessions/{sessionId}': {
    path: { sessionId: string };
    answer: undefined;
  };
  'POST /sessions/passkey/challenge': {
    answer: { challenge: string; [name: string]: unknown };
  };
  'POST /sessions/passkey': {
    body: { response: { id: string; rawId: string; type: 'public-key'; response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | undefined } }; stays?: boolean | undefined };
    answer: Schemas['Session'];
  };
  'GET /passkeys/': {
    answer: readonly Schemas['Passkey'][];
  };
  'POST /passkeys/': {
    body: { name: string; response: { id: string; rawId: string; type: 'public-key'; response: { clientDataJSON: string; attestationObject: string; transports?: readonly string[] | undefined } } };
    answer: Schemas['Passkey'];
  };
  'POST /passkeys/challenge': {
    answer: { challenge: string; [name: string]: unknown };
  };
  'PATCH /passkeys/{passkeyId}': {
    path: { passkeyId: string };
    body: { name: string };
    answer: undefined;
  };
  'DELETE /passkeys/{passkeyId}': {
    path: { passkeyId: string };
    answer: undefined;
  };
  'POST /users/{userId}/sign-in-link': {
    path: { userId: string };
    answer: { url: string; endsAt: string };
  };
  'GET /sessions/links/': {
    answer: readonly Schemas['SignInLink'][];
  };
  'DELETE /sessions/links/{linkId}': {
    path: { linkId: string };
    answer: undefined;
  };
  'POST /sessions/link/look': {
    body: { code: string };
    answer: { firstRun: boolean; organization?: string; name?: string };
  };
  'POST /sessions/link': {
    body: { code: string; stays?: boolean | undefined };
    answer: Schemas['Session'];
  };
  'POST /sessions/mail': {
    body: { email: string; language?: string | undefined };
    answer: { minutes: number };
  };
  'POST /sessions/pairings/': {
    answer: { id: string; state: 'open' | 'scanned' | 'confirmed' | 'done' | 'refused'; browser: string | null; choices: readonly number[]; endsAt: string; url: string };
  };
  'GET /sessions/pairings/{pairingId}': {
    path: { pairingId: string };
    answer: Schemas['Pairing'];
  };
  'DELETE /sessions/pairings/{pairingId}': {
    path: { pairingId: string };
    answer: undefined;
  };
  'POST /sessions/pairings/{pairingId}/confirm': {
    path: { pairingId: string };
    body: { number: number };
    answer: { isRight: boolean };
  };
  'POST /sessions/pairing/scan': {
    body: { code: string };
    answer: { ticket: string; number: number; endsAt: string };
  };
  'POST /sessions/pairing': {
    body: { ticket: string; stays?: boolean | undefined };
    answer: { isSignedIn: boolean };
  };
  'GET /organizations/{organizationId}/audit/': {
    path: { organizationId: string };
    query: { userId?: string | undefined; action?: 'organization.created' | 'organization.changed' | 'user.added' | 'user.changed' | 'user.removed' | 'user.joined' | 'user.linked' | 'account.created' | 'account.changed' | 'account.ended' | 'key.made' | 'key.ended' | 'session.started' | 'session.refused' | 'session.changed' | 'session.ended' | 'pairing.refused' | 'passkey.added' | 'passkey.blocked' | 'passkey.removed' | 'passkey.renamed' | 'sign-in-link.made' | 'device.created' | 'device.changed' | 'device.removed' | 'device.registered' | 'device.released' | 'device.adopted' | 'device.pressed' | 'device.provisioned' | 'organization.adopts' | 'device.uploaded' | 'device.shown-again' | 'device.website' | 'device.image-changed' | 'device.rebooted' | 'device.reset' | 'device.simulated' | 'device.identified' | 'device.restored' | 'credential.made' | 'credential.renewed' | 'credential.revoked' | 'recipe.added' | 'recipe.changed' | 'recipe.removed' | 'paper.created' | 'paper.changed' | 'paper.removed' | 'paper.uploaded' | 'paper.upload-taken-back' | 'paper.ordered' | 'paper.picture-removed' | 'guest-link.made' | 'guest-link.revoked' | 'album-source.added' | 'album-source.changed' | 'album-source.listed' | 'album-source.removed' | 'album-address.made' | 'album-address.ended' | 'album-sender.invited' | 'album-sender.removed' | 'album-mail.decided' | 'album-code.made' | 'album-chat.removed' | 'login.set' | 'login.forgotten' | 'picture.cancelled' | 'connection.granted' | 'connection.made' | 'connection.ended' | 'callback.repeated' | 'firmware.offered' | 'firmware.paused' | 'firmware.resumed' | 'group.made' | 'group.changed' | 'group.removed' | 'job.made' | 'job.paused' | 'job.resumed' | 'job.cancelled' | 'job.undone' | 'alert-channel.made' | 'alert-channel.changed' | 'alert-channel.removed' | 'alert-channel.tested' | 'record.changed' | 'record.words-forgotten' | 'deadline.made' | 'deadline.changed' | 'deadline.withdrawn' | 'deadline.acknowledged' | undefined; kind?: 'organization' | 'user' | 'account' | 'key' | 'session' | 'passkey' | 'device' | 'paper' | 'picture' | 'connection' | 'rollout' | 'channel' | 'job' | 'group' | 'deadline' | undefined; objectId?: string | undefined; from?: string | undefined; until?: string | undefined; before?: string | undefined; limit?: number | undefined };
    answer: { entries: readonly Schemas['AuditEntry'][]; next: string | null };
  };
  'GET /devices/overview': {
    query: { organization?: string | undefined; ids?: string | undefined; after?: string | undefined; limit?: number | undefined };
    answer: readonly Schemas['DeviceOverview'][];
  };
  'GET /devices/kinds': {
    answer: readonly ({ kind: string; title: string; width: number; height: number })[];
  };
  'POST /devices/provision/{serial}': {
    path: { serial: string };
    body: { organization: string; kind?: string | undefined; password?: boolean | undefined; paper?: string | null | undefined };
    answer: { device: Schemas['Device']; credentials: Schemas['FrameCredentials'] };
  };
  'GET /devices/addresses': {
    answer: { pages: string; polled: string; broker: { host: string; port: number } };
  };
  'GET /devices/waiting': {
    query: { organization: string };
    answer: readonly ({ address: string; serial: string; model: string | null; firmware: string | null; kind: string | null; width: number | null; height: number | null; firstAskedAt: string; lastAskedAt: string; asks: number; asker: string; from: string | null; hasKey: boolean; others: number; device: string | null })[];
  };
  'POST /devices/adopt/{address}': {
    path: { address: string };
    body: { organization: string; kind?: string | undefined; paper?: string | null | undefined; asker?: string | undefined };
    answer: Schemas['Device'];
  };
  'GET /devices/adoption-window': {
    query: { organization: string };
    answer: { until: string | null; adopted: number; most: number; baseAddress: string };
  };
  'PUT /devices/adoption-window': {
    body: { organization: string; minutes: number };
    answer: { until: string | null; adopted: number; most: number; baseAddress: string };
  };
  'POST /devices/plain/{name}': {
    path: { name: string };
    body: { organization: string; paper?: string | null | undefined; kind: string };
    answer: { device: Schemas['Device']; serial: string; address: string; header: string; key: string };
  };
  'POST /devices/offline/{name}': {
    path: { name: string };
    body: { organization: string; paper?: string | null | undefined; kind: 'offline7' | 'offline13' };
    answer: { device: Schemas['Device']; serial: string; address: string; user: string; password: string; settingsAddress: string };
  };
  'GET /devices/simulated': {
    query: { organization: string };
    answer: { isOffered: boolean; left: number; kinds: readonly ({ kind: 'epd7' | 'openpaper13' | 'trmnl4'; title: string; width: number; height: number; polls: boolean })[] };
  };
  'POST /devices/simulated': {
    body: { organization: string; kind: 'epd7' | 'openpaper13' | 'trmnl4'; name: string; paper?: string | null | undefined };
    answer: Schemas['Device'];
  };
  'POST /devices/simulated/{deviceId}/button': {
    path: { deviceId: string };
    answer: { success: boolean };
  };
  'GET /devices/': {
    query: { name?: string | undefined; role?: string | undefined; sortBy?: string | undefined; search?: string | undefined; limit?: number | undefined; offset?: number | '' | 'null' | undefined; page?: number | undefined; organization?: string | undefined; patient?: string | undefined; status?: 'online' | 'offline' | 'error' | undefined };
    answer: readonly Schemas['ListedDevice'][];
  };
  'POST /devices/': {
    body: { organization: string; kind?: string | undefined; patient?: string | null | undefined; paper?: string | null | undefined };
    answer: Schemas['Device'];
  };
  'GET /devices/{deviceId}': {
    path: { deviceId: string };
    answer: Schemas['Device'];
  };
  'POST /devices/{deviceId}': {
    path: { deviceId: string };
    body: { intake?: { [name: string]: unknown } | undefined; meta?: { updateSchedule?: { enabled?: boolean | null | undefined; timezone?: string | null | undefined; windows?: readonly ({ startsAt?: string | null | undefined; durationMinutes: number; repeat?: 'none' | 'daily' | 'weekly' | 'monthly' | null | undefined; rrule?: string | null | undefined; [name: string]: unknown })[] | null | undefined; [name: string]: unknown } | null | undefined; place?: { building?: string | null | undefined; floor?: string | null | undefined; room?: string | null | undefined; [name: string]: unknown } | null | undefined; tags?: readonly string[] | null | undefined; [name: string]: unknown } | undefined; organization?: string | undefined; patient?: string | null | undefined; paper?: string | null | undefined; kind?: string | undefined; deviceId?: string | undefined; alarmEnable?: number | undefined; takeOffsetTime?: number | undefined; iotDevice?: { [name: string]: unknown } | undefined; payment?: { [name: string]: unknown } | undefined } | undefined;
    answer: Schemas['Device'];
  };
  'DELETE /devices/{deviceId}': {
    path: { deviceId: string };
    answer: Schemas['Device'];
  };
  'POST /devices/registerdevice/{serial}': {
    path: { serial: string };
    body: { enable: boolean; organization: string; patient?: string | null | undefined; paper?: string | null | undefined };
    answer: { activation_status: 'pending' | 'device_confirmed' | 'success' | 'reset' | 'timeout' | 'error'; activated: boolean; device: Schemas['Device'] };
  };
  'GET /devices/ping/{deviceId}': {
    path: { deviceId: string };
    query: { dataResponse: string };
    answer: { success: boolean; reachable: boolean; state: 'awake' | 'silent' | 'sleeping' | 'overdue' | 'unknown' | 'no-frame'; roundTripMs?: number; lastReachableAt: string | null; expectedWakeAt: string | null; data?: { [name: string]: unknown } };
  };
  'POST /devices/reboot/{deviceId}': {
    path: { deviceId: string };
    answer: { success: boolean; message: string; state: 'delivered' | 'queued' | 'refused' | 'no-frame'; commandId?: string; expectedAt: string | null };
  };
  'POST /devices/identify/{deviceId}': {
    path: { deviceId: string };
    answer: { success: boolean; message: string; state: 'delivered' | 'queued' | 'refused' | 'no-frame'; commandId?: string; expectedAt: string | null };
  };
  'POST /devices/reset/{deviceId}': {
    path: { deviceId: string };
    answer: { success: boolean; message: string; state: 'delivered' | 'queued' | 'refused' | 'no-frame'; commandId?: string; expectedAt: string | null };
  };
  'GET /devices/events/{deviceId}': {
    path: { deviceId: string };
    query: { DateStart: string; DateEnd: string; TypeFilter?: string | undefined };
    answer: readonly ({ id: string; deviceId: string; type: 'connect' | 'disconnect' | 'hello' | 'activate' | 'state' | 'picture' | 'command' | 'settings' | 'battery' | 'log' | 'firmware' | 'alert'; payload: { [name: string]: unknown }; problems?: readonly Schemas['Sentence'][]; remedies?: readonly Schemas['Sentence'][]; timestamp: string })[];
  };
  'GET /iotdevice/events/{deviceId}': {
    path: { deviceId: string };
    query: { DateStart: string; DateEnd: string; TypeFilter?: string | undefined };
    answer: readonly ({ deviceId: string; type: 'connect' | 'disconnect' | 'hello' | 'activate' | 'state' | 'picture' | 'command' | 'settings' | 'battery' | 'log' | 'firmware' | 'alert'; payload: { [name: string]: unknown }; problems?: readonly Schemas['Sentence'][]; remedies?: readonly Schemas['Sentence'][]; timestamp: string; eventId: string })[];
  };
  'GET /devices/image/{deviceId}/{uuid}': {
    path: { deviceId: string; uuid: string };
    query: { colours?: 'measured' | 'nominal' | undefined };
    answer: { url: string };
  };
  'POST /devices/updateSingleImageMeta/{deviceId}': {
    path: { deviceId: string };
    body: { meta: { [name: string]: unknown }; uuid: string };
    answer: { deviceMeta: { uuid: string; meta: { [name: string]: unknown }; createdAt: string; updatedAt: string }; deviceUpdate: Schemas['Device']; iotUpload: { skippedUpload: boolean; reason: 'device-frame-uploaded' | 'force-upload' | 'similarity-threshold-met' | 'iot-upload-url-missing' | 'iot-upload-failed' | 'upload-processing-failed' | 'upload-waits'; message?: string; similarityPercentage: number | null; uploadAttemptId: string; key: string } | null; url: string; timed?: Schemas['TimedPicture']; deadline?: { id: string; by: string; frames: readonly ({ device: string | null; state: 'planned' | 'at-risk' | 'unavoidable' | 'met' | 'shown-unproven' | 'missed' | 'met-late'; cause: string | null })[] }; remark?: string; remarks?: readonly Schemas['Sentence'][] };
  };
  'POST /devices/uploadSingleImage/{deviceId}': {
    path: { deviceId: string };
    query: { messageId?: string | undefined };
    form: { picture?: readonly Blob[] | undefined; pictureDevice?: Blob | undefined; uuid?: '' | string | undefined; forceUpload?: string | undefined; showFrom?: string | undefined; showUntil?: string | undefined; deadline?: string | undefined };
    answer: { deviceMeta: { uuid: string; meta: { [name: string]: unknown }; createdAt: string; updatedAt: string }; deviceUpdate: Schemas['Device']; iotUpload: { skippedUpload: boolean; reason: 'device-frame-uploaded' | 'force-upload' | 'similarity-threshold-met' | 'iot-upload-url-missing' | 'iot-upload-failed' | 'upload-processing-failed' | 'upload-waits'; message?: string; similarityPercentage: number | null; uploadAttemptId: string; key: string } | null; url: string; timed?: Schemas['TimedPicture']; deadline?: { id: string; by: string; frames: readonly ({ device: string | null; state: 'planned' | 'at-risk' | 'unavoidable' | 'met' | 'shown-unproven' | 'missed' | 'met-late'; cause: string | null })[] }; remark?: string; remarks?: readonly Schemas['Sentence'][] };
  };
  'POST /devices/{deviceId}/show-again': {
    path: { deviceId: string };
    body: { uploadId: string; insteadOf?: string | undefined; exactly?: boolean | undefined };
    answer: Schemas['Device'];
  };
  'POST /devices/updateSingleImageFromWebsite/{deviceId}': {
    path: { deviceId: string };
    body: { url: string; orientation?: 'portrait' | 'landscape' | undefined; uuid?: string | undefined; css?: string | undefined; waitFor?: number | string | undefined; clickFirst?: string | undefined; cutOut?: string | undefined };
    answer: { deviceMeta: { uuid: string; meta: { [name: string]: unknown }; createdAt: string; updatedAt: string }; deviceUpdate: Schemas['Device']; iotUpload: { skippedUpload: boolean; reason: 'device-frame-uploaded' | 'force-upload' | 'similarity-threshold-met' | 'iot-upload-url-missing' | 'iot-upload-failed' | 'upload-processing-failed' | 'upload-waits'; message?: string; similarityPercentage: number | null; uploadAttemptId: string; key: string } | null; url: string; timed?: Schemas['TimedPicture']; deadline?: { id: string; by: string; frames: readonly ({ device: string | null; state: 'planned' | 'at-risk' | 'unavoidable' | 'met' | 'shown-unproven' | 'missed' | 'met-late'; cause: string | null })[] }; remark?: string; remarks?: readonly Schemas['Sentence'][] };
  };
  'GET /devices/why/{deviceId}': {
    path: { deviceId: string };
    answer: { id: string; name: string; deviceId: string | null; paper: string | null; status: 'online' | 'offline' | 'error'; connected: boolean; accepted: string | null; rendered: string | null; offered: string | null; announced: string | null; fetched: string | null; shown: string | null; confirmed: string | null; level: 'offered' | 'announced' | 'fetched' | 'reported shown' | 'confirmed' | null; grade: 'offered' | 'fetched' | 'processed' | 'reported' | 'named' | null; fileVersion: number | null; missing: readonly string[]; why: { code: 'no-frame' | 'no-paper' | 'kind-not-drawn' | 'no-content' | 'not-set-up' | 'begins-later' | 'waits-for-time' | 'identity-doubted' | 'not-made' | 'frame-failed' | 'nothing-offered' | 'own-image' | 'newer-not-offered' | 'not-announced' | 'not-fetched' | 'not-shown' | 'other-digest' | 'not-in-step' | 'order-unproven' | 'contact-too-old'; reason?: string; reasons?: readonly Schemas['Sentence'][]; expectedAt?: string; paperKind?: string; chosenPaper?: string } | null; lastFailure: { at: string; reason: string; reasons?: readonly Schemas['Sentence'][] } | null; remark: string | null; remarks?: readonly Schemas['Sentence'][]; sources: readonly ({ name: string; paperId: string | null; answeredAt: string | null; problems: readonly Schemas['Sentence'][] })[]; glassSources: readonly ({ name: string; paperId: string | null; answeredAt: string | null; problems: readonly Schemas['Sentence'][] })[]; panelTrouble: string | null; sleepSeconds: number | null; keptSleepSeconds: number | null; lastContactAt: string | null; expectedAt: string | null; wakesFor: { end: 'awaited' | 'change' | 'deadline' | 'window' | 'proof' | 'half-way' | 'longest'; at: string | null; reason: string | null; reasons?: readonly Schemas['Sentence'][]; leftOut: number } | null; waitsUntil: string | null };
  };
  'GET /devices/{deviceId}/viewers': {
    path: { deviceId: string };
    answer: Schemas['Viewers'];
  };
  'GET /devices/upload-logs/{deviceId}': {
    path: { deviceId: string };
    query: { limit?: number | undefined };
    answer: { results: readonly ({ attemptId: string; deviceId: string; deviceName: string; paperId: string | null; trigger: 'content' | 'picture' | 'image' | 'page'; triggerMetadata: { paperKind: string | null; revision: string | null }; forceUpload: boolean; status: 'started' | 'skipped' | 'uploaded' | 'overtaken' | 'failed'; reason: 'device-frame-uploaded' | 'force-upload' | 'similarity-threshold-met' | 'iot-upload-url-missing' | 'iot-upload-failed' | 'upload-processing-failed' | 'upload-waits'; decision: { action: 'skip' | 'upload'; reason: 'similarity-threshold-met' | 'below-similarity-threshold' | 'previous-device-image-unavailable' | 'force-upload'; forceUpload: boolean }; similarityPercentage: number | null; similarityThreshold: number; stages: readonly ({ stage: 'offered' | 'announced' | 'fetched' | 'shown' | 'confirmed' | 'failed' | 'replaced'; at: string })[]; grade: 'offered' | 'fetched' | 'processed' | 'reported' | 'named' | null; failures: readonly ({ message: string; at: string | null })[]; startedAt: string; finishedAt: string | null; durationMs: number | null; integrationRevision: string | null })[] };
  };
  'GET /devices/{deviceId}/readings': {
    path: { deviceId: string };
    query: { days?: number | undefined; points?: number | undefined };
    answer: { from: string; to: string; readings: readonly ({ at: string; millivolts: number | null; percent: number | null; signal: number | null })[] };
  };
  'POST /devices/{deviceId}/battery-forecast': {
    path: { deviceId: string };
    body: { sleepTime?: string | number | undefined; updateSchedule?: { enabled?: boolean | null | undefined; timezone?: string | null | undefined; windows?: readonly ({ startsAt?: string | null | undefined; durationMinutes: number; repeat?: 'none' | 'daily' | 'weekly' | 'monthly' | null | undefined; rrule?: string | null | undefined; [name: string]: unknown })[] | null | undefined; [name: string]: unknown } | null | undefined; maxWakesPerDay?: string | number | null | undefined } | undefined;
    answer: { now: { wakesPerDay: number; daysLeft: number | null; changes: number; leftOut: number; lateSeconds: number | null; sentWaitsSeconds: number }; asked: { wakesPerDay: number; daysLeft: number | null; changes: number; leftOut: number; lateSeconds: number | null; sentWaitsSeconds: number }; lastsTimes: number; measuredWakesPerDay: number | null };
  };
  'GET /devices/{deviceId}/credentials': {
    path: { deviceId: string };
    answer: { serial: string; certificates: readonly ({ fingerprint: string; createdAt: string; endsAt: string; state: 'valid' | 'ended' | 'revoked'; madeBy: 'operator' | 'owner' })[]; hasPassword: boolean };
  };
  'POST /devices/{deviceId}/credentials': {
    path: { deviceId: string };
    body: { password?: boolean | undefined } | undefined;
    answer: Schemas['FrameCredentials'];
  };
  'DELETE /devices/{deviceId}/credentials': {
    path: { deviceId: string };
    answer: { revoked: number };
  };
  'POST /devices/{deviceId}/credentials/renew': {
    path: { deviceId: string };
    body: { overlapDays?: number | undefined; password?: boolean | undefined } | undefined;
    answer: { serial: string; key: string; certificate: string; ca: string; password: string | null; expiresAt: string; earlierEndAt: string | null };
  };
  'GET /devices/{deviceId}/uploads': {
    path: { deviceId: string };
    query: { limit?: number | undefined; before?: string | undefined };
    answer: readonly ({ uploadId: string; fileVersion: number; shows: 'content' | 'picture' | 'page' | 'notice' | 'deviceImage'; since: string; until: string | null; level: 'reported shown' | 'confirmed'; grade: 'offered' | 'fetched' | 'processed' | 'reported' | 'named' })[];
  };
  'GET /devices/{deviceId}/uploads/{uploadId}/picture': {
    path: { deviceId: string; uploadId: string };
    query: { colours?: 'measured' | 'nominal' | undefined };
    answer: { url: string };
  };
  'GET /devices/{deviceId}/sent': {
    path: { deviceId: string };
    query: { ids: string };
    answer: readonly ({ id: string; state: 'accepted' | 'on-its-way' | 'on-glass' | 'was-on-glass' | 'replaced'; since: string | null; until: string | null; level: 'offered' | 'announced' | 'fetched' | 'reported shown' | 'confirmed' | null; grade: 'offered' | 'fetched' | 'processed' | 'reported' | 'named' | null })[];
  };
  'GET /changes/': {
    query: { after?: string | undefined };
    answer: { as: readonly ({ organization: string; role: 'admin' | 'user' | 'patient' | 'onlyself' })[]; changes: readonly ({ id: string; at: string; deviceId: string; name: string; type: 'connect' | 'disconnect' | 'hello' | 'activate' | 'state' | 'picture' | 'command' | 'settings' | 'battery' | 'log' | 'firmware' | 'alert' | 'delivery'; payload: { [name: string]: unknown } })[]; next: string; hasMore: boolean };
  };
  'GET /changes/stream': {
    answer: { id: string; at: string; deviceId: string; name: string; type: 'connect' | 'disconnect' | 'hello' | 'activate' | 'state' | 'picture' | 'command' | 'settings' | 'battery' | 'log' | 'firmware' | 'alert' | 'delivery'; payload: { [name: string]: unknown } } | { id: string; at: string; record: 'device' | 'paper'; recordId: string; what: 'created' | 'changed' | 'removed' } | { at: string; area: 'people' | 'paper' | 'firmware' | 'alerts' | 'audit'; organization: string; paper: string | null } | { count: number; deviceIds: readonly string[] | null } | { as: readonly ({ organization: string; role: 'admin' | 'user' | 'patient' | 'onlyself' })[] } | { lost: true };
  };
  'GET /papers/': {
    query: { name?: string | undefined; role?: string | undefined; sortBy?: string | undefined; search?: string | undefined; limit?: number | undefined; offset?: number | '' | 'null' | undefined; page?: number | undefined; organization?: string | undefined; deviceId?: string | undefined };
    answer: { results: readonly Schemas['Paper'][]; totalResults: number; totalPages: number; page: number; limit: number };
  };
  'POST /papers/': {
    body: { deviceId: string; kind: string; organization: string; devicePaperId?: string | undefined; name?: string | null | undefined; draft?: boolean | undefined; meta?: unknown; show?: 'if-first' | 'with-picture' | 'not' | undefined };
    answer: Schemas['CreatedPaper'];
  };
  'POST /papers/{paperId}': {
    path: { paperId: string };
    body: { deviceId: string | null; kind: string; organization: string; devicePaperId?: string | undefined; name?: string | null | undefined; draft?: boolean | undefined; meta?: unknown; unchangedSince?: string | undefined };
    answer: Schemas['Paper'];
  };
  'DELETE /papers/{paperId}': {
    path: { paperId: string };
    answer: Schemas['Paper'];
  };
  'GET /papers/{paperId}': {
    path: { paperId: string };
    query: { kind?: '.png' | 'original.jpg' | 'original.png' | 'thumbnail.jpg' | 'editable.json' | undefined; return?: 'url' | 'json' | undefined; colours?: 'measured' | 'nominal' | undefined };
    body: { kind?: '.png' | 'original.jpg' | 'original.png' | 'thumbnail.jpg' | 'editable.json' | undefined; return?: 'url' | 'json' | undefined; colours?: 'measured' | 'nominal' | undefined } | undefined;
    answer: { id: string; title: string; author: string; kind: Schemas['PaperKind'] | string; organization: string; deviceId: string | null; name?: string; draft: boolean; devicePaperId?: string; meta: unknown; createdAt: string; updatedAt: string; imageUpdatedAt?: string; sourcesAwaySince?: string; waitsForPicture?: true; waitingMails?: number; signedUrl?: string; expiresAt?: string; json?: unknown };
  };
  'POST /papers/image/{paperId}': {
    path: { paperId: string };
    query: { kind?: '.png' | 'original.jpg' | 'original.png' | 'thumbnail.jpg' | 'editable.json' | undefined; return?: 'url' | 'json' | undefined; colours?: 'measured' | 'nominal' | undefined };
    body: { kind?: '.png' | 'original.jpg' | 'original.png' | 'thumbnail.jpg' | 'editable.json' | undefined; return?: 'url' | 'json' | undefined; colours?: 'measured' | 'nominal' | undefined } | undefined;
    answer: { id: string; title: string; author: string; kind: Schemas['PaperKind'] | string; organization: string; deviceId: string | null; name?: string; draft: boolean; devicePaperId?: string; meta: unknown; createdAt: string; updatedAt: string; imageUpdatedAt?: string; sourcesAwaySince?: string; waitsForPicture?: true; waitingMails?: number; signedUrl?: string; expiresAt?: string; json?: unknown; uploadUrl?: string; method?: 'PUT' };
  };
  'POST /papers/uploadSingleImage/{paperId}': {
    path: { paperId: string };
    query: { messageId?: string | undefined };
    form: { picture?: readonly Blob[] | undefined; file?: Blob | undefined; pictureDevice?: string | undefined; settings?: string | undefined; pictureEditable?: string | undefined; forceUpload?: string | undefined; showFrom?: string | undefined; showUntil?: string | undefined; deadline?: string | undefined };
    answer: { id: string; title: string; author: string; kind: Schemas['PaperKind'] | string; organization: string; deviceId: string | null; name?: string; draft: boolean; devicePaperId?: string; meta: unknown; createdAt: string; updatedAt: string; imageUpdatedAt?: string; sourcesAwaySince?: string; waitsForPicture?: true; waitingMails?: number; skippedUpload: boolean; similarityPercentage: number | null; uploadAttemptId: string; reason: 'device-frame-uploaded' | 'force-upload' | 'similarity-threshold-met' | 'iot-upload-url-missing' | 'iot-upload-failed' | 'upload-processing-failed' | 'upload-waits'; key: string | null; timed?: Schemas['TimedPicture']; deadline?: { id: string; by: string; frames: readonly ({ device: string | null; state: 'planned' | 'at-risk' | 'unavoidable' | 'met' | 'shown-unproven' | 'missed' | 'met-late'; cause: string | null })[] }; remark?: string; remarks?: readonly Schemas['Sentence'][] };
  };
  'DELETE /papers/{paperId}/uploads/{attemptId}': {
    path: { paperId: string; attemptId: string };
    answer: Schemas['Paper'];
  };
  'PUT /signed/papers/{paperId}/{accountId}/{after}/{revision}/{expiresAt}': {
    path: { paperId: string; accountId: string; after: string | '-'; revision: string; expiresAt: string };
    query: { s?: string | undefined };
    body: Blob;
    answer: { id: string; title: string; author: string; kind: Schemas['PaperKind'] | string; organization: string; deviceId: string | null; name?: string; draft: boolean; devicePaperId?: string; meta: unknown; createdAt: string; updatedAt: string; imageUpdatedAt?: string; sourcesAwaySince?: string; waitsForPicture?: true; waitingMails?: number; skippedUpload: boolean; similarityPercentage: number | null; uploadAttemptId: string; reason: 'device-frame-uploaded' | 'force-upload' | 'similarity-threshold-met' | 'iot-upload-url-missing' | 'iot-upload-failed' | 'upload-processing-failed' | 'upload-waits'; key: string | null; timed?: Schemas['TimedPicture']; deadline?: { id: string; by: string; frames: readonly ({ device: string | null; state: 'planned' | 'at-risk' | 'unavoidable' | 'met' | 'shown-unproven' | 'missed' | 'met-late'; cause: string | null })[] }; remark?: string; remarks?: readonly Schemas['Sentence'][] };
  };
  'GET /papers/{paperId}/pictures/': {
    path: { paperId: string };
    answer: readonly ({ id: string; caption: string; sentAt: string; state: 'accepted' | 'on-its-way' | 'on-glass' | 'was-on-glass' | 'replaced'; since: string | null; nextWakeAt: string | null; sender: { name: string; isGuest: boolean; way: 'member' | 'guest' | 'source' | 'mail' | 'telegram' }; bytes: number })[];
  };
  'POST /papers/{paperId}/pictures/': {
    path: { paperId: string };
    query: { messageId?: string | undefined };
    form: { picture?: Blob | undefined; caption?: string | undefined; intent?: 'auto' | 'photo' | 'text' | 'faithful' | 'lowNoise' | 'natural' | 'readable' | 'vivid' | undefined };
    answer: { id: string; caption: string; sentAt: string; state: 'accepted' | 'on-its-way' | 'on-glass' | 'was-on-glass' | 'replaced'; since: string | null; nextWakeAt: string | null; sender: { name: string; isGuest: boolean; way: 'member' | 'guest' | 'source' | 'mail' | 'telegram' }; bytes: number; remark?: string; remarks?: readonly Schemas['Sentence'][] };
  };
  'POST /papers/{paperId}/pictures/order': {
    path: { paperId: string };
    body: { pictures: readonly string[] };
    answer: undefined;
  };
  'GET /papers/{paperId}/pictures/{pictureId}': {
    path: { paperId: string; pictureId: string };
    query: { kind?: 'thumbnail.jpg' | 'original.png' | undefined };
    answer: { url: string };
  };
  'DELETE /papers/{paperId}/pictures/{pictureId}': {
    path: { paperId: string; pictureId: string };
    answer: undefined;
  };
  'GET /papers/{paperId}/guest-links/': {
    path: { paperId: string };
    answer: readonly Schemas['GuestLink'][];
  };
  'POST /papers/{paperId}/guest-links/': {
    path: { paperId: string };
    body: { name: string; endsAt?: string | null | undefined; maxPictures?: number | null | undefined; showsResult?: boolean | undefined };
    answer: { id: string; name: string; state: 'active' | 'expired' | 'revoked' | 'used-up'; showsResult: boolean; maxPictures: number | null; used: number; usedAt: string | null; createdAt: string; endsAt: string | null; url: string };
  };
  'DELETE /papers/{paperId}/guest-links/{linkId}': {
    path: { paperId: string; linkId: string };
    answer: undefined;
  };
  'GET /papers/{paperId}/logins/': {
    path: { paperId: string };
    answer: readonly Schemas['AddressLogin'][];
  };
  'PUT /papers/{paperId}/logins/': {
    path: { paperId: string };
    body: { address: string; header?: string | undefined; storageKey?: string | undefined; value?: string | undefined; bearer?: string | undefined };
    answer: Schemas['AddressLogin'];
  };
  'DELETE /papers/{paperId}/logins/{loginId}': {
    path: { paperId: string; loginId: string };
    answer: undefined;
  };
  'GET /guest/': {
    answer: { name: string; paper: { title: string; isAlbum: boolean }; left: number | null; expiresAt: string | null; showsResult: boolean; panel: { width: number; height: number } | null };
  };
  'GET /guest/pictures/': {
    answer: readonly ({ id: string; caption: string; sentAt: string; state: 'accepted' | 'on-its-way' | 'on-glass' | 'was-on-glass' | 'replaced'; since: string | null; nextWakeAt: string | null })[];
  };
  'POST /guest/pictures/': {
    query: { messageId?: string | undefined };
    form: { picture?: Blob | undefined; caption?: string | undefined };
    answer: { id: string; caption: string; sentAt: string; state: 'accepted' | 'on-its-way' | 'on-glass' | 'was-on-glass' | 'replaced'; since: string | null; nextWakeAt: string | null; remark?: string; remarks?: readonly Schemas['Sentence'][] };
  };
  'GET /guest/pictures/{pictureId}': {
    path: { pictureId: string };
    query: { kind?: 'thumbnail.jpg' | '.png' | undefined };
    answer: { url: string };
  };
  'POST /guest/previews/': {
    form: { picture?: Blob | undefined };
    answer: { width: number; height: number; png: string; remark?: string; remarks?: readonly Schemas['Sentence'][] };
  };
  'POST /previews/': {
    query: { deviceId?: string | undefined; kind?: string | undefined; orientation?: 'portrait' | 'landscape' | undefined; fit?: 'cover' | 'contain' | undefined; intents?: string | undefined };
    form: { picture?: Blob | undefined };
    answer: { panel: string; width: number; height: number; previews: readonly ({ intent: 'auto' | 'photo' | 'text' | 'faithful' | 'lowNoise' | 'natural' | 'readable' | 'vivid'; png: string })[]; remark?: string; remarks?: readonly Schemas['Sentence'][] };
  };
  'GET /papers/{paperId}/next-changes/': {
    path: { paperId: string };
    query: { limit?: number | undefined };
    answer: { changes: readonly Schemas['PlannedChange'][] };
  };
  'POST /previews/readable/': {
    form: { picture?: Blob | undefined };
    answer: { width: number; height: number; jpeg: string; remark?: string; remarks?: readonly Schemas['Sentence'][] };
  };
  'POST /guest/previews/readable/': {
    form: { picture?: Blob | undefined };
    answer: { width: number; height: number; jpeg: string; remark?: string; remarks?: readonly Schemas['Sentence'][] };
  };
  'GET /timed-pictures/': {
    query: { organization: string; paper?: string | undefined; device?: string | undefined };
    answer: { pictures: readonly Schemas['TimedPicture'][] };
  };
  'DELETE /timed-pictures/{timedId}': {
    path: { timedId: string };
    answer: Schemas['TimedPicture'];
  };
  'GET /papers/{paperId}/sources/': {
    path: { paperId: string };
    answer: readonly Schemas['AlbumSource'][];
  };
  'POST /papers/{paperId}/sources/': {
    path: { paperId: string };
    body: { source: unknown; title?: string | undefined };
    answer: Schemas['AlbumSource'];
  };
  'GET /papers/{paperId}/sources/offered': {
    path: { paperId: string };
    answer: { folders: readonly string[] };
  };
  'POST /papers/{paperId}/sources/try': {
    path: { paperId: string };
    body: { source: unknown } | { sourceId: string; change: { address?: string | undefined; apiKey?: string | undefined; user?: string | undefined; password?: string | undefined; choice?: unknown; search?: string | undefined; folders?: readonly string[] | undefined; withSubfolders?: boolean | undefined } };
    answer: { title: string | null; server: string | null; count: number | null; newestAt: string | null; choices: readonly ({ id: string; sort: 'album' | 'person' | 'folder'; name: string; count: number | null; cover: string | null })[] | null; problem?: string; problems?: readonly Schemas['Sentence'][] };
  };
  'POST /papers/{paperId}/sources/cover': {
    path: { paperId: string };
    body: { trial: { source: unknown } | { sourceId: string; change: { address?: string | undefined; apiKey?: string | undefined; user?: string | undefined; password?: string | undefined; choice?: unknown; search?: string | undefined; folders?: readonly string[] | undefined; withSubfolders?: boolean | undefined } }; cover: string };
    answer: { picture: string | null };
  };
  'GET /papers/{paperId}/sources/{sourceId}': {
    path: { paperId: string; sourceId: string };
    answer: Schemas['AlbumSourceWithNames'];
  };
  'POST /papers/{paperId}/sources/{sourceId}': {
    path: { paperId: string; sourceId: string };
    body: { address?: string | undefined; apiKey?: string | undefined; user?: string | undefined; password?: string | undefined; choice?: unknown; search?: string | undefined; folders?: readonly string[] | undefined; withSubfolders?: boolean | undefined; title?: string | undefined } | undefined;
    answer: Schemas['AlbumSource'];
  };
  'DELETE /papers/{paperId}/sources/{sourceId}': {
    path: { paperId: string; sourceId: string };
    answer: undefined;
  };
  'POST /papers/{paperId}/sources/{sourceId}/listing': {
    path: { paperId: string; sourceId: string };
    answer: undefined;
  };
  'GET /papers/{paperId}/post/': {
    path: { paperId: string };
    answer: Schemas['AlbumPost'];
  };
  'POST /papers/{paperId}/post/address': {
    path: { paperId: string };
    answer: { address: string };
  };
  'DELETE /papers/{paperId}/post/address': {
    path: { paperId: string };
    answer: undefined;
  };
  'POST /papers/{paperId}/post/senders/': {
    path: { paperId: string };
    body: { address: string; name?: string | undefined };
    answer: Schemas['InvitedSender'];
  };
  'DELETE /papers/{paperId}/post/senders/{senderId}': {
    path: { paperId: string; senderId: string };
    answer: undefined;
  };
  'POST /papers/{paperId}/post/waiting/{mailId}': {
    path: { paperId: string; mailId: string };
    body: { accept: boolean; invite?: boolean | undefined };
    answer: undefined;
  };
  'POST /papers/{paperId}/post/codes/': {
    path: { paperId: string };
    answer: { code: string; until: string; link: string | null };
  };
  'DELETE /papers/{paperId}/post/chats/{chatId}': {
    path: { paperId: string; chatId: string };
    answer: undefined;
  };
  'GET /recipes/': {
    query: { organization: string };
    answer: readonly Schemas['ListedRecipe'][];
  };
  'POST /recipes/': {
    body: { organization: string; settings: string; shared?: string | undefined; transform?: string | undefined; views: { full?: string | undefined; half_horizontal?: string | undefined; half_vertical?: string | undefined; quadrant?: string | undefined } };
    answer: Schemas['Recipe'];
  };
  'GET /recipes/public': {
    query: { organization: string; search?: string | undefined };
    answer: { isAllowed: boolean; total: number; recipes: readonly ({ id: string; name: string; description: string; category: string; author: string; licence: string; installs: number })[]; problem?: string; problems?: readonly Schemas['Sentence'][] };
  };
  'GET /recipes/{recipeId}': {
    path: { recipeId: string };
    query: { organization: string };
    answer: Schemas['Recipe'];
  };
  'PUT /recipes/{recipeId}': {
    path: { recipeId: string };
    body: { organization: string; settings: string; shared?: string | undefined; transform?: string | undefined; views: { full?: string | undefined; half_horizontal?: string | undefined; half_vertical?: string | undefined; quadrant?: string | undefined } };
    answer: Schemas['Recipe'];
  };
  'DELETE /recipes/{recipeId}': {
    path: { recipeId: string };
    query: { organization: string };
    answer: undefined;
  };
  'POST /recipes/archive': {
    form: { archive?: Blob | undefined; organization: string; folder?: string | undefined };
    answer: Schemas['Recipe'];
  };
  'POST /recipes/address': {
    body: { organization: string; address: string; folder?: string | undefined };
    answer: Schemas['Recipe'];
  };
  'POST /previews/recipe-options': {
    body: { organization: string; recipe: string; field: string; values: { [name: string]: unknown }; text?: string | undefined };
    answer: { options: readonly ({ label: string; value: string })[]; problems: readonly Schemas['Sentence'][] };
  };
  'GET /papers/{paperId}/recipe-data': {
    path: { paperId: string };
    answer: Schemas['RecipeData'];
  };
  'POST /papers/{paperId}/recipe-data': {
    path: { paperId: string };
    answer: Schemas['RecipeData'];
  };
  'POST /previews/recipe-data': {
    body: { organization: string; meta: { [name: string]: unknown }; paperId?: string | undefined };
    answer: { data: unknown; problems: readonly Schemas['Sentence'][] };
  };
  'POST /hooks/recipes/{token}': {
    path: { token: string };
    body: { merge_variables: { [name: string]: unknown }; merge_strategy?: 'replace' | 'deep_merge' | 'stream' | undefined; stream_limit?: number | undefined };
    answer: undefined;
  };
  'GET /hooks/recipes/{token}': {
    path: { token: string };
    answer: { merge_variables: { [name: string]: unknown } };
  };
  'GET /organizations/{organizationId}/jobs/': {
    path: { organizationId: string };
    answer: readonly Schemas['Job'][];
  };
  'POST /organizations/{organizationId}/jobs/': {
    path: { organizationId: string };
    body: { name?: string | undefined; paper?: string | null | undefined; meta?: { updateSchedule?: { enabled?: boolean | null | undefined; timezone?: string | null | undefined; windows?: readonly ({ startsAt?: string | null | undefined; durationMinutes: number; repeat?: 'none' | 'daily' | 'weekly' | 'monthly' | null | undefined; rrule?: string | null | undefined; [name: string]: unknown })[] | null | undefined; [name: string]: unknown } | null | undefined; place?: { building?: string | null | undefined; floor?: string | null | undefined; room?: string | null | undefined; [name: string]: unknown } | null | undefined; tags?: readonly string[] | null | undefined; [name: string]: unknown } | undefined; addTags?: readonly string[] | undefined; removeTags?: readonly string[] | undefined; firmware?: { kind: string; version: string } | undefined; devices?: readonly string[] | undefined; place?: { building?: string | undefined; floor?: string | undefined; room?: string | undefined } | undefined; tag?: string | undefined; group?: string | undefined; all?: true | undefined; perMinute?: number | null | undefined; growth?: { steps: readonly number[]; provenPercent: number } | null | undefined; stopPercent?: number | null | undefined; proofHours?: number | undefined } | undefined;
    answer: Schemas['Job'];
  };
  'GET /organizations/{organizationId}/jobs/{jobId}': {
    path: { organizationId: string; jobId: string };
    answer: Schemas['Job'];
  };
  'GET /organizations/{organizationId}/jobs/{jobId}/frames': {
    path: { organizationId: string; jobId: string };
    query: { after?: number | undefined; limit?: number | undefined };
    answer: readonly Schemas['JobFrame'][];
  };
  'GET /organizations/{organizationId}/jobs/{jobId}/report': {
    path: { organizationId: string; jobId: string };
    answer: { job: Schemas['Job']; frames: readonly Schemas['JobFrame'][] };
  };
  'GET /organizations/{organizationId}/jobs/{jobId}/report/csv': {
    path: { organizationId: string; jobId: string };
    answer: Blob;
  };
  'POST /organizations/{organizationId}/jobs/pictures': {
    path: { organizationId: string };
    form: { picture?: Blob | undefined; job: string };
    answer: Schemas['Job'];
  };
  'POST /organizations/{organizationId}/jobs/{jobId}/pause': {
    path: { organizationId: string; jobId: string };
    answer: Schemas['Job'];
  };
  'POST /organizations/{organizationId}/jobs/{jobId}/resume': {
    path: { organizationId: string; jobId: string };
    answer: Schemas['Job'];
  };
  'POST /organizations/{organizationId}/jobs/{jobId}/cancel': {
    path: { organizationId: string; jobId: string };
    answer: Schemas['Job'];
  };
  'POST /organizations/{organizationId}/jobs/{jobId}/undo': {
    path: { organizationId: string; jobId: string };
    answer: Schemas['Job'];
  };
  'GET /organizations/{organizationId}/groups/': {
    path: { organizationId: string };
    answer: readonly Schemas['Group'][];
  };
  'POST /organizations/{organizationId}/groups/': {
    path: { organizationId: string };
    body: { name: string; place?: { building?: string | undefined; floor?: string | undefined; room?: string | undefined } | null | undefined; tag?: string | null | undefined; groups?: readonly string[] | null | undefined; paper?: string | null | undefined; settings?: { updateSchedule?: { enabled?: boolean | null | undefined; timezone?: string | null | undefined; windows?: readonly ({ startsAt?: string | null | undefined; durationMinutes: number; repeat?: 'none' | 'daily' | 'weekly' | 'monthly' | null | undefined; rrule?: string | null | undefined; [name: string]: unknown })[] | null | undefined; [name: string]: unknown } | null | undefined; place?: { building?: string | null | undefined; floor?: string | null | undefined; room?: string | null | undefined; [name: string]: unknown } | null | undefined; tags?: readonly string[] | null | undefined; [name: string]: unknown } | null | undefined; perMinute?: number | null | undefined; growth?: { steps: readonly number[]; provenPercent: number } | null | undefined; stopPercent?: number | null | undefined; proofHours?: number | undefined };
    answer: Schemas['Group'];
  };
  'GET /organizations/{organizationId}/groups/{groupId}/frames': {
    path: { organizationId: string; groupId: string };
    answer: readonly ({ deviceId: string; name: string; joinedAt: string })[];
  };
  'PATCH /organizations/{organizationId}/groups/{groupId}': {
    path: { organizationId: string; groupId: string };
    body: { name?: string | undefined; place?: { building?: string | undefined; floor?: string | undefined; room?: string | undefined } | null | undefined; tag?: string | null | undefined; groups?: readonly string[] | null | undefined; paper?: string | null | undefined; settings?: { updateSchedule?: { enabled?: boolean | null | undefined; timezone?: string | null | undefined; windows?: readonly ({ startsAt?: string | null | undefined; durationMinutes: number; repeat?: 'none' | 'daily' | 'weekly' | 'monthly' | null | undefined; rrule?: string | null | undefined; [name: string]: unknown })[] | null | undefined; [name: string]: unknown } | null | undefined; place?: { building?: string | null | undefined; floor?: string | null | undefined; room?: string | null | undefined; [name: string]: unknown } | null | undefined; tags?: readonly string[] | null | undefined; [name: string]: unknown } | null | undefined; perMinute?: number | null | undefined; growth?: { steps: readonly number[]; provenPercent: number } | null | undefined; stopPercent?: number | null | undefined; proofHours?: number | undefined } | undefined;
    answer: Schemas['Group'];
  };
  'DELETE /organizations/{organizationId}/groups/{groupId}': {
    path: { organizationId: string; groupId: string };
    answer: Schemas['Group'];
  };
  'GET /papers/calendar/{paperId}': {
    path: { paperId: string };
    answer: { id: string; title: string; author: string; kind: Schemas['PaperKind'] | string; organization: string; deviceId: string | null; name?: string; draft: boolean; devicePaperId?: string; meta: unknown; createdAt: string; updatedAt: string; imageUpdatedAt?: string; sourcesAwaySince?: string; waitsForPicture?: true; waitingMails?: number; calendarAuth: { status: 'ok' | 'partial' | 'failed' | 'none'; calendars: { [name: string]: string } }; calendarData: { calendars: readonly ({ key: string; name: string; color?: string })[]; events: readonly ({ calendar: string; summary: string; location?: string; start: { dateTime: string; timeZone: string } | { date: string }; end: { dateTime: string; timeZone: string } | { date: string } })[] }; calendarProblems: { [name: string]: readonly Schemas['Sentence'][] }; calendarRemarks?: { [name: string]: readonly Schemas['Sentence'][] } };
  };
  'POST /papers/{paperId}/calendar-preview': {
    path: { paperId: string };
    body: { selectedCalendars?: { [name: string]: boolean } | undefined; dayRange?: number | undefined; maxEvents?: number | undefined; calendars?: readonly ({ [name: string]: string | number | boolean | null })[] | undefined } | undefined;
    answer: { calendarAuth: { status: 'ok' | 'partial' | 'failed' | 'none'; calendars: { [name: string]: string } }; calendarData: { calendars: readonly ({ key: string; name: string; color?: string })[]; events: readonly ({ calendar: string; summary: string; location?: string; start: { dateTime: string; timeZone: string } | { date: string }; end: { dateTime: string; timeZone: string } | { date: string } })[] }; calendarProblems: { [name: string]: readonly Schemas['Sentence'][] }; calendarRemarks?: { [name: string]: readonly Schemas['Sentence'][] } };
  };
  'POST /previews/calendar': {
    body: { calendars: readonly ({ [name: string]: string | number | boolean | null })[]; organization: string; logins?: readonly ({ address: string; header?: string | undefined; storageKey?: string | undefined; value?: string | undefined; bearer?: string | undefined })[] | undefined; timezone?: string | undefined; dayRange?: number | undefined; maxEvents?: number | undefined };
    answer: { calendarAuth: { status: 'ok' | 'partial' | 'failed' | 'none'; calendars: { [name: string]: string } }; calendarData: { calendars: readonly ({ key: string; name: string; color?: string })[]; events: readonly ({ calendar: string; summary: string; location?: string; start: { dateTime: string; timeZone: string } | { date: string }; end: { dateTime: string; timeZone: string } | { date: string } })[] }; calendarProblems: { [name: string]: readonly Schemas['Sentence'][] }; calendarRemarks?: { [name: string]: readonly Schemas['Sentence'][] } };
  };
  'GET /deadlines/': {
    query: { organization?: string | undefined; paper?: string | undefined };
    answer: { deadlines: readonly Schemas['Deadline'][] };
  };
  'POST /deadlines/': {
    body: { name?: string | undefined; devices?: readonly string[] | null | undefined; places?: readonly ({ building?: string | undefined; floor?: string | undefined; room?: string | undefined })[] | null | undefined; by?: string | undefined; rule?: { weekdays: readonly number[]; time: string } | undefined; timeZone?: string | undefined; freshMinutes?: number | null | undefined; grade?: 'processed' | 'reported' | 'named' | undefined; steps?: readonly ({ when: { state: 'at-risk' | 'unavoidable' | 'missed' } | { minutesBefore: number } | { minutesAfter: number } | { minutesLater: number }; to: { channels: 'all' } | { channel: string } | { person: string } | { device: string }; urgent?: boolean | undefined })[] | undefined; language?: 'en' | 'de' | 'fr' | 'es' | 'it' | 'nl' | 'pl' | 'pt' | undefined; organization?: string | undefined; paper?: string | undefined; timedPicture?: string | undefined; entry?: string | undefined } | undefined;
    answer: Schemas['Deadline'];
  };
  'GET /deadlines/due': {
    query: { organization?: string | undefined; device?: string | undefined; paper?: string | undefined };
    answer: { due: readonly Schemas['DueDeadline'][] };
  };
  'GET /deadlines/{deadlineId}': {
    path: { deadlineId: string };
    answer: Schemas['Deadline'];
  };
  'PATCH /deadlines/{deadlineId}': {
    path: { deadlineId: string };
    body: { name?: string | undefined; devices?: readonly string[] | null | undefined; places?: readonly ({ building?: string | undefined; floor?: string | undefined; room?: string | undefined })[] | null | undefined; by?: string | undefined; rule?: { weekdays: readonly number[]; time: string } | undefined; timeZone?: string | undefined; freshMinutes?: number | null | undefined; grade?: 'processed' | 'reported' | 'named' | undefined; steps?: readonly ({ when: { state: 'at-risk' | 'unavoidable' | 'missed' } | { minutesBefore: number } | { minutesAfter: number } | { minutesLater: number }; to: { channels: 'all' } | { channel: string } | { person: string } | { device: string }; urgent?: boolean | undefined })[] | undefined; language?: 'en' | 'de' | 'fr' | 'es' | 'it' | 'nl' | 'pl' | 'pt' | undefined } | undefined;
    answer: Schemas['Deadline'];
  };
  'DELETE /deadlines/{deadlineId}': {
    path: { deadlineId: string };
    answer: undefined;
  };
  'POST /deadlines/{deadlineId}/acknowledge': {
    path: { deadlineId: string };
    body: { device?: string | undefined } | undefined;
    answer: Schemas['Deadline'];
  };
  'POST /previews/playlist-week': {
    body: { organization: string; playlistEntries: readonly unknown[]; timezone?: string | undefined };
    answer: { days: readonly ({ date: string; from: string; until: string; blocks: readonly ({ entry: number | null; from: string; until: string; stays: boolean })[] })[]; covered: readonly ({ entry: number; by: number; isHidden: boolean })[]; absent: readonly number[]; unshowable: readonly number[]; problems: readonly ({ entry: number; problem: string; problems: readonly Schemas['Sentence'][] })[] };
  };
  'POST /previews/paper': {
    body: { deviceId: string; kind: Schemas['DraftableKind'] | 'album'; meta: unknown; paperId?: string | undefined; logins?: readonly ({ address: string; header?: string | undefined; storageKey?: string | undefined; value?: string | undefined; bearer?: string | undefined })[] | undefined };
    answer: { width: number; height: number; png?: string; problem?: string; problems?: readonly Schemas['Sentence'][]; remark?: string; remarks?: readonly Schemas['Sentence'][] };
  };
  'POST /v1/integration-papers/papers/{paperId}/grants': {
    path: { paperId: string };
    body: { configUrl: string; settingsPage: string };
    answer: { grant: string };
  };
  'GET /v1/integration-papers/papers/{paperId}/content': {
    path: { paperId: string };
    answer: { content?: { revision: string; text: string; imageUrl?: string; receivedAt: string }; configUrl: string; renderUrl: string };
  };
  'DELETE /v1/integration-papers/papers/{paperId}/connection': {
    path: { paperId: string };
    answer: undefined;
  };
  'GET /v1/integration-papers/papers/{paperId}/settings-page': {
    path: { paperId: string };
    answer: { name: string; configUrl: string; settingsPage?: string; messageSourcePrefix: string; payload: { [name: string]: unknown } };
  };
  'GET /v1/integration-papers/catalogues': {
    answer: { catalogues: readonly ({ name: string; from: string; problem?: string; problems?: readonly Schemas['Sentence'][]; integrations: readonly ({ name: string; configUrl: string; description?: string; publisher?: string; languages?: readonly string[]; picture?: string })[]; leftOut: readonly string[]; leftOutProblems: readonly (readonly Schemas['Sentence'][])[]; notes: readonly string[]; notedProblems: readonly (readonly Schemas['Sentence'][])[] })[] };
  };
  'POST /v1/integration-papers/papers/{paperId}/manifest': {
    path: { paperId: string };
    body: { configUrl: string };
    answer: { name: string; configUrl: string; version?: string; description?: string; author?: string; requiredPermissions: readonly string[]; hasSettingsPage: boolean; pushes: boolean; whyNoPush?: string; whyNoPushReasons?: readonly Schemas['Sentence'][] };
  };
  'GET /v1/integration-papers/papers/{paperId}/connections': {
    path: { paperId: string };
    answer: { connections: readonly ({ connectionId: string; name: string; origin: string; user: string; isOwn: boolean; state: 'active' | 'revoked' | 'changed' | 'denied'; connectedAt: string; latest: Schemas['ConnectionStatus']; requests: readonly ({ requestId: string; messageId: string; state: 'receiving' | 'accepted' | 'active' | 'superseded' | 'closed' | 'revoked'; hasText: boolean; hasPicture: boolean; createdAt: string })[] })[] };
  };
  'GET /v1/integration-papers/papers/{paperId}/callbacks': {
    path: { paperId: string };
    query: { limit?: number | undefined; before?: string | undefined };
    answer: { callbacks: readonly Schemas['SentCallback'][] };
  };
  'POST /v1/integration-papers/papers/{paperId}/callbacks/{eventId}/again': {
    path: { paperId: string; eventId: string };
    answer: Schemas['SentCallback'];
  };
  'POST /v1/papers/{paperId}/plugin-redirect-token': {
    path: { paperId: string };
    answer: { tempToken: string; expiresAt: string };
  };
  'POST /v1/papers/{paperId}/plugin-redirect-redeem': {
    path: { paperId: string };
    body: { tempToken?: string | undefined; token?: string | undefined } | undefined;
    answer: { ok: true };
  };
  'POST /v1/integration-papers/exchange': {
    body: { grant: string };
    answer: { connectionId: string; paperId: string; name: string; token: string; callbackToken: string };
  };
  'POST /v1/integration-papers/connections/{connectionId}/content': {
    path: { connectionId: string };
    body: { messageId: string; text?: string | null | undefined; imageBase64?: string | null | undefined };
    answer: { requestId: string; paperId: string; messageId: string; state: 'receiving' | 'accepted' | 'active' | 'superseded' | 'closed' | 'revoked' };
  };
  'GET /v1/integration-papers/connections/{connectionId}/status': {
    path: { connectionId: string };
    answer: Schemas['ConnectionStatus'];
  };
  'DELETE /v1/integration-papers/connections/{connectionId}': {
    path: { connectionId: string };
    answer: undefined;
  };
  'GET /v1/integration-papers/connections/{connectionId}/events': {
    path: { connectionId: string };
    query: { after?: string | undefined; limit?: number | undefined };
    answer: Schemas['ListedEvents'];
  };
  'GET /organizations/{organizationId}/firmware/': {
    path: { organizationId: string };
    answer: { versions: readonly ({ kind: string; dialect: 'native' | 'classic' | null; version: string | null; frames: number; newest: string | null; behind: number; deviceIds: readonly string[] })[]; images: readonly ({ kind: string; dialect: 'native' | 'classic'; version: string; bytes: number; addedAt: string })[]; rollouts: readonly Schemas['Rollout'][] };
  };
  'GET /organizations/{organizationId}/firmware/rollouts/{rolloutId}': {
    path: { organizationId: string; rolloutId: string };
    answer: { rollout: Schemas['Rollout']; frames: readonly ({ deviceId: string; name: string; serial: string; runs: string | null; before: string | null; phase: 'waiting' | 'told' | 'fetching' | 'fetched' | 'restarting' | 'updated' | 'failed' | 'lost'; at: string | null; reason: string | null; reasons?: readonly Schemas['Sentence'][] })[] };
  };
  'POST /organizations/{organizationId}/firmware/rollouts/': {
    path: { organizationId: string };
    body: { kind: string; version: string; percent?: number | undefined; devices?: readonly string[] | undefined };
    answer: Schemas['Rollout'];
  };
  'POST /organizations/{organizationId}/firmware/rollouts/{rolloutId}/pause': {
    path: { organizationId: string; rolloutId: string };
    answer: Schemas['Rollout'];
  };
  'POST /organizations/{organizationId}/firmware/rollouts/{rolloutId}/resume': {
    path: { organizationId: string; rolloutId: string };
    answer: Schemas['Rollout'];
  };
  'GET /organizations/{organizationId}/record': {
    path: { organizationId: string };
    answer: Schemas['Record'];
  };
  'PATCH /organizations/{organizationId}/record': {
    path: { organizationId: string };
    body: { keepYears?: number | undefined; target?: number | undefined } | undefined;
    answer: Schemas['Record'];
  };
  'GET /organizations/{organizationId}/record/intervals': {
    path: { organizationId: string };
    query: { from?: string | undefined; to?: string | undefined; frame?: string | undefined; after?: string | undefined; limit?: number | undefined };
    answer: { intervals: readonly Schemas['WallInterval'][]; next: string | null };
  };
  'DELETE /organizations/{organizationId}/record/intervals/{intervalId}/words': {
    path: { organizationId: string; intervalId: string };
    answer: undefined;
  };
  'GET /organizations/{organizationId}/record/csv': {
    path: { organizationId: string };
    query: { from?: string | undefined; to?: string | undefined; frame?: string | undefined };
    answer: Blob;
  };
  'GET /organizations/{organizationId}/record/receipts': {
    path: { organizationId: string };
    query: { from?: string | undefined; to?: string | undefined };
    answer: Blob;
  };
  'GET /organizations/{organizationId}/record/pdf': {
    path: { organizationId: string };
    query: { from?: string | undefined; to?: string | undefined; frame?: string | undefined; language?: 'en' | 'de' | 'fr' | 'es' | 'it' | 'nl' | 'pl' | 'pt' | undefined; timeZone?: string | undefined };
    answer: Blob;
  };
  'GET /organizations/{organizationId}/alerts/channels/': {
    path: { organizationId: string };
    answer: { channels: readonly Schemas['AlertChannel'][]; hasMail: boolean };
  };
  'POST /organizations/{organizationId}/alerts/channels/': {
    path: { organizationId: string };
    body: { kind: 'mail' | 'webhook' | 'ntfy'; name: string; isOn?: boolean | undefined; recipients?: readonly string[] | undefined; url?: string | undefined; topic?: string | undefined; kinds?: readonly ('frame-silent' | 'battery-low' | 'credentials-ending' | 'picture-failing' | 'data-old' | 'callbacks-failing' | 'rollout-paused' | 'pictures-late' | 'job-paused')[] | null | undefined; places?: readonly ({ building?: string | undefined; floor?: string | undefined; room?: string | undefined })[] | null | undefined; digest?: 'immediately' | 'hourly' | 'daily' | undefined; quietHours?: { from: string; until: string } | null | undefined; timeZone?: string | undefined; language?: 'en' | 'de' | 'fr' | 'es' | 'it' | 'nl' | 'pl' | 'pt' | undefined; hourlyLimit?: number | undefined; secret?: string | null | undefined };
    answer: Schemas['AlertChannel'];
  };
  'GET /organizations/{organizationId}/alerts/outages/': {
    path: { organizationId: string };
    query: { open?: 'true' | 'false' | undefined; limit?: number | undefined };
    answer: readonly Schemas['Outage'][];
  };
  'PATCH /organizations/{organizationId}/alerts/channels/{channelId}': {
    path: { organizationId: string; channelId: string };
    body: { name?: string | undefined; isOn?: boolean | undefined; recipients?: readonly string[] | undefined; url?: string | undefined; topic?: string | undefined; kinds?: readonly ('frame-silent' | 'battery-low' | 'credentials-ending' | 'picture-failing' | 'data-old' | 'callbacks-failing' | 'rollout-paused' | 'pictures-late' | 'job-paused')[] | null | undefined; places?: readonly ({ building?: string | undefined; floor?: string | undefined; room?: string | undefined })[] | null | undefined; digest?: 'immediately' | 'hourly' | 'daily' | undefined; quietHours?: { from: string; until: string } | null | undefined; timeZone?: string | undefined; language?: 'en' | 'de' | 'fr' | 'es' | 'it' | 'nl' | 'pl' | 'pt' | undefined; hourlyLimit?: number | undefined; secret?: string | null | undefined } | undefined;
    answer: Schemas['AlertChannel'];
  };
  'DELETE /organizations/{organizationId}/alerts/channels/{channelId}': {
    path: { organizationId: string; channelId: string };
    answer: undefined;
  };
  'POST /organizations/{organizationId}/alerts/channels/{channelId}/test': {
    path: { organizationId: string; channelId: string };
    answer: { sent: boolean; answer: string; answers?: readonly Schemas['Sentence'][] };
  };
  'GET /iotdevice/status/{kind}': {
    path: { kind: string };
    answer: { kind: string; status: 'ok' | 'degraded' | 'down'; reason?: string; reasons?: readonly Schemas['Sentence'][]; note?: string; notes?: readonly Schemas['Sentence'][]; uptimeSeconds: number };
  };
  'GET /service/about': {
    answer: { versions: { papergate: string; node: string; database: string; schema: number; browser: string | null }; retention: readonly ({ what: 'requests' | 'callbacks' | 'frameEvents' | 'commands' | 'uploads' | 'battery' | 'outages' | 'deadlines' | 'audit' | 'sessions' | 'history'; days: number })[]; storage: readonly ({ organizationId: string; name: string; bytes: number; most: number | null; isNearlyFull: boolean })[]; backups: { lastAt: string | null; keep: number; archive: { until: string | null; waitsSince: string | null; trouble: 'away' | 'full' | 'unwritable' | 'taken' | 'wrong-bytes' | 'no-room' | 'other' | null } | null }; examined: { wholeAt: string | null; damagedTables: number; damagedFiles: number }; nodes: readonly ({ name: string; state: 'alive' | 'draining' | 'dead'; version: string; startedAt: string; heartbeatAt: string })[] };
  };
  'GET /service/history': {
    query: { points?: number | undefined };
    answer: { everySeconds: number; times: readonly string[]; series: readonly ({ name: 'framesConnected' | 'framesOverdue' | 'messagesWaiting' | 'deliveriesOpen' | 'rendersWaiting' | 'callbacksWaiting' | 'messages' | 'deliveries' | 'downloads' | 'callbacks' | 'requests' | 'memoryBytes'; unit: 'count' | 'perMinute' | 'bytes'; values: readonly (number | null)[] })[]; stored: { database: number | null; files: number | null; pictures: number | null; firmware: number | null; free: number | null } };
  };
  'GET /openapi.json': {
    answer: { [name: string]: unknown };
  };
}
