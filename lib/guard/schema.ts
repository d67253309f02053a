import { z } from 'zod';
import {
  changeInput,
  changeResult,
  contract,
  exactDigits,
  isoTime,
  pageInput,
  pageOf,
  UPLOAD_BODY_BYTES,
} from '@/lib/contract';

/** A project id of the error collector: a MongoDB ObjectId. */
export const projectId = z.string().regex(/^[0-9a-fA-F]{24}$/, 'A project id is 24 hexadecimal digits.');

/** The member's bytes in base64url, up to 64 KiB, so that every member of a list can be removed. */
const memberId = z.string().regex(/^[A-Za-z0-9_-]{0,90000}$/, 'This is not a member id.');
const many = <T extends z.ZodType>(item: T) => z.array(item).min(1).max(10_000);
const base = '/api/v1/connections/{connection}/guard';

/** Names members either by text (`ips`, `projectIds`) or by `memberIds`. */
const naming = <S extends z.ZodRawShape>(names: 'projectIds' | 'ips', shape: S) =>
  changeInput({ ...shape, memberIds: many(memberId).optional() }).refine(
    (input) => names in input !== 'memberIds' in input,
    { path: [names], message: `Name either ${names} or memberIds.` },
  );

export const blockedProject = z.object({
  memberId: z.string(),
  member: z.string(),
  projectId: z.string().nullable(),
  name: z
    .string()
    .nullable()
    .meta({ description: 'What the source of limits calls the project; null where it does not know.' }),
  valid: z.boolean(),
  note: z.string().nullable().meta({ description: 'The reason given when it was blocked.' }),
  author: z.string().nullable().meta({ description: 'null when it was blocked outside Keyward.' }),
  blockedAt: isoTime.nullable(),
  byKeyward: z
    .boolean()
    .nullable()
    .meta({ description: "Whether it was blocked here; null while Keyward's own store is unreachable." }),
});
export type BlockedProject = z.output<typeof blockedProject>;

export const blacklistedIp = z.object({
  memberId: z.string(),
  member: z.string(),
  ip: z.string().nullable().meta({ description: 'null when the entry is not an address.' }),
  neverMatches: z
    .string()
    .nullable()
    .meta({ description: 'Why the collector, which compares exact text, never matches this entry.' }),
  note: z.string().nullable(),
  author: z.string().nullable(),
  bannedAt: isoTime.nullable(),
  expiresAt: isoTime.nullable(),
  notLifted: z
    .string()
    .nullable()
    .meta({ description: 'Why this ban was not lifted although it has expired.' }),
  requests: z
    .number()
    .nullable()
    .meta({ description: 'Requests of exactly this text in the current period; null when unknown.' }),
  requestsExact: exactDigits,
  protected: z
    .boolean()
    .meta({ description: 'The configuration protects this address: it was banned outside this console.' }),
  own: z.boolean().meta({ description: "The caller's own address." }),
});
export type BlacklistedIp = z.output<typeof blacklistedIp>;

export const addedIp = z.object({
  input: z.string(),
  ip: z.string().nullable(),
  status: z.enum(['added', 'already', 'invalid', 'protected']),
  reason: z.string().nullable(),
  warning: z.string().nullable().meta({ description: "Set when this is the caller's own address." }),
});
export type AddedIp = z.output<typeof addedIp>;

const note = z.string().trim().max(500);
const expiresAt = isoTime.meta({ description: 'When the ban expires; at most a year from now.' });

const removed = changeResult({
  removed: z.number(),
  alreadyGone: z.number(),
  inForceWithinSeconds: z.number(),
});

const ofSet = {
  examined: z.number().meta({ description: 'Members examined for this page.' }),
  total: z.number().meta({ description: 'Members of the set.' }),
  inForceWithinSeconds: z.number(),
};

const listInput = z.strictObject({ q: z.string().max(200).optional(), ...pageInput });

const TOUCHED_BY_BANS = ['guard.blacklist.list', 'guard.ips', 'overview'];
const TOUCHED_BY_BLOCKS = ['guard.projects.list', 'guard.rateLimits', 'overview'];

