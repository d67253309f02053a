import type { Family } from '../family';
import { discoursAccessFamilies } from './discours-access';
import { discoursEntityFamilies } from './discours-entities';
import { discoursFigureFamilies } from './discours-figures';
import { discoursListFamilies } from './discours-lists';
import { discoursStateFamilies } from './discours-state';

/** The publishing platform, including keys that it writes without documenting them. */
export const discoursFamilies: readonly Family[] = [
  ...discoursAccessFamilies,
  ...discoursEntityFamilies,
  ...discoursListFamilies,
  ...discoursStateFamilies,
  ...discoursFigureFamilies,
];
