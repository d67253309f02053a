import { queryOptions } from '@tanstack/react-query';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { entityHref } from '@/components/patterns/entity-link';
import { queryKeyOf } from '@/components/patterns/query-key';
import { readQuery } from '@/components/patterns/read-query';
import { call } from '@/lib/api-client';
import { auditContracts } from '@/lib/audit/schema';
import { type Contract, isConnectionPath, type Result, type WireInput } from '@/lib/contract';
import { entityContracts } from '@/lib/entities/schema';
import { envContracts } from '@/lib/env/schema';
import { familyContracts } from '@/lib/families/schema';
import { flagContracts } from '@/lib/flags/schema';
import { guardContracts } from '@/lib/guard/schema';
import { jobContracts } from '@/lib/jobs/schema';
import { keyContracts } from '@/lib/keys/schema';
import { allows, type Role } from '@/lib/permissions';
import { rateLimitContracts } from '@/lib/rate-limits/schema';
import { type Session, sessionContracts, userIdText } from '@/lib/sessions/schema';
import { userContracts } from '@/lib/users/schema';
import type { PageId } from '../pages';
import { isUuid, type Typed, type Verb } from './typed';

export interface Match {
  id: string;
  label: string;
  note?: string | null | undefined;
  href: string;
}

/** A source of matches. The server's operations check again who may see what. */
export interface Source {
  /** The page of the matches. Its name and icon are the source's, unless that has its own name. */
  page: PageId;
  kind?: 'devices' | 'bans' | 'projects';
  title?: string;
  /** The most common action on its matches; a query that begins with this verb shows them first. */
  verb?: Verb;
  query: ReturnType<typeof readQuery>;
  matchesOf: (answer: unknown) => Match[];
  /** Whether nothing else could match. */
  isComplete: (answer: unknown) => boolean;
  /** Whether the server is still collecting names. */
  isReading: (answer: unknown) => boolean;
  /** The address of the complete list. */
  rest: string;
}

/** The fields of an operation on a list that scans. */
interface Scanned {
  items: unknown[];
  nextCursor: string | null;
}

interface Declared<C extends Contract> extends Pick<Source, 'page' | 'kind' | 'title' | 'verb' | 'rest'> {
  /** Roles of the connection's catalog, one of which is needed. */
  roles?: readonly string[];
  /** Null where the typed text cannot match. */
  input: WireInput<C> | null;
  /** The typed text is not sent, so it may look like a secret. */
  isComparedHere?: boolean;
  /** Its pages are short, so several are read until there are enough matches or the time is up. */
  scans?: boolean;
  matchesOf: (answer: Result<C>) => Match[];
  isComplete?: (answer: Result<C>) => boolean;
  isReading?: (answer: Result<C>) => boolean;
}

/** Rows per group: enough to choose from; the pages have the rest. */
const MAX_ROWS = 5;
/** Sessions: some users have several. */
const USERS = 20;
/** A list of configuration is asked for as a whole, and filtered here. */
const WHOLE = 1000;
/** Jobs and audit entries are found by id among the newest: the id stays here, because a token may look like one. */
const RECENT = 1000;

/** After this time the rest is left to the pages, which show the progress of a scan. */
const SCAN_MS = 10_000;

/** The first pages of a list that scans, as one answer that grows. */
const scanQuery = <C extends Contract>(contract: C, connection: string, input: WireInput<C>, most: number) =>
  queryOptions({
    queryKey: queryKeyOf(contract, connection, input as object),
    queryFn: async ({ signal, client, queryKey }): Promise<Result<C>> => {
      const end = performance.now() + SCAN_MS;
      const items: unknown[] = [];
      let cursor: string | null = null;
      let page: Scanned;
      do {
        const next = { ...(input as object), ...(cursor !== null && { cursor }) } as WireInput<C>;
        page = (await call(contract, next, { connection, signal })) as Scanned;
        items.push(...page.items);
        cursor = page.nextCursor;
        if (page.items.length > 0) client.setQueryData(queryKey, { ...page, items: [...items] });
      } while (cursor !== null && items.length < most && performance.now() < end);
      return { ...page, items } as Result<C>;
    },
  });

const query = (fields: Record<string, string>): string => new URLSearchParams(fields).toString();

