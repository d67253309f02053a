import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { badField } from '@/lib/errors';
import { type Cut, elementIdOf } from '@/lib/key-values/etag';
import type { Listed } from '@/lib/key-values/listed-keys';
import { rangeOfElements } from '@/lib/key-values/raw-elements';
import { type DecodingBudget, maskedBytes, showBytes } from '@/lib/key-values/show-bytes';
import { cutName, displayBytes, keyFromId, keyId } from '@/lib/keyspace/display';
import { MASK } from '@/lib/keyspace/mask';
import type { RankedMember } from './schema';

export type Order = 'desc' | 'asc';

/** Scores of members are what Redis writes: `nan` cannot be stored. */
export const scoreFields = (scoreText: string): Pick<RankedMember, 'score' | 'scoreText'> => {
  const score = Number(scoreText);
  return { scoreText, score: scoreText !== '' && Number.isFinite(score) ? score : null };
};

const MAX_SHOWN_CHARS = 400;

const showMember = async (
  ctx: ReadContext,
  { key, access }: Listed,
  member: Cut,
  decoding: DecodingBudget,
): Promise<Pick<RankedMember, 'member' | 'memberId' | 'shown'>> => {
  const { catalog } = ctx;
  const isSecret = access.hidden !== null || access.secretMembers;
  const shown = isSecret
    ? maskedBytes(member.length)
    : await showBytes(member, { catalog, rules: access.rules, decode: false, decoding });
  const isWhole = member.bytes.length === member.length && !shown.masked && member.length > 0;
  const text = shown.text ?? (shown.base64 === null ? MASK : displayBytes(member.bytes));
  return {
    member: cutName(text, MAX_SHOWN_CHARS),
    // What is not shown completely is not revealed by its id either.
    memberId: isWhole ? keyId(member.bytes) : `h.${elementIdOf(ctx, key, { member })}`,
    shown: { ...shown, text: shown.text === null ? null : cutName(shown.text, MAX_SHOWN_CHARS) },
  };
};

/** Members by rank, behind so many others. A board of any size costs as much. */
export const readRanks = async (
  ctx: ReadContext,
  listed: Listed,
  { order, before, count }: { order: Order; before: number; count: number },
): Promise<RankedMember[]> => {
  // Descending is counted from the end, whatever the number of members is by then.
  const from = order === 'asc' ? before : -(before + count);
  const raw = await rangeOfElements(ctx, listed.key, 'ZRANGE', from, count);
  if (order === 'desc') raw.reverse();
  const decoding = { bytesLeft: 2 ** 20, msLeft: 500 };
  const ranked: RankedMember[] = [];
  // One by one: decoders need memory of their own.
  for (const [i, [member, score]] of raw.entries())
    ranked.push({
      rank: before + i + 1,
      ...(await showMember(ctx, listed, member!, decoding)),
      ...scoreFields(score?.bytes.toString('latin1') ?? ''),
    });
  return ranked;
};

const NO_MEMBER_ID = 'This is not the id of a complete member.';

/** The asked member's bytes; null where none is asked for. Throws 400 for an id that names no bytes. */
export const askedMember = (asked: { member?: string; memberId?: string }): Buffer | null => {
  if (asked.member !== undefined) return Buffer.from(asked.member);
  if (asked.memberId === undefined) return null;
  const bytes = keyFromId(asked.memberId);
  if (!bytes) throw badField('memberId', NO_MEMBER_ID);
  return bytes;
};

/** Where a member is; null where it is not in the board. */
export const placeOf = async ({ reader }: ReadContext, key: Buffer, member: Buffer, order: Order) => {
  const [rank, score] = await reader.readMany([
    [order === 'desc' ? 'ZREVRANK' : 'ZRANK', key, member],
    ['ZSCORE', key, member],
  ]);
  for (const reply of [rank, score]) if (reply instanceof Error) throw reply;
  if (typeof rank !== 'number' || !Buffer.isBuffer(score)) return null;
  const text = score.toString('latin1');
  const [from, to] = order === 'desc' ? [`(${text}`, '+inf'] : ['-inf', `(${text}`];
  const [better, equal] = await reader.readMany([
    ['ZCOUNT', key, from, to],
    ['ZCOUNT', key, text, text],
  ]);
  if (typeof better !== 'number' || typeof equal !== 'number') throw better instanceof Error ? better : equal;
  return { rank: rank + 1, sharedRank: better + 1, ties: Math.max(0, equal - 1), ...scoreFields(text) };
};
