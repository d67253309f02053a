import {
  CHECKLIST_IDS,
  type ConventionsReport,
  type RuleId,
  type RuleReport,
  type Waiver,
} from '@/lib/conventions/schema';
import { DAY, iso } from '@/lib/time';

/** A rule as the server reports it; passed by default. */
export const ruleOf = (id: RuleId, change: Partial<RuleReport> = {}): RuleReport => ({
  id,
  title: `Title of ${id}`,
  why: `Why of ${id}`,
  how: `How ${id} is evaluated`,
  remedy: `How to fix ${id}`,
  severity: 'error',
  checklist: 'naming',
  state: 'passed',
  count: 0,
  of: 1000,
  waived: 0,
  newSinceYesterday: null,
  families: [],
  sample: [],
  reason: null,
  fixable: false,
  ...change,
});

export const waiverOf = (change: Partial<Waiver> = {}): Waiver => ({
  id: 'w1',
  rule: 'name-case',
  family: 'shop.users',
  who: 'liwei',
  why: 'Renamed with the next release',
  until: iso(Date.now() + DAY),
  source: 'console',
  expired: false,
  ...change,
});

const UNSEEN = 'No permission for CLIENT LIST.';

const rules = (): RuleReport[] => [
  ruleOf('name-case', {
    state: 'failed',
    count: 4,
    waived: 2,
    newSinceYesterday: 1,
    fixable: true,
    families: [
      { family: 'shop.users', count: 2, severity: 'error', waived: true },
      { family: 'shop.carts', count: 3, severity: 'error', waived: false },
      { family: null, count: 1, severity: 'error', waived: false },
    ],
    sample: [{ key: 'User:1', keyId: 'VXNlcjox', family: 'shop.carts', detail: 'Upper case' }],
  }),
  ruleOf('ttl-required', { checklist: 'ttl', fixable: true }),
  ruleOf('value-size', { checklist: 'big-values', severity: 'info' }),
  ruleOf('connection-limit', {
    checklist: 'connections',
    severity: 'warning',
    state: 'unknown',
    count: null,
    of: null,
    reason: UNSEEN,
  }),
];

/** A report with a failed rule, an unknown one, and two passed ones. */
export const reportOf = (change: Partial<ConventionsReport> = {}): ConventionsReport => ({
  at: iso(Date.now() - 60_000),
  score: 91.5,
  keys: 1000,
  complete: true,
  rules: rules(),
  checklist: CHECKLIST_IDS.map((id) => ({
    id,
    title: `Item ${id}`,
    state: id === 'naming' ? 'failed' : id === 'connections' ? 'unknown' : 'passed',
    count: id === 'naming' ? 4 : null,
    reason: id === 'connections' ? UNSEEN : null,
    rules: [],
  })),
  waivers: [
    waiverOf(),
    waiverOf({ id: 'w2', family: null, until: iso(Date.now() - DAY), source: 'policy', expired: true }),
  ],
  policy: { file: 'keyward.policy.yaml', loadedAt: iso(Date.now() - DAY), problems: [] },
  walk: {
    startedAt: iso(Date.now() - 64_000),
    finishedAt: iso(Date.now() - 60_000),
    parts: ['conventions'],
    keys: 1000,
    vanished: 0,
    calls: 12,
    serverMs: 1200,
    byScript: true,
    reason: null,
  },
  ...change,
});