/** A text that a Redis glob takes literally. */
const literal = (text: string): string => text.replace(/[\\*?[\]]/g, '\\$&');

/** A row per user of these sessions: the page of the user has the others. */
const usersOf = (base: string, sessions: readonly Session[]): Match[] => {
  const users = new Map<string, Match>();
  for (const { userId, username, device } of sessions)
    if (userId !== null && !users.has(userId))
      users.set(userId, {
        id: userId,
        label: username ?? `#${userId}`,
        note: [device.label, device.address].filter(Boolean).join(' · '),
        href: `${base}/sessions?${query({ user: userIdText(userId) })}`,
      });
  return [...users.values()];
};

/** The sources that a role may ask about a connection for a typed text. */
export const sourcesFor = (role: Role, connection: ConnectionFacts, typed: Typed): Source[] => {
  const { text, address, userId, id } = typed;
  const base = `/${connection.id}`;
  const wanted = text.toLowerCase();
  const matches = (...words: (string | null)[]): boolean =>
    words.some((word) => word?.toLowerCase().includes(wanted));
  const isWhole = ({ nextCursor }: { nextCursor: string | null }): boolean => nextCursor === null;

  const sources: Source[] = [];
  const add = <C extends Contract>(contract: C, declared: Declared<C>): void => {
    const {
      input,
      roles,
      matchesOf,
      isComplete = () => true,
      isReading = () => false,
      scans,
      isComparedHere,
      ...rest
    } = declared;
    if (input === null || !allows(role, contract.permission)) return;
    if (isUuid(text) && !isComparedHere) return;
    if (roles && !roles.some((role) => connection.roles.includes(role))) return;
    sources.push({
      ...rest,
      query: (scans
        ? scanQuery<Contract>(contract, connection.id, input, MAX_ROWS)
        : readQuery<Contract>(
            contract,
            isConnectionPath(contract.path) ? connection.id : null,
            input,
          )) as Source['query'],
      matchesOf: matchesOf as Source['matchesOf'],
      isComplete: isComplete as Source['isComplete'],
      isReading: isReading as Source['isReading'],
    });
  };

  add(flagContracts.list, {
    page: 'flags',
    verb: 'toggle',
    roles: ['flag'],
    input: { limit: WHOLE },
    matchesOf: ({ items }) =>
      items
        .filter(({ name, description }) => matches(name, description))
        .map(({ name, description }) => ({
          id: name,
          label: name,
          note: description,
          href: `${base}/flags?${query({ q: name })}`,
        })),
    isComplete: isWhole,
    isReading: ({ complete }) => !complete,
    rest: `${base}/flags?${query({ q: text })}`,
  });
  add(familyContracts.list, {
    page: 'families',
    verb: 'invalidate',
    input: { limit: WHOLE },
    matchesOf: ({ items }) =>
      items
        .filter(({ family, title, pattern }) => matches(family, title, pattern))
        .map(({ family, title, pattern }) => ({
          id: family,
          label: title,
          note: pattern,
          href: `${base}/families?${query({ family })}`,
        })),
    isComplete: isWhole,
    rest: `${base}/families?${query({ q: text })}`,
  });
  add(envContracts.list, {
    page: 'env',
    roles: ['variable'],
    input: { q: text },
    matchesOf: ({ groups }) =>
      groups
        // Flags have a source of their own.
        .filter(({ category }) => category !== 'features' || !connection.roles.includes('flag'))
        .flatMap(({ variables }) => variables)
        .map(({ name }) => ({ id: name, label: name, href: `${base}/env?${query({ q: name })}` })),
    isReading: ({ complete }) => !complete,
    rest: `${base}/env?${query({ q: text })}`,
  });
  add(guardContracts.blacklistList, {
    page: 'guard',
    kind: 'bans',
    verb: 'ban',
    roles: ['ban-list'],
    input: /^[0-9a-f.:/]+$/i.test(text) ? { q: text, limit: MAX_ROWS } : null,
    matchesOf: ({ items }) =>
      items.map(({ memberId, member, note }) => ({
        id: memberId,
        label: member,
        note,
        href: `${base}/guard?${query({ tab: 'bans', q: member })}`,
      })),
    isComplete: isWhole,
    rest: `${base}/guard?${query({ tab: 'bans', q: text })}`,
  });
  add(rateLimitContracts.list, {
    page: 'guard',
    kind: 'projects',
    roles: ['rate-limit'],
    input: /^[0-9a-f]{4,24}$/i.test(text) ? { q: text, limit: MAX_ROWS } : null,
    matchesOf: ({ items }) =>
      items.flatMap(({ projectId }) =>
        projectId === null
          ? []
          : [
              {
                id: projectId,
                label: projectId,
                href: `${base}/guard?${query({ tab: 'limits', q: projectId })}`,
              },
            ],
      ),
    isComplete: isWhole,
    rest: `${base}/guard?${query({ tab: 'limits', q: text })}`,
  });
  add(jobContracts.list, {
    page: 'jobs',
    isComparedHere: true,
    input: id ? { limit: RECENT } : null,
    matchesOf: ({ items }) =>
      items
        .filter(({ jobId }) => jobId.startsWith(id!))
        .map(({ jobId, action }) => ({
          id: jobId,
          label: jobId,
          note: action,
          href: `/jobs?${query({ job: jobId })}`,
        })),
    isComplete: isWhole,
    rest: '/jobs',
  });
  add(auditContracts.list, {
    page: 'audit',
    isComparedHere: true,
    input: id ? { limit: RECENT } : null,
    matchesOf: ({ items }) =>
      items
        .filter((entry) => entry.id.startsWith(id!))
        .map((entry) => ({
          id: entry.id,
          label: entry.id,
          note: entry.action,
          href: `/audit?${query({ entry: entry.id })}`,
        })),
    isComplete: isWhole,
    rest: '/audit',
  });
  add(userContracts.list, {
    page: 'users',
    input: { q: text, limit: MAX_ROWS },
    matchesOf: ({ items }) =>
      items.map(({ id, name, email }) => ({
        id,
        label: name,
        note: email,
        href: `/users?${query({ q: email })}`,
      })),
    isComplete: isWhole,
    rest: `/users?${query({ q: text })}`,
  });
  // Scans come last, so that nothing above moves while they continue.
  add(sessionContracts.list, {
    page: 'sessions',
    verb: 'revoke',
    roles: ['session'],
    scans: true,
    input: address ? { address, limit: USERS } : userId ? null : { username: text, limit: USERS },
    matchesOf: ({ items }) => usersOf(base, items),
    isComplete: isWhole,
    rest: `${base}/sessions?${query(address ? { address } : { name: text })}`,
  });
  add(sessionContracts.list, {
    page: 'sessions',
    kind: 'devices',
    roles: ['session'],
    scans: true,
    input: address || userId ? null : { device: text, limit: USERS },
    matchesOf: ({ items }) => usersOf(base, items),
    isComplete: isWhole,
    rest: `${base}/sessions?${query({ device: text })}`,
  });
  for (const { ref, title, explored } of connection.entities)
    add(entityContracts.search, {
      page: 'entities',
      title,
      scans: true,
      input: explored ? { kind: ref, q: text, limit: MAX_ROWS } : null,
      matchesOf: ({ items }) =>
        items.flatMap(({ kind, app, id, title: name, linkable }) =>
          kind !== null && linkable
            ? [
                {
                  id,
                  label: name || id,
                  note: name ? id : null,
                  href: entityHref(connection.id, { kind, app, id }),
                },
              ]
            : [],
        ),
      isComplete: isWhole,
      rest: `${base}/entities?${query({ kind: ref, q: text })}`,
    });
  add(keyContracts.list, {
    page: 'keys',
    scans: true,
    input: { match: `${literal(text)}*`, limit: MAX_ROWS },
    matchesOf: ({ items }) =>
      items.map(({ keyId, key, title }) => ({
        id: keyId,
        label: key,
        note: title,
        href: `${base}/keys/${keyId}`,
      })),
    isComplete: isWhole,
    rest: `${base}/keys?${query({ q: `${literal(text)}*` })}`,
  });
  const first = sources.filter(({ verb }) => verb !== undefined && verb === typed.verb);
  return [...first, ...sources.filter((source) => !first.includes(source))];
};

/** How many rows of a group are shown. */
export const shownOf = (matches: readonly Match[]): readonly Match[] => matches.slice(0, MAX_ROWS);
