import type glossary from '@/messages/en/glossary.json';
import type { PageId } from '../pages';

export type Word = keyof typeof glossary;

/** The words that a page's reader needs first. */
export const WORDS_OF: Partial<Record<PageId, readonly Word[]>> = {
  overview: ['hitRate', 'eviction', 'annotation', 'firing'],
  sessions: ['session', 'unindexed', 'ghost', 'staleIndex', 'legacy', 'stillValid', 'proof'],
  tokens: ['token', 'stillValid', 'ttl'],
  presence: ['entity'],
  channels: ['mask'],
  flags: ['flag', 'approval', 'undo'],
  approvals: ['approval', 'preview', 'undo', 'unknownOutcome'],
  env: ['secret', 'mask', 'reveal', 'undo'],
  guard: ['ban', 'threshold', 'blocked', 'rateLimit'],
  locks: ['lock', 'ttl'],
  queues: ['queue'],
  families: ['family', 'role', 'ttl', 'atLeast', 'invalidate'],
  invalidate: ['invalidate', 'preview', 'undo', 'recovery', 'unknownOutcome'],
  'hit-rates': ['hitRate', 'coverage', 'attributed', 'sample'],
  keys: ['family', 'unclassified', 'malformed', 'ttl', 'scan'],
  entities: ['entity', 'dangling', 'oneSided'],
  conversations: ['entity', 'scan'],
  analysis: ['analysis', 'sample', 'unclassified', 'eviction'],
  catalog: ['family', 'role', 'unclassified', 'drift', 'coverage'],
  conventions: ['convention', 'waiver', 'drift'],
  server: ['slowLog', 'eviction', 'readOnly'],
  nodes: ['replica', 'slot'],
  diagnostics: ['slowLog', 'eviction'],
  alerts: ['firing'],
  'command-line': ['readOnly', 'undo', 'mask'],
  profiler: ['sample', 'mask'],
  audit: ['auditChain', 'reveal', 'undo', 'unknownOutcome'],
  jobs: ['job', 'interrupted', 'undo', 'unknownOutcome'],
  users: ['readOnly'],
};
