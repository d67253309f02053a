import type { Preview } from '@/lib/caches/schema';
import type { FamilyRow } from '@/lib/insights/schema';
import type { Draft } from './draft';

/** What every kind of target is named with. */
export interface TargetFieldsProps {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
  /** The families that are offered. */
  families: readonly FamilyRow[];
  /** What was refused, by the field it is about. */
  problems: ReadonlyMap<string, string>;
  branches: Preview['branches'];
}
