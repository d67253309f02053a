import 'server-only';
import type { AuditPage } from '@/lib/audit/reads';
import type { AuditEntry } from '@/lib/audit/schema';
import { subjectsOf } from '@/lib/audit/subjects';
import { catalogOf, findConnection } from '@/lib/command/context';
import { currentLimits } from '@/lib/rate-limits/limits';
import type { ConnectionHandle } from '@/lib/redis/connections';

type NameOf = (subject: string) => string | null;

/** Names of families by the catalog of a connection, and of projects by the source of limits. */
const namesOn = async (connection: ConnectionHandle, hasProjects: boolean): Promise<NameOf> => {
  const catalog = catalogOf(connection);
  const limits = hasProjects ? await currentLimits(connection) : null;
  return (subject) => {
    const [, kind, name = ''] = /^(family|project) (.*)$/.exec(subject) ?? [];
    if (kind === 'family') return catalog.get(name)?.title ?? null;
    return (kind === 'project' && limits?.names(name).project) || null;
  };
};

/** Several projects are named by their number. */
const isNamed = ({ target }: AuditEntry, subject: string): boolean =>
  target?.startsWith(subject.slice(subject.indexOf(' ') + 1)) === true;

/** Entries with the names of their targets that only other sources know: they may change, so the log has the ids. */
export const withTargetNames = async ({ items, nextCursor }: AuditPage): Promise<AuditPage> => {
  const ids = [...new Set(items.map(({ connection }) => connection ?? ''))];
  // Together: each may wait for the source of limits.
  const names = await Promise.all(
    ids.map(async (id): Promise<NameOf | null> => {
      const connection = findConnection(id);
      if (!connection) return null;
      const hasProjects = items.some(
        ({ action, connection: on }) => on === id && action.startsWith('guard.'),
      );
      return namesOn(connection, hasProjects);
    }),
  );
  const known = new Map(ids.map((id, i) => [id, names[i]]));
  const named = items.map((entry) => {
    const subject = subjectsOf(entry).find((each) => isNamed(entry, each));
    return { ...entry, targetName: (subject && known.get(entry.connection ?? '')?.(subject)) ?? null };
  });
  return { items: named, nextCursor };
};
