import type { Family } from '../family';
import { plainText } from '../grammar';
import { connection, DAY, HOUR, id, own } from './console-own';

/** The audit log, undo records, jobs, and who does what. */
export const workFamilies = {
  audit: own('audit', '', {
    type: 'stream',
    ttl: 'persistent',
    title: 'Audit log',
    purpose: 'Hash-chained record of every change, sign-in and refusal.',
  }),
  auditHead: own('audit-head', '', {
    type: 'hash',
    ttl: 'persistent',
    title: 'Audit head',
    purpose: 'Id, digest and count of the newest audit entry, so that a cut tail shows.',
  }),
  auditBase: own('audit-base', '', {
    type: 'hash',
    ttl: 'persistent',
    title: 'Audit base',
    purpose: 'Where the kept part of the audit log begins.',
  }),
  auditEntry: own('audit-entry', ':{id}', {
    params: id,
    type: 'hash',
    ttl: 'any',
    title: 'Audit pointers',
    purpose: 'Stream ids of the intent, the outcome and the undoing of one change; kept as long as they are.',
  }),
  undo: own('undo', ':{id}', {
    params: id,
    type: 'string',
    ttl: { minSeconds: 60, maxSeconds: 30 * DAY },
    sensitiveValue: true,
    title: 'Undo records',
    purpose: 'What a change replaced, while it can be taken back.',
  }),
  undoKeys: own('undo-keys', ':{id}', {
    params: id,
    type: 'list',
    ttl: { minSeconds: 60, maxSeconds: 30 * DAY },
    sensitiveValue: true,
    title: 'Kept keys',
    purpose:
      'Keys that an invalidation deleted, or gave another TTL, in sealed parts, while it can be taken back.',
  }),
  lease: own('lease', ':{name}', {
    params: { name: plainText },
    type: 'string',
    ttl: { minSeconds: 1, maxSeconds: HOUR },
    title: 'Leases',
    purpose: 'Which process does what only one may do.',
  }),
  process: own('process', ':{id}', {
    params: id,
    type: 'string',
    ttl: { minSeconds: 1, maxSeconds: HOUR },
    title: 'Processes',
    purpose: 'A running process of the console, refreshed while it lives.',
  }),
  job: own('job', ':{id}', {
    params: id,
    type: 'hash',
    ttl: 'any',
    title: 'Jobs',
    purpose: 'State, progress and result of a job.',
  }),
  jobs: own('jobs', '', {
    type: 'zset',
    ttl: 'persistent',
    title: 'Job index',
    purpose: 'Job ids by start time.',
  }),
  openJobs: own('open-jobs', '', {
    type: 'set',
    ttl: 'persistent',
    title: 'Open jobs',
    purpose: 'Ids of the jobs that are not over, or whose end is not yet in the audit log.',
  }),
  due: own('due', '', {
    type: 'zset',
    ttl: 'persistent',
    title: 'Due list',
    purpose: 'Scheduled work by the time it is to be carried out.',
  }),
  scheduled: own('scheduled', ':{connection}', {
    params: connection,
    type: 'hash',
    ttl: 'persistent',
    title: 'Scheduled work',
    purpose: 'Changes of a connection that wait for their time, or were suspended.',
  }),
  bull: own('bull', ':{rest}', {
    params: { rest: plainText },
    type: 'hash',
    otherTypes: ['string', 'list', 'set', 'zset', 'stream'],
    ttl: 'any',
    title: 'Job queue',
    purpose: "The job queue's own keys (BullMQ).",
  }),
} as const satisfies Record<string, Family>;
