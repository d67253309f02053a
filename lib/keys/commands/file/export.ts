import 'server-only';
import type { RecordedReadContext } from '@/lib/command/context';
import { defineRecordedRead } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { readUnlessSecret } from '@/lib/key-values/clear-values';
import type { KeyIdentity } from '@/lib/key-values/identity';
import { type ExportedKey, headerLine, lineOf } from '@/lib/key-values/key-file';
import { openKey } from '@/lib/key-values/open-key';
import { holdsSecrets } from '@/lib/key-values/secrecy';
import { type ValueAccess, valueAccess } from '@/lib/key-values/value-access';
import type { Key } from '@/lib/redis/commands';
import { exactExpiry } from '@/lib/redis/expiry';
import { iso } from '@/lib/time';
import { keyContracts } from '../../schema';

/** Memory of a value above which it is left out. */
const MAX_VALUE_BYTES = 2 ** 20;
/** A request of keys.import adds to the file some escapes per line, and may have 16 MiB. */
const MAX_FILE_BYTES = 16 * 2 ** 20 - 64 * 1024;

type Why = 'secret' | 'missing' | 'tooLarge';

/** Whether the key itself, or a value of its family, may hold secrets. */
const isSecretKey = ({ secret, family }: KeyIdentity, { hidden, secretMembers }: ValueAccess): boolean =>
  secret || family?.guarded === true || holdsSecrets(family) || hidden !== null || secretMembers;

const readDump = async (ctx: RecordedReadContext, key: Key): Promise<ExportedKey | null> => {
  const [type, pttl, dump] = await ctx.reader.readMany([
    ['TYPE', key],
    ['PTTL', key],
    ['DUMP', key],
  ]);
  for (const reply of [type, pttl, dump]) if (reply instanceof Error) throw reply;
  if (dump === null || pttl === -2) return null;
  const expires = await exactExpiry(
    ctx.connection,
    key,
    (pttl as number) < 0 ? -1 : ctx.now() + (pttl as number),
  );
  const expiresAt = expires === -1 ? null : expires;
  return { key, type: type as string, expiresAt, dump: dump as Buffer };
};

/** The key as a line of the file, or why it is left out. */
const exportKey = async (ctx: RecordedReadContext, identity: KeyIdentity): Promise<ExportedKey | Why> => {
  const { key } = identity;
  const memory = await ctx.reader.read(['MEMORY USAGE', key]);
  if (memory === null) return 'missing';
  const access = valueAccess(ctx, identity);
  if (isSecretKey(identity, access)) return 'secret';
  if (memory > MAX_VALUE_BYTES) return 'tooLarge';
  const found = await readUnlessSecret(ctx, access, key, () => readDump(ctx, key));
  if (found === null) return 'missing';
  if (found === 'secret') return found;
  return found.dump.length > 2 * MAX_VALUE_BYTES ? 'tooLarge' : found;
};

const exportKeys = async (ctx: RecordedReadContext, { keyIds }: Input<typeof keyContracts.export>) => {
  const lines = [headerLine(iso(ctx.now()))];
  const skipped: { key: string; why: Why }[] = [];
  let bytes = lines[0]!.length + 1;
  for (const id of new Set(keyIds)) {
    const identity = await openKey(ctx, id);
    const found = await exportKey(ctx, identity);
    const line = typeof found === 'string' ? null : lineOf(found);
    if (line !== null && bytes + line.length + 1 <= MAX_FILE_BYTES) {
      lines.push(line);
      bytes += line.length + 1;
    } else
      skipped.push({
        key: identity.shown,
        why: typeof found === 'string' ? found : 'tooLarge',
      });
  }
  const keys = lines.length - 1;
  return {
    result: { file: `${lines.join('\n')}\n`, keys, bytes, skipped },
    after: { keys, bytes, skipped: skipped.length },
  };
};

/** keys.export: DUMPs of keys as lines of JSON. What holds secrets is left out, and so is what looks like one. */
export const exportKeysCommand = defineRecordedRead({
  contract: keyContracts.export,
  target: async ({ keyIds }, ctx) => {
    const { shown: first } = await openKey(ctx, keyIds[0]!);
    return keyIds.length === 1 ? first : `${first} and ${keyIds.length - 1} more`;
  },
  redact: ({ keyIds }) => ({ keys: keyIds.length }),
  run: exportKeys,
});
