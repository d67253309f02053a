import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { familyOf, familyOfName } from '@/lib/key-values/admission';
import { refuseExposure } from '@/lib/key-values/exposure';
import { isMasked } from '@/lib/key-values/masked';
import { isWrongType } from '@/lib/redis/failure';
import { MAX_REPLY_BYTES } from './limits';
import { commandRefused } from './refusals';
import type { Line, NamedKey } from './typed-line';
import { nameOf } from './words';

/** Say of a key what lists of keys say too, and nothing of its value. */
const ABOUT_KEY = new Set(
  (
    'exists type ttl pttl expiretime pexpiretime touch object|encoding object|freq object|idletime object|refcount ' +
    'memory|usage strlen hlen llen scard zcard xlen vcard vdim vinfo'
  ).split(' '),
);
/** Change a key as a whole, without a look at its value. */
const WHOLE_KEY = new Set('del unlink expire pexpire expireat pexpireat persist'.split(' '));
/** Read or change a part of a string: of a secret they would show, or uncover, a bit at a time. */
const PART_OF_STRING = new Set(
  'getrange substr getbit bitcount bitpos bitfield bitfield_ro setbit setrange append lcs bitop'.split(' '),
);
/** Take the name of a field first among their arguments behind the key, and answer something that follows from its value. */
const OF_ONE_FIELD = new Set('hstrlen hincrby hincrbyfloat'.split(' '));
/** Name several keys and move nothing between them. */
const KEEP_APART = new Set('del unlink touch exists mset msetnx lmpop zmpop'.split(' '));
/** Each pair of keys is compared. */
const MAX_MOVED_KEYS = 10;

const pageOf = ({ access }: NamedKey): string => access.page ?? 'keys';

const refuseHidden = ({ call, kind }: Line, key: NamedKey): void => {
  const { hidden, secretMembers } = key.access;
  if (hidden === null && !secretMembers) return;
  const name = nameOf(call);
  if (ABOUT_KEY.has(name) || (kind === 'write' && WHOLE_KEY.has(name))) return;
  throw commandRefused(
    pageOf(key),
    kind === 'read'
      ? 'The values of this key are secrets. The command line answers only its type, size and TTL.'
      : 'The values of this key are secrets: the command line deletes it or changes its TTL, and nothing else.',
  );
};

const refuseField = ({ call }: Line, { access }: NamedKey): void => {
  if (!OF_ONE_FIELD.has(nameOf(call))) return;
  if (access.rules.isSecretField((call.args[2] ?? Buffer.alloc(0)).toString('utf8')))
    throw commandRefused('keys', 'This field is a secret, and the answer would follow from its value.');
};

/** Throws where something of the complete string is masked, or it is too large to know. */
const refusePart = async (ctx: ReadContext, { call }: Line, key: NamedKey): Promise<void> => {
  if (!PART_OF_STRING.has(nameOf(call))) return;
  try {
    const value = await ctx.reader.getString(key.identity.key, MAX_REPLY_BYTES);
    if (value === null) return;
    const isWhole = value.bytes.length === value.length;
    if (isWhole && !(await isMasked(ctx, key.access, { bytes: value.bytes }))) return;
    throw commandRefused(
      pageOf(key),
      isWhole
        ? 'A part of this value is a secret, which could be read piece by piece.'
        : 'This value is too large to look for secrets before a part of it is used.',
    );
  } catch (error) {
    // The server itself refuses the line then.
    if (!isWrongType(error)) throw error;
  }
};

/** Throws 400 where a value would become readable under the name of another key. */
const refuseMoves = async (ctx: ReadContext, { call, kind, keys }: Line): Promise<void> => {
  if (kind === 'read' || keys.length < 2 || KEEP_APART.has(nameOf(call))) return;
  if (keys.length > MAX_MOVED_KEYS)
    throw commandRefused('keys', `This command takes at most ${MAX_MOVED_KEYS} keys here.`);
  const targets = await Promise.all(
    keys.map(async ({ identity: { key } }) => ({
      key,
      family: (await familyOf(ctx, key)) ?? familyOfName(ctx, key, null),
    })),
  );
  for (const { identity } of keys)
    for (const { key, family } of targets)
      if (key !== identity.key) await refuseExposure(ctx, identity, key, family);
};

/** Throws a 400 `Problem` where the line would show, reveal or uncover what is masked for its caller. */
export const refuseSecretUse = async (ctx: ReadContext, line: Line): Promise<void> => {
  for (const key of line.keys) {
    refuseHidden(line, key);
    refuseField(line, key);
    await refusePart(ctx, line, key);
  }
  await refuseMoves(ctx, line);
};
