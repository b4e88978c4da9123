/** An integration's own settings page, in a frame of its own origin. */
import { useEffect, useRef } from 'preact/hooks';
import { callApi } from '../../ground/call-api.ts';
import { asProblem } from '../../ground/resource.ts';
import { t } from '../../ground/words.ts';
import { problemText } from '../../parts/states.tsx';
import { loadHost } from './frame-modules.ts';
import { type IntegrationFound, stateText } from './manifest-fields.tsx';
import type { SettingsSaver } from './save-settings.ts';

interface FrameProps {
  readonly paperId: string;
  readonly found: IntegrationFound;
  /** The address of the settings page. */
  readonly settingsUrl: string;
  readonly saver: SettingsSaver;
}

/** Draws the frame and serves the page in it. */
export const SettingsFrame = (props: FrameProps) => {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    let stop = (): void => undefined;
    let isGone = false;
    const host = async (): Promise<void> => {
      if (frame.current === null) return;
      const stopHost = await hostIn(frame.current, props);
      if (isGone) stopHost();
      else stop = stopHost;
    };
    host().catch((error: unknown) => {
      props.saver.problem.value = problemText(asProblem(error));
    });
    return () => {
      isGone = true;
      stop();
    };
  }, []);
  return (
    <section id="frame-box" class="card settings-frame" aria-label={t('integration.frame')}>
      <iframe ref={frame} title={t('integration.frame')} />
      <footer>
        <span>{t('integration.frameFrom', { origin: new URL(props.settingsUrl).origin })}</span>
        <span id="state" role="status">
          {stateText(props.saver)}
        </span>
      </footer>
    </section>
  );
};

/**
 * Lets no other origin be framed from here on: the policies of the page and of this element hold both. A policy cannot
 * name an IPv6 address.
 */
function frameOnly(settingsUrl: string): void {
  const { origin, protocol, hostname } = new URL(settingsUrl);
  const policy = document.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = `frame-src ${hostname.startsWith('[') ? protocol : origin}`;
  document.head.append(policy);
}

async function hostIn(
  frame: HTMLIFrameElement,
  { paperId, found, settingsUrl, saver }: FrameProps,
): Promise<() => void> {
  frameOnly(settingsUrl);
  const path = { paperId };
  const [{ hostSettingsFrame }, token] = await Promise.all([
    loadHost(),
    // Without the token a page works as before, except for logins that send the person away.
    callApi('POST /v1/papers/{paperId}/plugin-redirect-token', { path }).catch(() => undefined),
  ]);
  const requestGrant = async (): Promise<string> => {
    try {
      const body = { configUrl: found.configUrl, settingsPage: settingsUrl };
      const { grant } = await callApi('POST /v1/integration-papers/papers/{paperId}/grants', { path, body });
      saver.problem.value = undefined;
      return grant;
    } catch (error) {
      saver.problem.value = t('integration.notConnected', { reason: problemText(asProblem(error)) });
      throw error;
    }
  };
  const redirectUrl = `${location.origin}${location.pathname}`;
  const hosted = hostSettingsFrame({
    window,
    frame,
    settingsUrl,
    sourcePrefix: found.messageSourcePrefix,
    payload: found.payload,
    ...(token !== undefined && { redirect: { redirectUrl, tempToken: token.tempToken } }),
    requestGrant: () => saver.afterPrevious(requestGrant),
    saveSettings: (patch) => void saver.add(patch),
    refused: (why) => {
      saver.problem.value = t('integration.messageRefused', { reason: why });
    },
  });
  return () => hosted.stop();
}
