/** The total for a part, at least the part itself: a scan may see keys twice, and keys added meanwhile. */
export const wholeOf = (part: number, whole: number | null | undefined): number => Math.max(part, whole ?? 0);
