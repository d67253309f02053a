/** The whole that a part belongs to: a scan may see keys twice, and keys that were added meanwhile. */
export const wholeOf = (part: number, whole: number | null | undefined): number => Math.max(part, whole ?? 0);
