import 'server-only';
import { joinReasons } from './spans';
import { NOTHING, sum, type WindowCounts } from './window-counts';

const joined = (all: readonly WindowCounts[]): Omit<WindowCounts, 'seconds'> => {
  const families: WindowCounts['families'] = {};
  for (const counts of all)
    for (const [id, counted] of Object.entries(counts.families))
      families[id] = sum(families[id] ?? NOTHING, counted);
  return {
    families,
    total: all.map(({ total }) => total).reduce(sum, NOTHING),
    notAttributed: all.map(({ notAttributed }) => notAttributed).reduce(sum, NOTHING),
    reasons: joinReasons(all.map(({ reasons }) => reasons)),
    cutShort: all.find(({ cutShort }) => cutShort !== null)?.cutShort ?? null,
  };
};

/** Joins simultaneous windows of several primaries. */
export const joinServers = (servers: readonly WindowCounts[]): WindowCounts => ({
  ...joined(servers),
  seconds: Math.max(0, ...servers.map(({ seconds }) => seconds)),
});

export const joinWindows = (windows: readonly WindowCounts[]): WindowCounts => ({
  ...joined(windows),
  seconds: windows.reduce((all, { seconds }) => all + seconds, 0),
});
