import { FIXABLE, type FixableRule, type RuleId } from '@/lib/conventions/schema';

/** What the job does to the keys that break a rule. */
type FixKind = 'rename' | 'addTtl' | 'setTtl' | 'trim' | 'remove';

const KINDS: Record<FixableRule, FixKind> = {
  'name-format': 'rename',
  'name-case': 'rename',
  'name-empty-part': 'rename',
  'ttl-required': 'addTtl',
  'ttl-band': 'setTtl',
  'ttl-jitter': 'setTtl',
  'lock-ttl': 'addTtl',
  'null-marker-ttl': 'setTtl',
  'collection-length': 'trim',
  'abandoned-keys': 'remove',
};

export const isFixable = (rule: RuleId): rule is FixableRule => (FIXABLE as readonly RuleId[]).includes(rule);

export const fixKindOf = (rule: FixableRule): FixKind => KINDS[rule];
