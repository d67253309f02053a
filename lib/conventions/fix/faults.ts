import 'server-only';
import { paced, pacesOf } from '@/lib/families/batches';
import { mayTouchSensitive } from '@/lib/families/guarded';
import type { JobContext } from '@/lib/jobs/define';
import type { Family } from '@/lib/keyspace/family';
import { isOwn, isSensitive } from '@/lib/keyspace/guarded';
import { distinct } from '@/lib/redis/distinct';
import { scanKeys } from '@/lib/redis/scan';
import { approvalMatcher } from '@/lib/values/two-person';
import type { KeyFacts } from '../rule';
import type { FixableRule } from '../schema';
import { readFacts } from './facts';
import type { FixCounts } from './fix-counts';
import type { Basis, Fault } from './fixing';

export const WAIVED = 'It is waived';
export const SENSITIVE_KEY = 'It needs the permission caches:invalidate-sensitive';
export const NEEDS_APPROVAL = 'Changes of this key need approval';

/** The facts of all keys of a family, or of all keys except the console's own, in pages under the scan budget. */
export async function* walkFacts(
  ctx: JobContext,
  rule: FixableRule,
  family: Family | null,
): AsyncGenerator<KeyFacts[]> {
  const isNew = distinct();
  const paceOf = pacesOf(ctx, 'copy');
  const scan = { signal: ctx.signal, isFaster: ctx.isFaster, ...(family ? { match: family.match() } : {}) };
  for await (const { keys } of scanKeys(ctx.connection, scan)) {
    const wanted = keys.filter((key) => !isOwn(ctx.catalog, key) && isNew(key));
    for (const group of ctx.writer.byNode(wanted, (key) => key)) {
      const pace = paceOf(group[0]!);
      for (let from = 0, size = 0; from < group.length; from += size) {
        size = pace.keys();
        const slice = group.slice(from, from + size);
        const facts = await paced(ctx, pace, slice.length, () => readFacts(ctx, rule, slice));
        yield family ? facts.filter(({ found }) => found.family === family) : facts;
      }
    }
    // Yields an empty page, so that a cancel need not wait for the next match.
    yield [];
  }
}

/** Keys that violate the rule now and that this user may fix. The others are counted with the reason. */
export async function* faultsOf(
  ctx: JobContext,
  basis: Basis,
  family: Family | null,
  counts: FixCounts,
): AsyncGenerator<Fault[]> {
  const needsApproval = approvalMatcher(ctx);
  const whyNot = (facts: KeyFacts): string | null => {
    if (basis.isWaived(facts)) return WAIVED;
    // Checked for each page: the user may lose the permission during the job.
    if (isSensitive(facts.found) && !mayTouchSensitive(ctx)) return SENSITIVE_KEY;
    return needsApproval(facts.key) ? NEEDS_APPROVAL : null;
  };
  for await (const page of walkFacts(ctx, basis.rule, family)) {
    const faults: Fault[] = [];
    for (const facts of page) {
      const detail = basis.faultOf(facts);
      if (detail === null) continue;
      const why = whyNot(facts);
      if (why === null) faults.push({ facts, detail });
      else counts.skip(why);
    }
    yield faults;
  }
}
