import 'server-only';
import { catalogOf } from '@/lib/command/context';
import { plural } from '@/lib/format';
import { fingerprintOf } from '@/lib/keyspace/fingerprint';
import { hasOwnPrefix, OWN_APP } from '@/lib/keyspace/guarded';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { Collector, WalkedKeys } from '@/lib/walk/collector';
import { ExpiryCounts } from './expiry-counts';
import { KEY_RULES } from './key-rules';
import { Looks, type SeenKey } from './looks';
import { type PolicyInForce, policyOf } from './policy/policy';
import type { KeyFacts, KeyRule } from './rule';
import { RuleCounts } from './rule-counts';
import type { RuleId } from './schema';

/** Facts of the keys of a chunk, except the console's own (`isOwn`). */
const seenKeys = (chunk: WalkedKeys): SeenKey[] =>
  chunk.keys.flatMap((key, i) => {
    const identified = chunk.found[i]!;
    if (hasOwnPrefix(key) || (identified.family ?? identified.malformedOf)?.app === OWN_APP) return [];
    return {
      key,
      found: identified,
      type: chunk.types[i]!,
      ttlMs: chunk.ttls[i]!,
      memoryBytes: chunk.memory[i]!,
      length: chunk.lengths[i]!,
      idleSeconds: chunk.idle[i]!,
    };
  });

/** Whether a fault is a secret in a value: values are searched in a sample of the keys only. */
const isOfValue = ({ id }: KeyRule, { look }: KeyFacts, detail: string): boolean =>
  id === 'secrets-in-clear' && look?.secrets[0] === detail;

/** Checks the keys of one walk against all rules about keys. */
export class ConventionsCollector implements Collector {
  // The length reveals a null marker, and the memory a large collection.
  readonly wants = { memory: 'all', lengths: 'all' } as const;
  readonly counts = new Map<RuleId, RuleCounts>();
  keys = 0;
  readonly inForce: PolicyInForce;
  /** Identifies the catalog that classified the keys. */
  readonly catalog: string;
  private readonly expiry = new ExpiryCounts();
  private readonly looks: Looks;
  private refusal: string | null = null;
  private readonly rulesOn = new Map<string | null, readonly KeyRule[]>();

  constructor(handle: ConnectionHandle, inForce = policyOf(handle), catalog = catalogOf(handle)) {
    this.inForce = inForce;
    this.catalog = fingerprintOf(catalog);
    this.looks = new Looks(handle, catalog, inForce.policy);
    for (const { id } of KEY_RULES) this.counts.set(id, new RuleCounts());
    this.counts.set('ttl-jitter', new RuleCounts());
  }

  /** Why a rule without violations could not check all its keys; null where it could. */
  whyUnknown(id: RuleId): string | null {
    const { count, unread } = this.counts.get(id)!;
    if (count > 0) return null;
    if (unread > 0)
      return `${plural(unread, 'key')} could not be checked. ${this.refusal?.replace(/\.?$/u, '.')}`;
    return this.looks.refused.get(id)?.message ?? null;
  }

  async add(chunk: WalkedKeys): Promise<void> {
    this.refusal = chunk.refused;
    const seen = seenKeys(chunk);
    this.keys += seen.length;
    for (const facts of await this.looks.addTo(seen)) this.check(facts, chunk.at);
  }

  /** Adds violations that only all keys together reveal. Called once, after the last chunk. */
  finish(): void {
    const secrets = this.counts.get('secrets-in-clear')!;
    for (const fault of this.looks.searched.faults()) secrets.add(fault);
    const jitter = this.counts.get('ttl-jitter')!;
    for (const { family, of, isExact, seconds } of this.expiry.shared(this.inForce.policy)) {
      for (const { keys, sample } of seconds) {
        const share = Math.round((100 * keys) / of);
        const least = isExact ? '' : 'at least ';
        const detail = `${least}${keys} of ${of} keys (${share} %) expire within one second`;
        jitter.add({ key: sample, family, detail, isSettled: false }, keys);
      }
    }
  }

  private check(facts: KeyFacts, at: number): void {
    const { policy } = this.inForce;
    const family = facts.found.family?.id ?? null;
    for (const rule of this.rulesFor(family)) {
      if (!rule.applies(facts, policy)) continue;
      const counts = this.counts.get(rule.id)!;
      if (rule.isUnread(facts, policy)) {
        this.addUnread(counts);
        continue;
      }
      counts.of += 1;
      const detail = rule.faultOf(facts, policy);
      if (detail === null) continue;
      const fault = { family, detail, isSettled: facts.found.isSettled };
      if (isOfValue(rule, facts, detail)) this.looks.searched.add(facts, fault);
      else counts.add({ ...fault, key: facts.key });
    }
    if (!policy.isOn('ttl-jitter', family)) return;
    const jitter = this.counts.get('ttl-jitter')!;
    if (Number.isNaN(facts.ttlMs)) this.addUnread(jitter);
    else if (this.expiry.add(family, facts.key, facts.ttlMs, at)) jitter.of += 1;
  }

  /** Without a refusal, facts are missing only for vanished keys, which need no check. */
  private addUnread(counts: RuleCounts): void {
    if (this.refusal !== null) counts.unread += 1;
  }

  private rulesFor(family: string | null): readonly KeyRule[] {
    let rules = this.rulesOn.get(family);
    if (!rules) {
      rules = KEY_RULES.filter(({ id }) => this.inForce.policy.isOn(id, family));
      this.rulesOn.set(family, rules);
    }
    return rules;
  }
}
