/**
 * The topics of both dialects, and who may use them. Topics are compared for equality only, never by prefix or pattern.
 */
import { frameIdPattern } from './limits.ts';
import { type MessageName, messages } from './messages.ts';

/** The topic of a native message, e.g. `frames/1/epd7-b0c1d2e3f405/hello`. */
export function nativeTopic(frame: string, name: MessageName): string {
  return `frames/1/${frame}/${name}`;
}

/** The topics of the classic dialect. They start with `$`, so wildcard subscriptions never match them (W-25). */
export const classicTopics = {
  receive: (frame: string) => `$aws/things/${frame}/epaper/receive`,
  activate: (frame: string) => `$aws/things/${frame}/activateepaper`,
  request: (frame: string) => `$aws/things/${frame}/epaper/getimageurl`,
  state: (frame: string) => `$aws/things/${frame}/epaper/updatestate`,
} as const;

/** The use of a topic for the frame that it belongs to. */
export type TopicUse =
  | { readonly dialect: 'native'; readonly name: MessageName }
  | { readonly dialect: 'classic'; readonly name: keyof typeof classicTopics };

/**
 * Returns the use that a frame may make of a topic; undefined when it may make none.
 * @param frame the identity that its credential proved, as the frame sent it; an invalid identity may use nothing,
 * since `+` and `#` would make a topic of its own into a filter for everybody's (T-41)
 */
export function topicUse(frame: string, topic: string, act: 'publish' | 'subscribe'): TopicUse | undefined {
  if (!frameIdPattern.test(frame)) return undefined;
  for (const name of Object.keys(messages) as MessageName[]) {
    const allowed = messages[name].from === 'frame' ? 'publish' : 'subscribe';
    if (allowed === act && topic === nativeTopic(frame, name)) return { dialect: 'native', name };
  }
  for (const name of Object.keys(classicTopics) as (keyof typeof classicTopics)[]) {
    const allowed = name === 'receive' ? 'subscribe' : 'publish';
    if (allowed === act && topic === classicTopics[name](frame)) return { dialect: 'classic', name };
  }
  return undefined;
}

/**
 * The version of the native dialect that a topic of this frame asks for, when it is not known here: such a frame is
 * merely newer than its gateway.
 * @returns undefined for every other topic, those of other frames among them
 */
export function unknownVersion(frame: string, topic: string): number | undefined {
  const [frames, version = '', id, name = '', ...more] = topic.split('/');
  if (!frameIdPattern.test(frame) || frames !== 'frames' || id !== frame || more.length > 0) return undefined;
  if (!/^[1-9][0-9]{0,3}$/.test(version) || !/^[a-z-]{1,32}$/.test(name)) return undefined;
  return version === '1' ? undefined : Number(version);
}
