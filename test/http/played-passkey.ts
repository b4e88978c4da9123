/** A device with passkeys, played: it makes one, and signs with it, as browsers hand that on. */
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { encodeCBOR } from '@levischuck/tiny-cbor';

/** The page's request to the device. */
export interface AskedOf {
  readonly challenge: string;
  /** The page's origin. */
  readonly origin: string;
  /** The name for which it signs: the page's host, unless somebody cheats. */
  readonly rpId?: string;
}

/** How the device answers, where it is not as it should be. */
export interface PlayedFault {
  readonly counter?: number;
  /** Whether it checked who its person is. */
  readonly verified?: boolean;
  readonly userHandle?: string;
  /** Whether it signs with the key of another device. */
  readonly forged?: boolean;
  readonly type?: string;
}

/** A passkey of the device. */
export interface PlayedPasskey {
  readonly id: string;
  make(asked: AskedOf, fault?: PlayedFault): Record<string, unknown>;
  sign(asked: AskedOf, fault?: PlayedFault): Record<string, unknown>;
}

const flags = { present: 0x01, verified: 0x04, attested: 0x40 };
const text = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest();

/** Makes a device with one passkey. */
export function playPasskey(): PlayedPasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const credentialId = randomBytes(32);
  const id = credentialId.toString('base64url');
  const cose = encodeCBOR(
    new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ]),
  );

  const clientData = ({ challenge, origin }: AskedOf, type: string): Buffer =>
    text({ type, challenge, origin, crossOrigin: false });

  function head({ origin, rpId = new URL(origin).hostname }: AskedOf, more: number, fault: PlayedFault): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(fault.counter ?? 0);
    const said = flags.present | (fault.verified === false ? 0 : flags.verified) | more;
    return Buffer.concat([sha256(rpId), Buffer.from([said]), counter]);
  }

  const written = (response: Record<string, Uint8Array>) => ({
    id,
    rawId: id,
    type: 'public-key',
    response: Object.fromEntries(
      Object.entries(response).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64url')]),
    ),
  });

  return {
    id,
    make(asked, fault = {}) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, cose]);
      const authData = Buffer.concat([head(asked, flags.attested, fault), attested]);
      const attestationObject = encodeCBOR(
        new Map<string, string | Uint8Array | Map<string, string>>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', new Uint8Array(authData)],
        ]),
      );
      return written({ clientDataJSON: clientData(asked, fault.type ?? 'webauthn.create'), attestationObject });
    },
    sign(asked, fault = {}) {
      const authenticatorData = head(asked, 0, fault);
      const clientDataJSON = clientData(asked, fault.type ?? 'webauthn.get');
      const signature = createSign('sha256')
        .update(Buffer.concat([authenticatorData, sha256(clientDataJSON)]))
        .sign(fault.forged === true ? other : privateKey);
      const { userHandle } = fault;
      return written({
        clientDataJSON,
        authenticatorData,
        signature,
        ...(userHandle !== undefined && { userHandle: Buffer.from(userHandle) }),
      });
    },
  };
}
