import { z } from 'zod';
import { contract } from '@/lib/contract';
import { LOCALE_IDS } from '@/lib/locales';

const isTimeZone = (zone: string): boolean => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: zone }));
  } catch {
    return false;
  }
};

/** An IANA name that this server knows. */
export const timeZoneName = z.string().max(60).refine(isTimeZone, 'Not a time zone of this server.');

const pageId = z.string().regex(/^[a-z][a-z-]{0,39}$/, 'Not the id of a page.');

export const HOURS = ['24', '12'] as const;
/** The figures at the top of the overview. */
export const TILES = ['hitRate', 'operations', 'memory', 'sessions', 'guard'] as const;
export type TileId = (typeof TILES)[number];
export const DENSITIES = ['comfortable', 'compact'] as const;

export const preferenceFields = {
  pins: z
    .array(pageId)
    .max(60)
    .nullable()
    .meta({ description: 'Entries of the menu, as ids of pages; null for those of the role.' }),
  firstPage: pageId.nullable().meta({ description: 'The page after signing in; null for the overview.' }),
  timeZone: timeZoneName.nullable().meta({ description: 'An IANA name; null for that of the browser.' }),
  language: z.enum(LOCALE_IDS).nullable().meta({ description: 'Null for that of the browser.' }),
  hours: z.enum(HOURS).meta({ description: 'Clock.' }),
  density: z.enum(DENSITIES).meta({ description: 'Of the rows of tables.' }),
  hiddenTiles: z
    .array(z.enum(TILES))
    .max(TILES.length)
    .meta({ description: 'Figures that the overview does not show.' }),
  tileOrder: z
    .array(z.enum(TILES))
    .max(TILES.length)
    .meta({ description: 'Figures of the overview in the order they are shown; others follow.' }),
};

export const preferences = z.object(preferenceFields);
export type Preferences = z.output<typeof preferences>;

export const DEFAULT_PREFERENCES: Preferences = {
  pins: null,
  firstPage: null,
  timeZone: null,
  language: null,
  hours: '24',
  density: 'comfortable',
  hiddenTiles: [],
  tileOrder: [],
};

export const preferenceContracts = {
  set: contract({
    id: 'account.setPreferences',
    method: 'PATCH',
    path: '/api/v1/account/preferences',
    permission: 'signed-in',
    summary: 'Changes how the console is shown to you. Fields that are not given stay.',
    input: z.strictObject(preferenceFields).partial(),
    result: z.object({ preferences, auditId: z.string() }),
  }),
};