export const guardContracts = {
  projectsList: contract({
    id: 'guard.projects.list',
    method: 'GET',
    path: `${base}/projects`,
    permission: 'guard:view',
    summary: 'Blocked projects, in the order of the server.',
    input: listInput,
    result: pageOf(blockedProject).extend(ofSet),
  }),
  projectsBlock: contract({
    id: 'guard.projects.block',
    method: 'POST',
    path: `${base}/projects/block`,
    touches: TOUCHED_BY_BLOCKS,
    permission: 'guard:write',
    summary: 'Blocks projects: the collector refuses their events from its next reload.',
    input: changeInput({ projectIds: many(projectId) }),
    result: changeResult({
      added: z.number(),
      already: z.number(),
      items: z.array(z.object({ projectId: z.string(), status: z.enum(['added', 'already']) })),
      inForceWithinSeconds: z.number(),
    }),
    maxBodyBytes: UPLOAD_BODY_BYTES,
  }),
  projectsUnblock: contract({
    id: 'guard.projects.unblock',
    method: 'POST',
    path: `${base}/projects/unblock`,
    touches: TOUCHED_BY_BLOCKS,
    permission: 'guard:write',
    summary: 'Unblocks projects, or removes entries that are not a project id.',
    input: naming('projectIds', { projectIds: many(projectId).optional() }),
    result: removed,
    maxBodyBytes: UPLOAD_BODY_BYTES,
  }),
  entryHistory: contract({
    id: 'guard.entries.history',
    method: 'GET',
    path: `${base}/entries/history`,
    permission: 'guard:view',
    summary:
      'Who banned an address or blocked a project, changed that or ended it, when and why, newest first. Of a change of more than a hundred entries the first hundred are known.',
    input: z.strictObject({
      set: z.enum(['bans', 'projects']),
      entry: z.string().min(1).max(1000).meta({ description: 'As it is listed.' }),
      ...pageInput,
    }),
    result: pageOf(
      z.object({
        auditId: z.string(),
        at: isoTime,
        actor: z.string(),
        action: z.string(),
        reason: z.string().nullable(),
        outcome: z.string(),
        undoneBy: z.string().nullable(),
      }),
    ),
  }),
  blacklistList: contract({
    id: 'guard.blacklist.list',
    method: 'GET',
    path: `${base}/blacklist`,
    permission: 'guard:view',
    summary: 'Banned addresses, in the order of the server.',
    input: listInput,
    result: pageOf(blacklistedIp).extend(ofSet),
  }),
  blacklistAdd: contract({
    id: 'guard.blacklist.add',
    method: 'POST',
    path: `${base}/blacklist/add`,
    touches: TOUCHED_BY_BANS,
    permission: 'guard:write',
    summary:
      'Bans addresses, with a status per address. A banned caller gets 429. A dry run answers the same without banning.',
    input: changeInput({
      ips: many(z.string()),
      note: note.optional().meta({ description: 'Stored with each ban; defaults to the reason.' }),
      expiresAt: expiresAt.optional(),
      dryRun: z.boolean().default(false),
    }),
    result: changeResult({
      items: z.array(addedIp),
      added: z.number(),
      expiresAt: isoTime.nullable(),
      inForceWithinSeconds: z.number(),
    }).extend({ auditId: z.string().nullable().meta({ description: 'null for a dry run.' }) }),
    maxBodyBytes: UPLOAD_BODY_BYTES,
  }),
  blacklistAnnotate: contract({
    id: 'guard.blacklist.annotate',
    method: 'POST',
    path: `${base}/blacklist/annotate`,
    touches: TOUCHED_BY_BANS,
    permission: 'guard:write',
    summary:
      'Changes the note or the expiry of existing bans. An absent field is unchanged, null removes it.',
    input: naming('ips', {
      ips: many(z.string().max(1000)).optional(),
      note: note.nullable().optional(),
      expiresAt: expiresAt.nullable().optional(),
    }).refine((input) => input.note !== undefined || input.expiresAt !== undefined, {
      path: ['note'],
      message: 'Give note, expiresAt, or both.',
    }),
    result: changeResult({
      changed: z.number(),
      notThere: z.number().meta({ description: 'Addresses that are not banned.' }),
    }),
    maxBodyBytes: UPLOAD_BODY_BYTES,
  }),
  blacklistRemove: contract({
    id: 'guard.blacklist.remove',
    method: 'POST',
    path: `${base}/blacklist/remove`,
    touches: TOUCHED_BY_BANS,
    permission: 'guard:write',
    summary: 'Lifts bans.',
    input: naming('ips', { ips: many(z.string().max(1000)).optional() }),
    result: removed,
    maxBodyBytes: UPLOAD_BODY_BYTES,
  }),
};
