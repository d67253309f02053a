import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Cut } from '@/lib/key-values/etag';
import { followsName, type MaskRules, rulesForFields } from '@/lib/key-values/secret-spans';
import type { DecodingBudget } from '@/lib/key-values/show-bytes';
import { showText } from '@/lib/key-values/show-text';
import { MASK } from '@/lib/keyspace/mask';
import { MAX_REPLY_BYTES } from './limits';
import { MAX_NODES, type ReplyNode } from './schema';
import type { Line } from './typed-line';

/** Replies are bytes, whole numbers (text beyond 2^53), nothing, and lists of them. */
export type RawReply = Buffer | number | string | null | RawReply[];

/** Bytes of one element that are shown; a single text may be as long as a reply. */
const MAX_ELEMENT_BYTES = 64 * 1024;
const MAX_DEPTH = 8;
const DECODING = { bytesLeft: 2 * 2 ** 20, msLeft: 1000 };

/** The strictest of what the caller may see of the keys of a line. Of keys whose members are secrets no line answers any. */
interface Access {
  rules: MaskRules;
  isSingleValue: boolean;
}

const accessOf = ({ keys }: Line): Access => ({
  rules: {
    strict: keys.length === 0 || keys.some(({ access }) => access.rules.strict),
    isSecretField: (name) => keys.some(({ access }) => access.rules.isSecretField(name)),
  },
  isSingleValue: keys.some(({ access }) => access.isSingleValue),
});

/** A write beyond 2⁵³ whose key our Redis user may not read has no digits, which are better than wrong ones. */
const integerText = (value: number | string): string =>
  typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : '—';

type Shown = Pick<ReplyNode, 'text' | 'masked' | 'length'>;

/** Builds the nodes of one reply within its limits. */
export class Replies {
  readonly nodes: ReplyNode[] = [];
  truncated = false;
  private chars = 0;
  private readonly ctx: ReadContext;
  private readonly access: Access;
  private readonly decoding: DecodingBudget = { ...DECODING };

  constructor(ctx: ReadContext, line: Line) {
    this.ctx = ctx;
    this.access = accessOf(line);
  }

  get isFull(): boolean {
    return this.nodes.length >= MAX_NODES || this.chars >= MAX_REPLY_BYTES;
  }

  /** False above the limits: the rest of the reply is dropped. */
  add(node: ReplyNode): boolean {
    if (this.isFull) {
      this.truncated = true;
      return false;
    }
    this.chars += (node.text?.length ?? 0) + (node.name?.length ?? 0);
    this.nodes.push(node);
    return true;
  }

  async text(bytes: Buffer, max = MAX_ELEMENT_BYTES): Promise<Shown> {
    const cut: Cut = { bytes: bytes.subarray(0, max), length: bytes.length };
    const { ctx, access, decoding } = this;
    const options = {
      catalog: ctx.catalog,
      access: { ...access, hidden: null, secretMembers: false },
      decoding,
    };
    const { value, masked, truncated } = await showText(cut, options);
    this.truncated ||= truncated;
    return {
      text: value,
      ...(masked && { masked: true }),
      ...(truncated && { length: bytes.length }),
    };
  }

  /** Any reply, whatever the command. */
  async any(raw: RawReply, depth = 0): Promise<void> {
    if (raw === null) this.add({ depth, type: 'nil', text: null });
    else if (typeof raw === 'number' || typeof raw === 'string')
      this.add({ depth, type: 'integer', text: integerText(raw) });
    else if (Buffer.isBuffer(raw)) {
      const max = depth === 0 ? MAX_REPLY_BYTES : MAX_ELEMENT_BYTES;
      if (this.isFull) this.truncated = true;
      else this.add({ depth, type: 'string', ...(await this.text(raw, max)) });
    } else {
      if (!this.add({ depth, type: 'array', text: null, length: raw.length })) return;
      if (depth >= MAX_DEPTH) this.truncated = true;
      else for (const [i, each] of raw.entries()) await this.element(each, raw[i - 1], depth + 1);
    }
  }

  /** Whether the element behind another is a secret that this one names. */
  isNamedBy(before: RawReply | undefined): boolean {
    return Buffer.isBuffer(before) && followsName(this.access.rules, before);
  }

  /** An element of a list, masked where it follows the name of a secret. */
  private async element(raw: RawReply, before: RawReply | undefined, depth: number): Promise<void> {
    if (this.isNamedBy(before) && !Array.isArray(raw))
      this.add({ depth, type: 'string', text: null, masked: true });
    else await this.any(raw, depth);
  }

  /** The fields of one hash or entry. */
  async fields(pairs: readonly (readonly [name: Buffer, value: RawReply])[], depth: number): Promise<void> {
    const rules = rulesForFields(
      this.access.rules,
      pairs.flatMap(([name, value]) => (Buffer.isBuffer(value) ? [[{ bytes: name }, { bytes: value }]] : [])),
    );
    for (const [name, value] of pairs) await this.field(name, value, depth, rules);
  }

  /** A value beside the name of its field. */
  async field(name: Buffer, value: RawReply, depth: number, rules = this.access.rules): Promise<void> {
    if (this.isFull) {
      this.truncated = true;
      return;
    }
    const shownName = (await this.text(name)).text ?? MASK;
    if (value === null) this.add({ depth, type: 'nil', text: null, name: shownName });
    else if (!Buffer.isBuffer(value))
      this.add({ depth, type: 'string', text: String(value), name: shownName });
    else {
      const shown = rules.isSecretField(name.toString('utf8'))
        ? { text: null, masked: true }
        : await this.text(value);
      this.add({ depth, type: 'string', ...shown, name: shownName });
    }
  }
}
