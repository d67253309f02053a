import 'server-only';
import type { Store } from '@/lib/redis/store';
import { type AuditFilter, type AuditPage, findEntry, listEntries, MAX_EXAMINED } from './reads';
import { type AuditEntry, subjectIn, undoContract } from './schema';
import { walkAbout } from './subject-index';
import { type Subject, subjectsOf } from './subjects';

/** `subject`: `kind:name`, as in the address of the audit page. */
export type ListFilter = AuditFilter & { subject?: string };

/** An undo is about what the undone change is about. */
const isAbout = async (store: Store, entry: AuditEntry, subject: Subject): Promise<boolean> => {
  if (entry.action !== undoContract.id) return subjectsOf(entry).includes(subject);
  const undone = await findEntry(store, entry.target ?? '');
  return undone?.undoneBy === entry.id && subjectsOf(undone).includes(subject);
};

const listAbout = async (store: Store, subject: Subject, filter: AuditFilter): Promise<AuditPage> => {
  const from = filter.from ? Date.parse(filter.from) : -Infinity;
  const to = filter.to ? Date.parse(filter.to) : Infinity;
  const items: AuditEntry[] = [];
  for await (const { entry, place, examined } of walkAbout(store, filter, () => subject)) {
    const at = entry ? Date.parse(entry.at) : to;
    if (at < from) break;
    const isWanted = at <= to && (filter.outcome ?? entry?.outcome) === entry?.outcome;
    if (entry && isWanted && (await isAbout(store, entry, subject))) items.push(entry);
    if (items.length === (filter.limit ?? 50) || examined >= MAX_EXAMINED)
      return { items, nextCursor: place };
  }
  return { items, nextCursor: null };
};

/** audit.list: entries that match, newest first; with `subject` those about one thing, from its index. */
export const listAudit = (store: Store, { subject, ...filter }: ListFilter): Promise<AuditPage> => {
  const about = filter.id === undefined ? subjectIn(subject) : null;
  if (!about) return listEntries(store, filter);
  const name = about.kind === 'account' ? about.name.toLowerCase() : about.name;
  return listAbout(store, `${about.kind} ${name}`, filter);
};
