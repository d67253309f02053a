import type { KeyElement, ShownBytes } from '@/lib/key-values/schema';
import type { KeyDetails } from '@/lib/keys/schema';

/** base64url of a key, like the server's ids of ordinary keys. */
export const keyIdOf = (key: string): string => Buffer.from(key).toString('base64url');

/** Text, or bytes that are not text. */
export const shown = (value: string | Uint8Array, others: Partial<ShownBytes> = {}): ShownBytes => ({
  text: typeof value === 'string' ? value : null,
  base64: typeof value === 'string' ? null : Buffer.from(value).toString('base64'),
  bytes: Buffer.from(value).length,
  truncated: false,
  masked: false,
  decoded: null,
  ...others,
});

export const masked: ShownBytes = {
  text: null,
  base64: null,
  bytes: 0,
  truncated: false,
  masked: true,
  decoded: null,
};

/** A plain string key without a family, with one page. */
export const keyDetails = (others: Partial<KeyDetails> = {}): KeyDetails => {
  const key = others.key ?? 'app:greeting';
  return {
    keyId: keyIdOf(key),
    key,
    family: null,
    title: null,
    state: 'unclassified',
    params: {},
    type: 'string',
    ttlSeconds: null,
    memoryBytes: 96,
    secret: false,
    sensitive: false,
    expiresAt: null,
    encoding: 'embstr',
    length: 5,
    idleSeconds: 12,
    frequency: null,
    documented: null,
    etag: 'etag-1',
    hidden: null,
    needs: null,
    readOnlyReason: null,
    page: null,
    revealable: true,
    string: stringOf('hello'),
    elements: [],
    nextCursor: null,
    related: [],
    drift: [],
    ...others,
  };
};

type StringView = NonNullable<KeyDetails['string']>;

export const stringOf = (value: string | Uint8Array, others: Partial<StringView> = {}): StringView => ({
  kind: typeof value === 'string' ? 'text' : 'binary',
  offset: 0,
  page: shown(value),
  dataUrl: null,
  jwt: null,
  cardinality: null,
  bitsSet: null,
  ...others,
});

/** A collection with these elements on its only page. */
export const collection = (
  type: string,
  elements: KeyElement[],
  others: Partial<KeyDetails> = {},
): KeyDetails => keyDetails({ type, elements, length: elements.length, string: null, ...others });
