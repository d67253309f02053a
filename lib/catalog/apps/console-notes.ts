import type { Family } from '../family';
import { own } from './console-own';

/** What people noted and kept beside bans, flags and variables. */
export const noteFamilies = {
  ban: own('ban:{connection}', 'hash', 'persistent', {
    title: 'Ban notes',
    purpose: 'Author, note and end of the addresses on a blacklist.',
  }),
  banPlan: own('ban-plan:{connection}:{id}', 'set', 'any', {
    title: 'Bans that end together',
    purpose: 'Addresses whose ban one piece of scheduled work lifts.',
  }),
  flagNote: own('flag:{connection}', 'hash', 'persistent', {
    title: 'Notes of changes',
    purpose: 'Who changed each environment variable or feature flag last, and why.',
  }),
  flagDescription: own('flag-description:{connection}', 'hash', 'persistent', {
    title: 'Flag descriptions',
    purpose: 'What each feature flag does, in plain words.',
  }),
  flagSeen: own('flag-seen:{connection}', 'hash', 'persistent', {
    title: 'Flags as first seen',
    purpose: 'Since when each feature flag is known to hold its present value, which is kept as a digest.',
  }),
  flagRequest: own('flag-request:{connection}', 'hash', 'persistent', {
    title: 'Flag requests',
    purpose: 'Changes of feature flags that wait for a second person.',
  }),
  envBackup: own('env-backup:{connection}:{id}', 'string', 'any', {
    sensitiveValue: true,
    title: 'Backups of variables',
    purpose: 'All environment variables of a connection at one moment, sealed under a key of the console.',
  }),
  envBackups: own('env-backups:{connection}', 'hash', 'persistent', {
    title: 'Backup index',
    purpose: 'When each kept backup of variables was made, why, and how many variables it holds.',
  }),
} as const satisfies Record<string, Family>;
