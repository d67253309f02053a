import 'server-only';
import type { Key } from '@/lib/redis/commands';
import type { CheckedRelation, CheckPlan } from './check-plan';
import type { CheckResult } from './schema';

export type CheckProblem = CheckResult['samples'][number]['problem'];

/** An example of a problem, not masked yet. */
export interface RawSample {
  problem: CheckProblem;
  family: string;
  key: Key;
  /** The member, or the value of a field. */
  member: { bytes: Buffer; length: number; field: string | null; isId: boolean } | null;
  detail: string;
  owner: { relation: CheckedRelation; id: string } | null;
}

type FamilyCounts = Omit<CheckResult['families'][number], 'family'>;

const MAX_SAMPLES = 20;
/** Maximum bytes of a sampled member: more than is shown. */
const MAX_SAMPLE_BYTES = 4096;

const nothing = (): FamilyCounts => ({
  checked: 0,
  references: 0,
  dangling: 0,
  oneSided: 0,
  partial: 0,
  wrongType: 0,
});

/** The counts of one walk, and the first examples of each problem. */
export class CheckCounts {
  notStored = 0;
  /** Keys and records that our user may not read, or that are too long. */
  unreadable = 0;
  readonly samples: RawSample[] = [];
  private readonly byFamily: Map<string, FamilyCounts>;
  private readonly sampled = new Map<CheckProblem, number>();

  constructor(plan: CheckPlan) {
    this.byFamily = new Map([...plan.families.keys()].map((id) => [id, nothing()]));
  }

  of(family: string): FamilyCounts {
    const counts = this.byFamily.get(family);
    if (!counts) throw new Error(`${family} is not checked`);
    return counts;
  }

  add(sample: RawSample): void {
    this.of(sample.family)[sample.problem] += 1;
    const before = this.sampled.get(sample.problem) ?? 0;
    if (before >= MAX_SAMPLES) return;
    this.sampled.set(sample.problem, before + 1);
    const { member } = sample;
    // A copy, because a view would retain its complete page.
    const bytes = member && Buffer.from(member.bytes.subarray(0, MAX_SAMPLE_BYTES));
    this.samples.push({ ...sample, member: bytes && { ...member, bytes } });
  }

  /** The counts in the job's result, without samples. */
  totals(): Omit<CheckResult, 'samples' | 'complete'> {
    const families = [...this.byFamily].map(([family, counts]) => ({ family, ...counts }));
    const sum = (of: keyof FamilyCounts) => families.reduce((all, counts) => all + counts[of], 0);
    return {
      checked: sum('checked'),
      references: sum('references'),
      dangling: sum('dangling'),
      oneSided: sum('oneSided'),
      oneSidedNotStored: this.notStored,
      partial: sum('partial'),
      wrongType: sum('wrongType'),
      ...(this.unreadable > 0 && { unreadable: this.unreadable }),
      families,
    };
  }
}
