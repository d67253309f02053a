import type { Family } from '../family';
import { discoursAccessFamilies } from './discours-access';
import { discoursEntityFamilies } from './discours-entities';
import { discoursFigureFamilies } from './discours-figures';
import { discoursListFamilies } from './discours-lists';
import { discoursStateFamilies } from './discours-state';

/** The publishing platform (000), including what the real application writes beyond its document. */
export const discoursFamilies: readonly Family[] = [
  ...discoursAccessFamilies,
  ...discoursEntityFamilies,
  ...discoursListFamilies,
  ...discoursStateFamilies,
  ...discoursFigureFamilies,
];
