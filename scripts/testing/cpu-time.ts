/** Processor time of this process in milliseconds: unlike a clock's, other processes do not add to it. */
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
