import audit from './en/audit.json';
import auth from './en/auth.json';
import caches from './en/caches.json';
import charts from './en/charts.json';
import flags from './en/flags.json';
import guard from './en/guard.json';
import jobs from './en/jobs.json';
import overview from './en/overview.json';
import patterns from './en/patterns.json';
import sessions from './en/sessions.json';
import shell from './en/shell.json';
import table from './en/table.json';
import users from './en/users.json';

/** One namespace a file; a domain adds its file here and nowhere else. */
export const messages = {
  audit,
  auth,
  caches,
  charts,
  flags,
  guard,
  jobs,
  overview,
  patterns,
  sessions,
  shell,
  table,
  users,
};
