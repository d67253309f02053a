import { z } from 'zod';
import { changeInput, changeResult, contract, isoTime, pageInput, pageOf } from '@/lib/contract';

/** A project id of the error collector: a MongoDB ObjectId (003). */
export const projectId = z.string().regex(/^[0-9a-fA-F]{24}$/, 'A project id is 24 hexadecimal digits.');

const memberId = z.string().regex(/^[A-Za-z0-9_-]{0,1400}$/, 'This is not a member id.');
const many = <T extends z.ZodType>(item: T) => z.array(item).min(1).max(10_000);
const base = '/api/v1/connections/{connection}/guard';
const PASTED_LISTS = 16 * 1024 * 1024;

const removal = <S extends z.ZodRawShape>(shape: S, a: string, b: string) =>
  changeInput(shape).refine((input) => a in input !== b in input, {
    path: [a],
    message: `Name either ${a} or ${b}.`,
  });

export const blockedProject = z.object({
  memberId: z.string(),
  member: z.string(),
  projectId: z.string().nullable(),
  valid: z.boolean(),
});
export type BlockedProject = z.output<typeof blockedProject>;

export const blacklistedIp = z.object({
  memberId: z.string(),
  member: z.string(),
  ip: z.string().nullable().meta({ description: 'null when the entry is no address.' }),
  neverMatches: z
    .string()
    .nullable()
    .meta({ description: 'Why the collector, which matches exact text, never matches this entry.' }),
  note: z.string().nullable(),
  author: z.string().nullable(),
  expiresAt: isoTime.nullable(),
});
export type BlacklistedIp = z.output<typeof blacklistedIp>;

export const addedIp = z.object({
  input: z.string(),
  ip: z.string().nullable(),
  status: z.enum(['added', 'already', 'invalid', 'protected']),
  reason: z.string().nullable(),
});
export type AddedIp = z.output<typeof addedIp>;

const listInput = z.strictObject({ q: z.string().max(200).optional(), ...pageInput });

export const guardContracts = {
  projectsList: contract({
    id: 'guard.projects.list',
    method: 'GET',
    path: `${base}/projects`,
    permission: 'guard:view',
    summary: 'Blocked projects, in the order of the server.',
    input: listInput,
    result: pageOf(blockedProject).extend({ total: z.number(), inForceWithinSeconds: z.number() }),
  }),
  projectsBlock: contract({
    id: 'guard.projects.block',
    method: 'POST',
    path: `${base}/projects/block`,
    permission: 'guard:write',
    summary: 'Blocks projects: the collector refuses their events from its next reload.',
    input: changeInput({ projectIds: many(projectId) }),
    result: changeResult({
      added: z.number(),
      already: z.number(),
      items: z.array(z.object({ projectId: z.string(), status: z.enum(['added', 'already']) })),
      inForceWithinSeconds: z.number(),
    }),
    maxBodyBytes: PASTED_LISTS,
  }),
  projectsUnblock: contract({
    id: 'guard.projects.unblock',
    method: 'POST',
    path: `${base}/projects/unblock`,
    permission: 'guard:write',
    summary: 'Unblocks projects, or removes entries that are no project id.',
    input: removal(
      { projectIds: many(projectId).optional(), memberIds: many(memberId).optional() },
      'projectIds',
      'memberIds',
    ),
    result: changeResult({ removed: z.number(), alreadyGone: z.number(), inForceWithinSeconds: z.number() }),
    maxBodyBytes: PASTED_LISTS,
  }),
  blacklistList: contract({
    id: 'guard.blacklist.list',
    method: 'GET',
    path: `${base}/blacklist`,
    permission: 'guard:view',
    summary: 'Blacklisted addresses, in the order of the server.',
    input: listInput,
    result: pageOf(blacklistedIp).extend({ total: z.number(), inForceWithinSeconds: z.number() }),
  }),
  blacklistAdd: contract({
    id: 'guard.blacklist.add',
    method: 'POST',
    path: `${base}/blacklist/add`,
    permission: 'guard:write',
    summary: 'Bans addresses; each one is answered for by itself. A banned caller gets 429.',
    input: changeInput({ ips: many(z.string().max(1000)) }),
    result: changeResult({
      items: z.array(addedIp),
      added: z.number(),
      inForceWithinSeconds: z.number(),
    }),
    maxBodyBytes: PASTED_LISTS,
  }),
  blacklistRemove: contract({
    id: 'guard.blacklist.remove',
    method: 'POST',
    path: `${base}/blacklist/remove`,
    permission: 'guard:write',
    summary: 'Lifts bans.',
    input: removal(
      { ips: many(z.string().max(1000)).optional(), memberIds: many(memberId).optional() },
      'ips',
      'memberIds',
    ),
    result: changeResult({ removed: z.number(), alreadyGone: z.number(), inForceWithinSeconds: z.number() }),
    maxBodyBytes: PASTED_LISTS,
  }),
};
