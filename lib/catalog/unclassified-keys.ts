import 'server-only';
import { identifyKeys } from '@/lib/command/identify-keys';
import { displayUnclassified } from '@/lib/keyspace/display';
import { escapeGlob } from '@/lib/keyspace/glob';
import type { KeySample } from '@/lib/keyspace/infer';
import { looksSecret } from '@/lib/keyspace/mask';
import type { Registry } from '@/lib/keyspace/registry';
import { wordsBefore } from '@/lib/keyspace/words';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { distinct } from '@/lib/redis/distinct';
import { scanPatterns } from '@/lib/redis/scan';
import { countWithRestart } from '@/lib/redis/server-process';
import { SECOND } from '@/lib/time';
import { looksLikeKeyBytes } from '@/lib/values/key-bytes';

/**
 * Keys and bytes of their names kept at most. SCAN's order is random, so the first of them are a fair sample; clustering
 * more would hold up the console's other requests.
 */
const MAX_SAMPLES = 50_000;
const MAX_NAME_BYTES = 16 * 2 ** 20;
/** A longer name is counted and proposes nothing. */
const MAX_NAME_LENGTH = 1024;
/** Keys with the same beginning and type whose content is looked at. */
const LOOKED_AT = 5;
const MAX_LOOKS = 2000;
const LOOK_BYTES = 1024;
const LOOK_FIELDS = 20;

export interface UnclassifiedKeys {
  samples: KeySample[];
  /** Unclassified keys that were examined, with those that may be secrets or are too long to propose anything. */
  keys: number;
  /** Keys that begin as those of a family and do not fit its pattern, by the family's id. */
  malformed: ReadonlyMap<string, number>;
  scanned: number;
  /** Whether the scan came to its end. */
  complete: boolean;
}

type Read = Pick<KeySample, 'type' | 'ttlSeconds'>;
type Look = Pick<KeySample, 'fields' | 'secretValue'>;

const readTypes = async (handle: ConnectionHandle, keys: readonly Key[]): Promise<Read[]> => {
  const commands: ReadCommand[] = keys.flatMap((key) => [['TYPE', key] as const, ['PTTL', key] as const]);
  const replies: readonly unknown[] = await handle.background.readMany(commands);
  return keys.map((_, i) => {
    const [type, ttl] = [replies[2 * i], replies[2 * i + 1]];
    return {
      type: typeof type === 'string' && type !== 'none' ? type : null,
      ttlSeconds: typeof ttl !== 'number' || ttl === -2 ? undefined : ttl < 0 ? null : ttl / SECOND,
    };
  });
};

const isSecretBytes = (bytes: Buffer): boolean =>
  bytes.toString('utf8').includes('\ufffd') ? looksLikeKeyBytes(bytes) : looksSecret(bytes.toString('utf8'));

/** Looks at the beginning of a value. What it says is never stored, only whether it looks like a secret. */
const look = async ({ background }: ConnectionHandle, key: Key, type: string | null): Promise<Look> => {
  if (type === 'string') {
    const value = await background.getString(key, LOOK_BYTES);
    return value ? { secretValue: isSecretBytes(value.bytes) } : {};
  }
  if (type !== 'hash') return {};
  const { elements } = await background.scanCollection('HSCAN', key, '0', { count: LOOK_FIELDS });
  const names = elements.filter((_, i) => i % 2 === 0).slice(0, LOOK_FIELDS);
  // A field may be named after a token.
  const fields = names.map(String).filter((name) => name.length <= 100 && !looksSecret(name));
  return { fields };
};

class Collection {
  readonly samples: KeySample[] = [];
  readonly malformed = new Map<string, number>();
  keys = 0;
  scanned = 0;
  private bytes = 0;
  private looks = 0;
  private readonly looked = new Map<string, number>();
  private readonly isNew = distinct();

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly catalog: Registry,
  ) {}

  get isFull(): boolean {
    return this.samples.length >= MAX_SAMPLES || this.bytes >= MAX_NAME_BYTES;
  }

  async add(scanned: readonly Key[]): Promise<void> {
    const fresh = scanned.filter((key) => this.isNew(key));
    this.scanned += fresh.length;
    const identified = await identifyKeys(this.handle.background, this.catalog, fresh);
    const keys: Key[] = [];
    for (const [i, key] of fresh.entries()) {
      const { family, malformedOf, isSettled } = identified[i]!;
      if (malformedOf) this.malformed.set(malformedOf.id, (this.malformed.get(malformedOf.id) ?? 0) + 1);
      if (family || malformedOf) continue;
      this.keys += 1;
      // One that is not settled may be a bare secret.
      if (key.length <= MAX_NAME_LENGTH && isSettled) keys.push(key);
    }
    const reads = await readTypes(this.handle, keys);
    for (const [i, key] of keys.entries()) {
      this.bytes += key.length;
      const read = reads[i]!;
      const mayBeSecret = read.type === 'hash' && this.catalog.locate(key).candidate !== null;
      this.samples.push({
        key,
        ...read,
        ...(await this.lookAt(key, read.type)),
        ...(mayBeSecret && { mayBeSecret }),
      });
    }
  }

  private async lookAt(key: Key, type: string | null): Promise<Look> {
    if (this.looks >= MAX_LOOKS || type === null) return {};
    const kind = `${wordsBefore(displayUnclassified(key, this.catalog)).join('')} ${type}`;
    const before = this.looked.get(kind) ?? 0;
    if (before >= LOOKED_AT) return {};
    this.looks += 1;
    this.looked.set(kind, before + 1);
    return look(this.handle, key, type).catch(() => ({}));
  }
}

const patternOf = (prefix: string): Buffer =>
  Buffer.concat([escapeGlob(Buffer.from(prefix)), Buffer.from('*')]);

interface Options {
  /** Only keys that begin with one of these; all by default. */
  prefixes: readonly string[] | null;
  /** Keys examined at most; without it as many as are kept. */
  maxScanned?: number;
  signal: AbortSignal;
  /** Awaited after each chunk; 0–1. */
  onShare(share: number): Promise<void>;
}

/** Samples the keys that no family has, within the scan budget. Changes nothing. */
export const collectUnclassified = (
  handle: ConnectionHandle,
  catalog: Registry,
  { prefixes, maxScanned = Number.POSITIVE_INFINITY, signal, onShare }: Options,
): Promise<UnclassifiedKeys> =>
  countWithRestart(
    handle,
    async () => {
      const found = new Collection(handle, catalog);
      let complete = true;
      for await (const { keys, share } of scanPatterns(handle, prefixes?.map(patternOf) ?? ['*'], {
        signal,
      })) {
        await found.add(keys);
        await onShare(share);
        if (!found.isFull && found.scanned < maxScanned) continue;
        complete = share === 1;
        break;
      }
      const { samples, keys, malformed, scanned } = found;
      return { samples, keys, malformed, scanned, complete };
    },
    signal,
  );
