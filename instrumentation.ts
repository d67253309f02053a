/** Called by Next once per process, before it answers. */
export const register = async (): Promise<void> => {
  const { startConsole } = await import('@/lib/wiring');
  startConsole();
};
