import 'server-only';
import { createHash } from 'node:crypto';
import { type Figure, figuresByName } from '@/lib/figures/figure';
import { oncePer } from '@/lib/process-wide';
import type { RuleTerms } from './stored-rule';

/** The series of a figure without labels. */
const ONLY = 'all';

export const seriesIdOf = (labels: Readonly<Record<string, string>>): string => {
  const entries = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return ONLY;
  return createHash('sha256').update(JSON.stringify(entries)).digest('base64url').slice(0, 16);
};

export interface Selected {
  id: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** The series of each figure, in order and by id. */
export type Index = ReadonlyMap<string, { all: readonly Selected[]; byId: ReadonlyMap<string, Selected> }>;

/** Made once for all rules and all who share a reading: a digest of labels costs more than all the rest of a rule. */
export const indexOf = oncePer(
  (figures: readonly Figure[]): Index =>
    new Map(
      [...figuresByName(figures)].map(([name, same]) => {
        const all = same.map(({ labels, value }) => ({ id: seriesIdOf(labels), labels, value }));
        return [name, { all, byId: new Map(all.map((each) => [each.id, each])) }];
      }),
    ),
);

/** The series that a rule watches. */
export const select = ({ source }: RuleTerms, index: Index): readonly Selected[] => {
  const { all = [], byId } = index.get(source.metric) ?? {};
  const wanted = Object.entries(source.labels);
  if (wanted.length === 0) return all;
  const one = byId?.get(seriesIdOf(source.labels));
  return one ? [one] : all.filter(({ labels }) => wanted.every(([name, value]) => labels[name] === value));
};
