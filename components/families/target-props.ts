import type { FamilyRow, Preview } from '@/lib/families/schema';
import type { Draft } from './draft';

/** The props of the fields of each kind of target. */
export interface TargetFieldsProps {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
  /** The families that can be invalidated. */
  families: readonly FamilyRow[];
  /** Messages of a refusal by field. */
  problems: ReadonlyMap<string, string>;
  branches: Preview['branches'];
}
