import 'server-only';
import { z } from 'zod';
import { catalogOf } from '@/lib/command/context';
import { keyIdOf, MAX_KEY_BYTES } from '@/lib/command/key-ids';
import { displayKey, displayUnclassified } from '@/lib/keyspace/display';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { type WalkCost, walkCost } from '@/lib/walk/schema';
import type { ConventionsCollector } from './collector';
import type { Found } from './rule-counts';
import { RULE_IDS, type RuleId, violation } from './schema';
import { checkServers, type ForbiddenUses, forbiddenUses } from './server-rules';
import { readServerStates } from './server-state';

const checkedRule = z.object({
  of: z.number().nullable(),
  families: z.array(z.object({ family: z.string().nullable(), count: z.number() })),
  sample: z.array(violation),
  reason: z.string().nullable(),
});
export type CheckedRule = z.output<typeof checkedRule>;

/** The counts of one check, before severities and waivers: those apply when the report is read. */
export const checked = z.object({
  /** Epoch ms. */
  at: z.number(),
  keys: z.number(),
  complete: z.boolean(),
  /** Digest of the policy and fingerprint of the catalog used for the check. */
  policy: z.string(),
  catalog: z.string(),
  walk: walkCost.nullable(),
  /** Without rules that were off. */
  rules: z.partialRecord(z.enum(RULE_IDS), checkedRule),
  forbidden: z.record(z.string(), z.object({ calls: z.number(), firstSeenAt: z.number() })),
});
export type Checked = z.output<typeof checked>;

interface Options {
  at: number;
  complete: boolean;
  walk: WalkCost | null;
  /** Uses of forbidden commands seen by the previous check. */
  before: ForbiddenUses;
  /** False without the console's secrets, as in CI: samples have no ids then. */
  withIds: boolean;
}

/** Completes the result of a walk with the rules about the server, which are read now. */
export const finishCheck = async (
  handle: ConnectionHandle,
  collector: ConventionsCollector,
  { at, complete, walk, before, withIds }: Options,
): Promise<Checked> => {
  collector.finish();
  const catalog = catalogOf(handle);
  const { policy, source } = collector.inForce;
  const shown = ({ key, family, detail, isSettled }: Found) => ({
    key: (family === null && isSettled ? displayUnclassified : displayKey)(key, catalog),
    keyId: withIds && key.length <= MAX_KEY_BYTES ? keyIdOf({ connection: handle, catalog }, key) : null,
    family,
    detail,
  });
  const rules: Partial<Record<RuleId, CheckedRule>> = {};
  for (const [id, counts] of collector.counts) {
    if (!policy.isOn(id, null) && counts.of + counts.unread === 0) continue;
    const families = [...counts.families]
      .map(([family, count]) => ({ family, count }))
      .sort((a, b) => b.count - a.count);
    const reason = collector.whyUnknown(id);
    rules[id] = { of: counts.of, families, sample: counts.sample.map(shown), reason };
  }
  const states = await readServerStates(handle);
  const forbidden = forbiddenUses(states, before, at);
  for (const [id, { violations, reason }] of checkServers(states, { policy, catalog, forbidden, now: at })) {
    const sample = violations.map((violation) => ({ ...violation, keyId: null, family: null }));
    const families = violations.length > 0 ? [{ family: null, count: violations.length }] : [];
    rules[id] = { of: null, families, sample, reason };
  }
  const { keys, catalog: fingerprint } = collector;
  return { at, keys, complete, policy: source.digest, catalog: fingerprint, walk, rules, forbidden };
};
