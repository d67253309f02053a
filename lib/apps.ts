/** The applications whose keys the console knows. Their families are in `lib/catalog`. */
export const APP_IDS = ['discours', 'hawk', 'minidouyin', 'qianxun'] as const;
export type AppId = (typeof APP_IDS)[number];
