import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { keyIdOf, rememberLongKeys } from '@/lib/command/key-ids';
import { identify } from '@/lib/key-values/identity';
import { addLinks } from '@/lib/key-values/links';
import { matchesShown } from '@/lib/key-values/masked-match';
import { globParts } from '@/lib/keyspace/glob';
import { MASK } from '@/lib/keyspace/mask';
import { type RawReply, Replies } from './reply-nodes';
import { MAX_NODES, type ReplyNode, type ReplyType } from './schema';
import type { Line } from './typed-line';
import { hasOption, namedFields, nameOf, OF_FIELDS, optionAt } from './words';

export interface ShownReply {
  type: ReplyType;
  reply: ReplyNode[];
  truncated: boolean;
}

const STATUS = new Set('set mset hmset rename ltrim lset type ping pfmerge xsetid'.split(' '));
const ENTRIES = new Set('xrange xrevrange xclaim'.split(' '));
const SCORED = new Set('zscan zpopmin zpopmax'.split(' '));

/** Commands that return lists, whose elements may be a name and its value. */
const ORDERED = new Set(['lrange', 'lpop', 'rpop']);

const buffersOf = (raw: RawReply): Buffer[] => (Array.isArray(raw) ? raw.filter(Buffer.isBuffer) : []);

/** The keys of a SCAN page, or one of RANDOMKEY: as lists show them, with links where a name holds no secret. */
const showKeys = async (
  ctx: ReadContext,
  line: Line,
  keys: readonly Buffer[],
  out: Replies,
): Promise<void> => {
  const at = optionAt(line.call, 'MATCH', 2);
  const pattern =
    nameOf(line.call) === 'scan' && at >= 0 ? globParts(line.call.args[at + 1] ?? Buffer.alloc(0)) : null;
  await rememberLongKeys(ctx, keys);
  for (const { key, name, shown, secret } of await identify(ctx, keys)) {
    // A pattern must not find out letter by letter what is masked.
    if (pattern && secret && !matchesShown(pattern, name)) continue;
    const id = secret ? {} : { keyId: keyIdOf(ctx, key) };
    out.add({ depth: 1, type: 'string', text: shown, ...(secret && { masked: true }), ...id });
  }
};

/** Members of one collection, with the keys that they name. */
const showMembers = async (
  ctx: ReadContext,
  line: Line,
  members: readonly (readonly [Buffer, string?])[],
  out: Replies,
): Promise<void> => {
  const at = nameOf(line.call).endsWith('scan') ? optionAt(line.call, 'MATCH', 3) : -1;
  const pattern = at >= 0 ? globParts(line.call.args[at + 1] ?? Buffer.alloc(0)) : null;
  const shown: { node: ReplyNode; member: Buffer }[] = [];
  for (const [i, [member, score]] of members.entries()) {
    if (shown.length >= MAX_NODES) break;
    const isNext = ORDERED.has(nameOf(line.call)) && out.isNamedBy(members[i - 1]?.[0]);
    const text = isNext ? { text: null, masked: true } : await out.text(member);
    if (pattern && text.masked && !matchesShown(pattern, text.text ?? MASK)) continue;
    shown.push({
      node: { depth: 1, type: 'string', ...text, ...(score !== undefined && { score }) },
      member,
    });
  }
  const [first] = line.keys;
  const linked =
    first && line.keys.length === 1
      ? await addLinks(
          ctx,
          first.identity,
          shown.map(({ member }) => ({ element: { id: '' }, member })),
        )
      : [];
  shown.forEach(({ node }, i) => {
    const link = linked[i]?.link;
    out.add({ ...node, ...(link && !/^[sh]\./.test(link.keyId) && { keyId: link.keyId }) });
  });
  if (members.length > MAX_NODES) out.truncated = true;
};

const pairsOf = (flat: readonly Buffer[]): (readonly [Buffer, Buffer])[] =>
  flat.flatMap((name, i) => (i % 2 === 0 && flat[i + 1] ? [[name, flat[i + 1]!] as const] : []));

const showPairs = async (pairs: readonly Buffer[], line: Line, out: Replies): Promise<void> => {
  const at = nameOf(line.call) === 'hscan' ? optionAt(line.call, 'MATCH', 3) : -1;
  const pattern = at >= 0 ? globParts(line.call.args[at + 1] ?? Buffer.alloc(0)) : null;
  const shown: (readonly [Buffer, Buffer])[] = [];
  for (const [field, value] of pairsOf(pairs)) {
    const name = pattern ? await out.text(field) : null;
    if (pattern && name?.masked && !matchesShown(pattern, name.text ?? MASK)) continue;
    shown.push([field, value]);
  }
  await out.fields(shown, 1);
};

