/** The variables of the home's broker, over which frames are published to Home Assistant. */
import { z } from 'zod';
import { isId } from '../../../runtime/random.ts';
import { loginMistake, parseUrl } from '../../../runtime/read-address.ts';

const brokerExample = 'is not the address of a broker: mqtt://user:password@192.168.1.10:1883, or mqtts://';

/** The variables. The address is named in a mistake and not quoted: it holds a password. */
export const hassVariables = {
  PAPERGATE_HASS_MQTT_URL: z
    .string()
    .refine(isBrokerUrl, { error: ({ input }) => loginMistake(String(input)) ?? brokerExample })
    .optional(),
  PAPERGATE_HASS_PREFIX: z
    .string()
    .regex(
      /^[A-Za-z0-9_-]{1,40}(?:\/[A-Za-z0-9_-]{1,40}){0,3}$/,
      'letters, digits, _ and -, in parts with / between them',
    )
    .default('homeassistant'),
  PAPERGATE_HASS_ORGANIZATION: z
    .string()
    .refine(isId, 'is not an id of an organization, which GET /organizations/ shows')
    .optional(),
} as const;

function isBrokerUrl(text: string): boolean {
  if (!/^mqtts?:\/\/[^/?#]+\/?$/.test(text) || loginMistake(text) !== undefined) return false;
  return (parseUrl(text)?.hostname ?? '') !== '';
}
