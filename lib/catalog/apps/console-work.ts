import type { Family } from '../family';
import { DAY, HOUR, own, within } from './console-own';

/** The audit log, undo records, jobs, and who does what. */
export const workFamilies = {
  audit: own('audit', 'stream', 'persistent', {
    title: 'Audit log',
    purpose: 'Hash-chained record of every change, sign-in and refusal.',
  }),
  auditHead: own('audit-head', 'hash', 'persistent', {
    title: 'Audit head',
    purpose: 'Id, digest and count of the newest audit entry, so that a cut tail shows.',
  }),
  auditBase: own('audit-base', 'hash', 'persistent', {
    title: 'Audit base',
    purpose: 'Where the kept part of the audit log begins.',
  }),
  auditEntry: own('audit-entry:{id}', 'hash', 'any', {
    title: 'Audit pointers',
    purpose: 'Stream ids of the intent, the outcome and the undoing of one change; kept as long as they are.',
  }),
  undo: own('undo:{id}', 'string', within(60, 30 * DAY), {
    sensitiveValue: true,
    title: 'Undo records',
    purpose: 'What a change replaced, while it can be taken back.',
  }),
  undoKeys: own('undo-keys:{id}', 'list', within(60, 30 * DAY), {
    sensitiveValue: true,
    title: 'Kept keys',
    purpose:
      'Keys that an invalidation deleted, or gave another TTL, in sealed parts, while it can be taken back.',
  }),
  lease: own('lease:{name}', 'string', within(1, HOUR), {
    title: 'Leases',
    purpose: 'Which process does what only one may do.',
  }),
  process: own('process:{id}', 'string', within(1, HOUR), {
    title: 'Processes',
    purpose: 'A running process of the console, refreshed while it lives.',
  }),
  job: own('job:{id}', 'hash', 'any', {
    title: 'Jobs',
    purpose: 'State, progress and result of a job.',
  }),
  jobs: own('jobs', 'zset', 'persistent', {
    title: 'Job index',
    purpose: 'Job ids by start time.',
  }),
  openJobs: own('open-jobs', 'set', 'persistent', {
    title: 'Open jobs',
    purpose: 'Ids of the jobs that are not over, or whose end is not yet in the audit log.',
  }),
  due: own('due', 'zset', 'persistent', {
    title: 'Due list',
    purpose: 'Scheduled work by the time it is to be carried out.',
  }),
  scheduled: own('scheduled:{connection}', 'hash', 'persistent', {
    title: 'Scheduled work',
    purpose: 'Changes of a connection that wait for their time, or were suspended.',
  }),
  bull: own('bull:{rest}', 'hash', 'any', {
    otherTypes: ['string', 'list', 'set', 'zset', 'stream'],
    title: 'Job queue',
    purpose: "The job queue's own keys (BullMQ).",
  }),
} as const satisfies Record<string, Family>;
