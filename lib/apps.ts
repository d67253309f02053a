/** The applications whose keys the console knows, in the order of their catalogs. */
export const APP_IDS = ['discours', 'hawk', 'minidouyin', 'qianxun'] as const;
export type AppId = (typeof APP_IDS)[number];
