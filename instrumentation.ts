/**
 * Called by Next once per process, before it answers. NEXT_RUNTIME is a constant of the build, not a setting:
 * without the condition Next compiles all of the server for the edge as well, and fails.
 */
export const register = async (): Promise<void> => {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { refuseTwoRules, startConsole } = await import('@/lib/wiring');
    await refuseTwoRules();
    startConsole();
  }
};
