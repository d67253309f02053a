import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { isEncoded } from '@/lib/key-values/decode/decode';
import { holdsSecrets } from '@/lib/key-values/secrecy';
import { type MaskRules, REVEALED } from '@/lib/key-values/secret-spans';
import {
  namedSecretKey,
  replaceSpans,
  secretSpans,
  showBytes,
  wholeCharacters,
} from '@/lib/key-values/show-bytes';
import { displayBytes, displayKey } from '@/lib/keyspace/display';
import { MASK } from '@/lib/keyspace/mask';
import type { Registry } from '@/lib/keyspace/registry';
import type { SubscriptionKind } from '@/lib/redis/pubsub';
import { iso } from '@/lib/time';
import { textOf } from '@/lib/values/string-value';
import { carriesKeys, familyOfChannel, namedChannel } from './channel-name';
import { type Fields, fieldsOf, rulesFor } from './fields';
import type { LiveMessage } from './schema';

/** Bytes of a message that are kept and shown. */
export const MAX_SHOWN_BYTES = 8 * 1024;

/** One run of base64, as of what is encoded; words have no capitals. */
const MAYBE_BASE64 = /^(?=[^A-Z]*[A-Z])[\w+/-]{16,}={0,2}\s*$/;

type Context = Pick<ReadContext, 'catalog' | 'connection'>;

interface Heard {
  /** Unique in this process, increasing. */
  number: number;
  at: number;
  kind: SubscriptionKind;
  channel: Buffer;
  /** Through which it was heard; null without one. */
  pattern: Buffer | null;
  /** The beginning of the payload, a copy. */
  head: Buffer;
  bytes: number;
}

/** One message as it was heard. What is costly is found when it is asked for: most are never shown. */
export class Message {
  private ofCatalog: Registry | null = null;
  private wire: Promise<LiveMessage> | null = null;
  private ownFields: Fields | null = null;
  /** Masked, in lower case; undefined until it is asked for. */
  private searched: string | null | undefined;

  constructor(readonly heard: Heard) {}

  /** Bytes it takes in memory, about. */
  get size(): number {
    return this.heard.head.length + this.heard.channel.length + 200;
  }

  private get isCut(): boolean {
    return this.heard.head.length < this.heard.bytes;
  }

  private bind(catalog: Registry): void {
    if (this.ofCatalog === catalog) return;
    this.ofCatalog = catalog;
    this.wire = null;
    this.ownFields = null;
    this.searched = undefined;
  }

  private rules(catalog: Registry): MaskRules {
    return rulesFor(familyOfChannel(this.heard.channel, catalog) !== null);
  }

  private get raw(): string | null {
    return textOf(this.isCut ? wholeCharacters(this.heard.head) : this.heard.head);
  }

  /** The known fields, masked. */
  fields(catalog: Registry): Fields {
    this.bind(catalog);
    this.ownFields ??= this.findFields(catalog);
    return this.ownFields;
  }

  private findFields(catalog: Registry): Fields {
    const text = carriesKeys(this.heard.channel) ? null : this.raw;
    return text === null ? {} : fieldsOf(text, this.isCut, this.rules(catalog));
  }

  /**
   * Whether the text that is shown contains `wanted`, in lower case. Masking takes most of the time, so the text as it is
   * comes first: what that does not contain is not in the masked one either. What may be encoded matches nothing.
   */
  contains(wanted: string, catalog: Registry): boolean {
    this.bind(catalog);
    if (this.searched === undefined) {
      const text = this.raw;
      if (text !== null && !text.toLowerCase().includes(wanted)) return false;
      this.searched = text === null ? null : this.masked(text, catalog).toLowerCase();
    }
    return this.searched?.includes(wanted) ?? false;
  }

  /** As `show` masks it; the mask where it would have to be decoded for that. */
  private masked(text: string, catalog: Registry): string {
    const { head, channel } = this.heard;
    if (carriesKeys(channel)) return displayKey(head, catalog);
    if (MAYBE_BASE64.test(text) || isEncoded(head)) return MASK;
    const name = this.isCut ? null : namedSecretKey(head, catalog);
    if (name !== null) return name;
    const whole = Buffer.from(text);
    return replaceSpans(whole, secretSpans(whole, this.rules(catalog), this.isCut)).toString();
  }

  /** Unique among all processes. */
  idIn(process: string): string {
    return `${process}-${this.heard.number}`;
  }

  /** Not where the catalog says that it holds a secret, nor where it names a key with one. */
  private isRevealable(ctx: Context): boolean {
    const { channel, head } = this.heard;
    if (carriesKeys(channel) || holdsSecrets(namedChannel(ctx, channel).family)) return false;
    return namedSecretKey(head, ctx.catalog) === null;
  }

  /** The payload with what only looks like a secret; null where it is not revealable. */
  async revealed(ctx: Context): Promise<string | null> {
    return this.isRevealable(ctx) ? (await this.payload(ctx, REVEALED)).payload : null;
  }

  /** For an answer, with secrets masked. */
  show(ctx: Context, process: string): Promise<LiveMessage> {
    this.bind(ctx.catalog);
    this.wire ??= this.toWire(ctx, process);
    return this.wire;
  }

  private async toWire(ctx: Context, process: string): Promise<LiveMessage> {
    const { at, kind, channel, pattern, bytes } = this.heard;
    const { shown, id, family } = namedChannel(ctx, channel);
    const shownPayload = await this.payload(ctx, this.rules(ctx.catalog));
    const fields = this.fields(ctx.catalog);
    return {
      id: this.idIn(process),
      at: iso(at),
      kind,
      channel: shown,
      channelId: id,
      family: family?.id ?? null,
      familyTitle: family?.title ?? null,
      pattern: pattern === null ? null : namedChannel(ctx, pattern).shown,
      ...shownPayload,
      revealable: shownPayload.masked && id !== null && this.isRevealable(ctx),
      fields,
      truncated: this.isCut,
      bytes,
    };
  }

  private async payload(ctx: Context, rules: MaskRules): Promise<Pick<LiveMessage, 'payload' | 'masked'>> {
    const { head, channel, bytes } = this.heard;
    const { catalog } = ctx;
    if (carriesKeys(channel)) {
      const payload = displayKey(head, catalog);
      return { payload, masked: payload.includes(MASK) };
    }
    // It decodes as well: what is compressed may hold a secret.
    const shown = await showBytes({ bytes: head, length: bytes }, { catalog, rules, decode: false });
    const hidden = shown.base64 === null ? MASK : displayBytes(head);
    return { payload: shown.text ?? hidden, masked: shown.masked };
  }
}
