/**
 * Called by Next once per process before it serves requests. NEXT_RUNTIME is a build constant: without the condition
 * Next would compile the server for the edge runtime as well, and fail.
 */
export const register = async (): Promise<void> => {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { refuseConflictingRules, refuseUnsuitableStore, startConsole, startTracing } = await import(
      '@/lib/wiring'
    );
    // Before the first client of a Redis is made.
    await startTracing();
    await Promise.all([refuseUnsuitableStore(), refuseConflictingRules()]);
    await startConsole();
  }
};
