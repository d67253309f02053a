/** The page's state in the address. */
export const FIELDS = { tab: 'firing', q: '', rule: '' };
export const STEPS = { tabs: ['tab'] } as const;
export type AlertFields = { [K in keyof typeof FIELDS]: string };
