import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const USER_PRESENT = 0x01;
const ATTESTED = 0x40;

/** A byte string of CBOR, 24 to 255 bytes long. */
const bytes = (data: Buffer): Buffer => Buffer.concat([Buffer.from([0x58, data.length]), data]);
const text = (word: string): Buffer => Buffer.from([0x60 + word.length, ...Buffer.from(word)]);

/** An authenticator with one passkey (ES256, no attestation), as WebAuthn Level 3 describes it. */
export class Authenticator {
  readonly id = randomBytes(16);
  counter = 0;
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
  }

  #clientData(type: 'webauthn.create' | 'webauthn.get', challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false }));
  }

  #authenticatorData(flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(new URL(this.#origin).hostname), Buffer.from([flags]), counter]);
  }

  /** The public key as COSE (RFC 9053): EC2, ES256, P-256. */
  #coseKey(): Buffer {
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' });
    const coordinate = (name: number, value: string) =>
      Buffer.concat([Buffer.from([name]), bytes(Buffer.from(value, 'base64url'))]);
    const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]);
    return Buffer.concat([head, coordinate(0x21, x!), coordinate(0x22, y!)]);
  }

  #credential(response: Record<string, Buffer>) {
    const id = this.id.toString('base64url');
    const encoded = Object.entries(response).map(([name, value]) => [name, value.toString('base64url')]);
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: Object.fromEntries(encoded) as Record<string, string>,
    };
  }

  /** Answers `navigator.credentials.create`. */
  create({ challenge }: { challenge: string }) {
    const idLength = Buffer.from([0, this.id.length]);
    const authData = Buffer.concat([
      this.#authenticatorData(USER_PRESENT | ATTESTED),
      Buffer.alloc(16),
      idLength,
      this.id,
      this.#coseKey(),
    ]);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      text('fmt'),
      text('none'),
      text('attStmt'),
      Buffer.from([0xa0]),
      text('authData'),
      bytes(authData),
    ]);
    const clientDataJSON = this.#clientData('webauthn.create', challenge);
    return this.#credential({ clientDataJSON, attestationObject });
  }

  /** Answers `navigator.credentials.get`, and counts it. */
  get({ challenge }: { challenge: string }) {
    this.counter++;
    const authenticatorData = this.#authenticatorData(USER_PRESENT);
    const clientDataJSON = this.#clientData('webauthn.get', challenge);
    const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)]);
    const signature = sign('sha256', signed, this.#keys.privateKey);
    return this.#credential({ clientDataJSON, authenticatorData, signature });
  }
}
