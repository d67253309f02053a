/** In the address while no connections are chosen to compare with: no id of one. */
export const ALL = '.';
/** Each of them is read every few seconds. */
export const MAX_OTHERS = 7;

/** The connections to compare with: those whose ids, with commas, are in the address, or as many as can be read. */
export const chosenConnections = <C extends { id: string }>(all: readonly C[], address: string): C[] => {
  const ids = address.split(',');
  return all.filter(({ id }) => address === ALL || ids.includes(id)).slice(0, MAX_OTHERS);
};