const showEntries = async (entries: readonly RawReply[], out: Replies): Promise<void> => {
  for (const entry of entries) {
    if (!Array.isArray(entry)) {
      await out.any(entry, 1);
      continue;
    }
    const [id, fields] = entry;
    out.add({ depth: 1, type: 'string', text: Buffer.isBuffer(id!) ? id.toString('latin1') : null });
    await out.fields(pairsOf(buffersOf(fields ?? null)), 2);
  }
};

const SCORE = /^[+-]?(?:inf|nan|\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?)$/i;

/** Members, with their scores if any. Other text is never shown as a score, because scores are not masked. */
const withScores = (flat: readonly Buffer[], hasScores: boolean): (readonly [Buffer, string?])[] => {
  const scores = hasScores ? flat.filter((_, i) => i % 2 === 1).map((score) => score.toString('latin1')) : [];
  if (!hasScores || !scores.every((score) => SCORE.test(score)))
    return flat.map((member) => [member] as const);
  return scores.map((score, i) => [flat[2 * i]!, score] as const);
};

const LISTS = new Set(
  (
    'lrange smembers sinter sunion sdiff srandmember spop zrange zrevrange zrangebyscore zrevrangebyscore ' +
    'zrandmember vrandmember zinter zunion zdiff hkeys geosearch lpop rpop'
  ).split(' '),
);
/** Whether a list is flat: options make elements of it lists themselves. */
const isFlat = (raw: RawReply): raw is Buffer[] => Array.isArray(raw) && raw.every(Buffer.isBuffer);

/** The type of a reply and its nodes, by the command; what no rule here knows is shown as it is nested. */
const build = async (ctx: ReadContext, line: Line, raw: RawReply, out: Replies): Promise<ReplyType> => {
  const { call } = line;
  const name = nameOf(call);
  if (name.endsWith('scan') && Array.isArray(raw)) {
    const [cursor, elements = null] = raw;
    // The cursor is the first node, the elements follow.
    out.add({ depth: 0, type: 'string', text: Buffer.isBuffer(cursor!) ? cursor.toString('latin1') : '0' });
    const found = buffersOf(elements);
    const hasPairs = name === 'hscan' && !hasOption(call, 'NOVALUES', 3);
    if (name === 'scan') await showKeys(ctx, line, found, out);
    else if (hasPairs) await showPairs(found, line, out);
    else await showMembers(ctx, line, withScores(found, name === 'zscan'), out);
    return hasPairs ? 'fields' : (({ scan: 'keys', zscan: 'scores' } as const)[name] ?? 'list');
  }
  if (name === 'randomkey' && Buffer.isBuffer(raw)) {
    await showKeys(ctx, line, [raw], out);
    return 'keys';
  }
  if (raw === null || typeof raw === 'number' || typeof raw === 'string') {
    await out.any(raw);
    return raw === null ? 'nil' : 'integer';
  }
  if (Buffer.isBuffer(raw)) {
    const isStatus = STATUS.has(name) && (name !== 'set' || !hasOption(call, 'GET', 3));
    if (isStatus) out.add({ depth: 0, type: 'status', text: raw.toString('latin1').slice(0, 100) });
    else if (name === 'hget') await out.field(call.args[2]!, raw, 0);
    else await out.any(raw);
    return isStatus ? 'status' : 'string';
  }
  if (OF_FIELDS.has(name)) {
    const fields = namedFields(call);
    await out.fields(
      raw.map((value, i) => [fields[i] ?? Buffer.alloc(0), value]),
      1,
    );
    return 'fields';
  }
  const hasValues = name === 'hrandfield' && hasOption(call, 'WITHVALUES', 3);
  if ((name === 'hgetall' || hasValues) && isFlat(raw)) {
    await showPairs(raw, line, out);
    return 'fields';
  }
  if (name === 'xautoclaim') {
    const [cursor, entries, deleted = []] = raw;
    out.add({ depth: 0, type: 'string', text: Buffer.isBuffer(cursor!) ? cursor.toString('latin1') : '0' });
    await showEntries(Array.isArray(entries) ? entries : [], out);
    if (Array.isArray(deleted) && deleted.length > 0) await out.any(deleted, 1);
    return 'entries';
  }
  if (ENTRIES.has(name)) {
    await showEntries(raw, out);
    return 'entries';
  }
  if ((LISTS.has(name) || SCORED.has(name)) && isFlat(raw)) {
    const named = optionAt(call, 'WITHSCORES', 2);
    // A key may have this name.
    const scored = SCORED.has(name) || (named >= 0 && name.startsWith('z') && !call.keys.includes(named));
    await showMembers(ctx, line, withScores(raw, scored), out);
    return scored ? 'scores' : 'list';
  }
  await out.any(raw);
  return 'list';
};

/** A reply for its caller: bounded, by type, and masked as the key inspector masks the same values. */
export const showReply = async (ctx: ReadContext, line: Line, raw: RawReply): Promise<ShownReply> => {
  const out = new Replies(ctx, line);
  const type = await build(ctx, line, raw, out);
  return { type, reply: out.nodes, truncated: out.truncated };
};
