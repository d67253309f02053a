import { type Family, family } from '../family';
import { literalPattern } from '../pattern';

/** The names of the error collector's keys, which its own variables configure. */
export interface HawkNames {
  readonly disabledProjects: string;
  readonly blacklistIps: string;
  readonly allIps: string;
  readonly currentPeriod: string;
}

const FAMILIES: Record<keyof HawkNames, string> = {
  disabledProjects: 'hawk.disabled-projects',
  blacklistIps: 'hawk.blacklist-ips',
  allIps: 'hawk.all-ips',
  currentPeriod: 'hawk.current-period',
};

/**
 * The error collector's families under the names that a connection configures: the one thing about a known application
 * that its catalog file cannot say.
 */
export const withHawkNames = (families: readonly Family[], names: HawkNames): readonly Family[] => {
  const nameOf = new Map(
    Object.entries(names).map(([name, key]) => [FAMILIES[name as keyof HawkNames], key]),
  );
  return families.map((each) => {
    const name = nameOf.get(each.id);
    return name === undefined ? each : family({ ...each, pattern: literalPattern(name), examples: [name] });
  });
};
