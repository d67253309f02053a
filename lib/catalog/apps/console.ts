import { accessFamilies } from './console-access';
import { figureFamilies } from './console-figures';
import { noteFamilies } from './console-notes';
import { workFamilies } from './console-work';

/** The console's own keys, by name: `consoleFamilies.user.key({ id })`. */
export const consoleFamilies = { ...accessFamilies, ...workFamilies, ...figureFamilies, ...noteFamilies };
