import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Cut } from '@/lib/key-values/etag';
import type { Listed } from '@/lib/key-values/listed-keys';
import { type RawElement, rangeOfElements, readEntries } from '@/lib/key-values/raw-elements';
import type { ShownBytes } from '@/lib/key-values/schema';
import { followsName, rulesForFields } from '@/lib/key-values/secret-spans';
import { type DecodingBudget, maskedBytes, showBytes } from '@/lib/key-values/show-bytes';
import { MASK } from '@/lib/keyspace/mask';
import { isoOrNull, SECOND } from '@/lib/time';
import { readTime } from '@/lib/values/read-time';
import type { QueueType } from './ends';
import { payloadTime } from './payload-time';
import type { End, QueueEntry } from './schema';

/** Where a page of elements begins: their number before it, or the id of the entry before it. */
export type EntryPlace = number | string;

const MAX_PREVIEW_BYTES = 512;
const MAX_FIELDS = 10;

/** Elements from an end; of a sorted set the head has the lowest score. Long ones are cut on the server. */
export const readRaw = async (
  ctx: ReadContext,
  key: Buffer,
  { type, from, place, count }: { type: QueueType; from: End; place: EntryPlace; count: number },
): Promise<RawElement[]> => {
  if (type === 'stream')
    return readEntries(
      ctx,
      key,
      place === 0 ? '' : `${place}`,
      count,
      from === 'head' ? 'XRANGE' : 'XREVRANGE',
    );
  const how = type === 'list' ? 'LRANGE' : 'ZRANGE';
  const before = Number(place);
  if (from === 'head') return rangeOfElements(ctx, key, how, before, count);
  // Counted from the end, whatever the length is by then.
  return (await rangeOfElements(ctx, key, how, -(before + count), count)).reverse();
};

export const scoreOf = ([, score]: RawElement): string => score?.bytes.toString('latin1') ?? '';

/** Null for an id that the application counts itself. */
const entryTime = (entryId: string): number | null => readTime(entryId.split('-')[0]!);

/** What a cut leaves of a character of two code units. */
const HALF_CHARACTER = /[\ud800-\udbff]$/;

/** Cut to what a preview shows, after secrets were masked. */
const shortened = (shown: ShownBytes): ShownBytes => {
  const { text, base64 } = shown;
  if (text !== null && text.length > MAX_PREVIEW_BYTES)
    return { ...shown, text: text.slice(0, MAX_PREVIEW_BYTES).replace(HALF_CHARACTER, ''), truncated: true };
  const bytes = base64 === null ? null : Buffer.from(base64, 'base64');
  if (bytes === null || bytes.length <= MAX_PREVIEW_BYTES) return shown;
  return { ...shown, base64: bytes.subarray(0, MAX_PREVIEW_BYTES).toString('base64'), truncated: true };
};

/** Shows elements as the key inspector would. Decoding them, to find secrets, has one budget. */
export class EntryShower {
  private readonly decoding: DecodingBudget = { bytesLeft: 2 ** 20, msLeft: SECOND / 2 };

  constructor(
    private readonly ctx: ReadContext,
    private readonly listed: Listed,
    private readonly type: QueueType,
  ) {}

  private async bytes(cut: Cut, isSecret = false): Promise<ShownBytes> {
    const { hidden, rules, secretMembers } = this.listed.access;
    if (hidden || secretMembers || isSecret) return maskedBytes(cut.length);
    const { catalog } = this.ctx;
    return shortened(await showBytes(cut, { catalog, rules, decode: false, decoding: this.decoding }));
  }

  private async fields(parts: RawElement): Promise<QueueEntry['fields']> {
    const fields: NonNullable<QueueEntry['fields']> = [];
    // One by one: decoders need memory of their own.
    const pairs = parts.flatMap((name, i) =>
      i % 2 === 0 && parts[i + 1] ? [[name, parts[i + 1]!] as const] : [],
    );
    const rules = rulesForFields(this.listed.access.rules, pairs);
    for (const [name, value] of pairs.slice(0, MAX_FIELDS)) {
      const isSecret = rules.isSecretField(name.bytes.toString('utf8'));
      fields.push({ field: await this.bytes(name), value: await this.bytes(value, isSecret) });
    }
    return fields;
  }

  private timeOf(raw: RawElement): number | null {
    const now = this.ctx.now();
    const [first] = raw;
    if (this.type === 'stream') return entryTime(first!.bytes.toString('latin1'));
    const stated = this.listed.access.hidden ? null : payloadTime(first!, now);
    if (stated !== null || this.type === 'list') return stated;
    const due = readTime(scoreOf(raw));
    // A task that is not due yet does not say since when it waits.
    return due !== null && due <= now ? due : null;
  }

  async show(raw: RawElement, isSecret = false): Promise<QueueEntry> {
    const at = isoOrNull(this.timeOf(raw));
    const [first, ...parts] = raw;
    const isStream = this.type === 'stream';
    return {
      value: isStream ? null : await this.bytes(first!, isSecret),
      fields: isStream ? await this.fields(parts) : null,
      entryId: isStream ? first!.bytes.toString('latin1') : null,
      score: this.type === 'zset' ? scoreOf(raw) || MASK : null,
      at,
      ageSeconds: at === null ? null : Math.max(0, Math.round((this.ctx.now() - Date.parse(at)) / SECOND)),
    };
  }

  async showAll(raw: readonly RawElement[]): Promise<QueueEntry[]> {
    const shown: QueueEntry[] = [];
    for (const [i, one] of raw.entries()) {
      const isSecret = this.type === 'list' && followsName(this.listed.access.rules, raw[i - 1]?.[0]?.bytes);
      shown.push(await this.show(one, isSecret));
    }
    return shown;
  }
}
