import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { identifyKeys } from '@/lib/command/identify-keys';
import type { Result } from '@/lib/contract';
import { shownName } from '@/lib/key-values/admission';
import type { ExportedKey, FileLine } from '@/lib/key-values/key-file';
import { holdsSecrets } from '@/lib/key-values/secrecy';
import type { Family } from '@/lib/keyspace/family';
import { isOwn } from '@/lib/keyspace/guarded';
import { approvalMatcher } from '@/lib/values/two-person';
import type { keyContracts } from '../../schema';

type Row = Result<typeof keyContracts.import>['rows'][number];

/** A line of the file with what happens to it. `read` is null where nothing does. */
export type ImportRow = Row & { read: ExportedKey | null };

const ruleOf = (ctx: ReadContext) => {
  const needsApproval = approvalMatcher(ctx);
  const seen = new Set<string>();
  return ({ key }: ExportedKey, families: readonly (Family | null)[]): string | null => {
    const id = key.toString('latin1');
    if (seen.has(id)) return 'The file has this key twice.';
    seen.add(id);
    if (isOwn(ctx.catalog, key)) return 'Keyward’s own keys cannot be imported.';
    if (needsApproval(key)) return 'Changes of this key need approval by a second user.';
    if (families.some((family) => family?.guarded || holdsSecrets(family)))
      return 'Sessions, tokens, variables and locks cannot be imported.';
    return null;
  };
};

const statusOf = (read: ExportedKey, exists: boolean, replace: boolean, now: number): Row['status'] => {
  if (read.expiresAt !== null && Number(read.expiresAt) <= now) return 'expired';
  if (!exists) return 'new';
  return replace ? 'replace' : 'exists';
};

/** What an import would do, line by line. Reads which keys exist, and the fields of ambiguous ones. */
export const planImport = async (
  ctx: ReadContext,
  lines: readonly FileLine[],
  replace: boolean,
): Promise<ImportRow[]> => {
  const keys = lines.flatMap(({ read }) => (read ? [read.key] : []));
  const existing = await ctx.reader.readMany(keys.map((key) => ['EXISTS', key] as const));
  const identified = await identifyKeys(ctx.reader, ctx.catalog, keys);
  const rule = ruleOf(ctx);
  let at = -1;
  return lines.map((each): ImportRow => {
    if (!each.read) {
      const { line, reason } = each;
      return { line, reason, key: '', family: null, type: null, status: 'refused', read: null };
    }
    at += 1;
    const { read, line } = each;
    const [exists, now] = [existing[at], identified[at]!];
    const { family, malformedOf, candidate } = ctx.catalog.locate(read.key);
    // A bare name says nothing: what is there now counts.
    const named = candidate ? null : (family ?? malformedOf);
    const shown = {
      line,
      key: shownName(ctx, read.key, read.type),
      family: named?.id ?? null,
      type: read.type,
    };
    const unreadable =
      exists instanceof Error ? 'The Redis user of this connection may not use this key.' : null;
    const reason = rule(read, [named, now.family ?? now.malformedOf]) ?? unreadable;
    if (reason !== null) return { ...shown, reason, status: 'refused', read: null };
    return { ...shown, reason: null, status: statusOf(read, exists === 1, replace, ctx.now()), read };
  });
};
