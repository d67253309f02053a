/** How many keys a bench fills: `KEYWARD_BENCH_KEYS` for a quick look. */
export const benchKeys = (usual: number): number => Number(process.env.KEYWARD_BENCH_KEYS ?? usual);
