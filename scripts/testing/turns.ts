/** The number of event loop turns until `work` was done. */
export const turnsDuring = async (work: () => Promise<unknown>): Promise<number> => {
  let turns = 0;
  let working = true;
  const turn = () => {
    turns++;
    if (working) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  working = false;
  return turns;
};
