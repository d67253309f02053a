import { z } from 'zod';
import { changeFields, contract, isoTime, noInput, pageInput, pageOf } from '@/lib/contract';

/** From this share of its size limit on, the log is reported as nearly full. */
export const WARN_SHARE = 0.8;

/** What an entry can be about. An `account` is a user of Keyward, a `user` one of the application. */
export const SUBJECT_KINDS = [
  'variable',
  'user',
  'entity',
  'family',
  'address',
  'project',
  'account',
] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

const SUBJECT = new RegExp(`^(${SUBJECT_KINDS.join('|')}):([\\s\\S]{1,600})$`);

/** A subject as addresses have it, `kind:name`; null for other text. */
export const subjectIn = (text: string | undefined): { kind: SubjectKind; name: string } | null => {
  const [, kind, name] = SUBJECT.exec(text ?? '') ?? [];
  return name === undefined ? null : { kind: kind as SubjectKind, name };
};

export const OUTCOMES = ['pending', 'succeeded', 'failed'] as const;

/** The approval of a change that another user had requested. */
export const entryApproval = z.object({
  request: z.string(),
  requestedBy: z.string(),
  requestReason: z.string().nullable(),
  approvedBy: z.string(),
  approvalReason: z.string().nullable(),
});

export const auditEntry = z.object({
  id: z.string(),
  at: isoTime,
  actor: z.string(),
  actorId: z.string(),
  role: z.string().nullable(),
  action: z.string(),
  connection: z.string().nullable(),
  target: z.string().nullable(),
  targetName: z.string().nullish().meta({
    description: 'What the family or the project in the target is called now; null where that is not known.',
  }),
  reason: z.string().nullable(),
  outcome: z.enum(OUTCOMES),
  detail: z
    .string()
    .nullable()
    .meta({ description: 'The reason of a failure or refusal, or the result of a job.' }),
  before: z.unknown(),
  after: z.unknown(),
  finishedAt: isoTime.nullable(),
  undoUntil: isoTime.nullable(),
  undoneBy: z.string().nullable(),
  requestId: z.string().nullable(),
  approval: entryApproval.nullish().meta({
    description: 'Who requested the change and who approved it, each with their reason.',
  }),
});
export type AuditEntry = z.output<typeof auditEntry>;

const filters = {
  id: z.string().max(100).optional().meta({ description: 'One entry, by its audit id.' }),
  actor: z.string().max(200).optional(),
  action: z.string().max(100).optional(),
  connection: z.string().max(100).optional(),
  target: z.string().max(200).optional(),
  subject: z
    .string()
    .regex(SUBJECT, 'A subject is its kind, a colon and its name.')
    .optional()
    .meta({
      description: `Everything about one thing: ${SUBJECT_KINDS.map((kind) => `\`${kind}:…\``).join(', ')}. A flag is a \`variable\`, an \`entity\` is its kind, a space and its id, an \`account\` is the e-mail address of a user of Keyward. All others need \`connection\`.`,
    }),
  outcome: z.enum(OUTCOMES).optional(),
  from: isoTime.optional(),
  to: isoTime.optional(),
};

const isSubjectWhole = ({ subject, connection }: { subject?: string; connection?: string }): boolean =>
  subject === undefined || connection !== undefined || subjectIn(subject)?.kind === 'account';
const WHOLE = { path: ['connection'], message: 'A subject needs its connection.' };

export const verdict = z.object({
  ok: z.boolean(),
  entries: z.number(),
  firstBadId: z.string().nullable(),
  problem: z.string().nullable(),
});
/** `firstBadId`: the audit id of the first altered entry; where entries are missing, of the last one before the gap. */
export type Verdict = z.output<typeof verdict>;

export const auditContracts = {
  list: contract({
    id: 'audit.list',
    method: 'GET',
    path: '/api/v1/audit',
    permission: 'audit:view',
    summary: 'Who did what, when and why, newest first.',
    input: z.strictObject({ ...filters, ...pageInput }).refine(isSubjectWhole, WHOLE),
    result: pageOf(auditEntry),
  }),
  export: contract({
    id: 'audit.export',
    method: 'GET',
    path: '/api/v1/audit/export',
    download: true,
    permission: 'audit:view',
    summary: 'The same entries as CSV or JSON lines.',
    input: z
      .strictObject({ ...filters, format: z.enum(['csv', 'jsonl']).default('csv') })
      .refine(isSubjectWhole, WHOLE),
    result: z.string(),
  }),
  verify: contract({
    id: 'audit.verify',
    method: 'POST',
    path: '/api/v1/audit/verify',
    permission: 'audit:view',
    summary: 'Verifies the hash chain: detects changed, missing or reordered entries, also at the end.',
    input: z.strictObject({
      acknowledge: z.boolean().optional().meta({
        description: 'Acknowledges the alarm, with an audit entry, and verifies the log as it is now.',
      }),
    }),
    result: verdict,
  }),
  status: contract({
    id: 'audit.status',
    method: 'GET',
    path: '/api/v1/audit/status',
    permission: 'audit:view',
    summary: 'The size of the log, its last verification, and an unacknowledged alarm.',
    input: noInput,
    result: z.object({
      rows: z.number(),
      maxRows: z
        .number()
        .meta({ description: 'Above it the oldest rows are deleted, if older than 30 days.' }),
      verified: verdict.extend({ at: isoTime }).nullable(),
      alarm: z.object({ since: isoTime, problem: z.string() }).nullable(),
    }),
  }),
};

/** Undo involves all domains, so the command is defined above them, but its contract belongs to the audit log. */
export const undoContract = contract({
  id: 'audit.undo',
  method: 'POST',
  path: '/api/v1/audit/{auditId}/undo',
  permission: 'signed-in',
  summary:
    'Undoes a change, with the permission of the change itself. Conflicts with later changes are listed, not overwritten.',
  input: z.strictObject({
    auditId: z.string().regex(/^[0-9a-f-]{36}$/, 'This is not an audit id.'),
    ...changeFields,
  }),
  result: z.object({
    undone: z.number(),
    conflicts: z.array(z.object({ what: z.string(), why: z.string() })),
    jobId: z
      .string()
      .optional()
      .meta({ description: 'The job that continues the undo; its result lists what was undone.' }),
    auditId: z.string(),
  }),
  mayQueue: true,
});
