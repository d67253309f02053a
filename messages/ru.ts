import access from './ru/access.json';
import alerts from './ru/alerts.json';
import analysis from './ru/analysis.json';
import approvals from './ru/approvals.json';
import audit from './ru/audit.json';
import catalog from './ru/catalog.json';
import channels from './ru/channels.json';
import charts from './ru/charts.json';
import commandLine from './ru/command-line.json';
import conventions from './ru/conventions.json';
import conversations from './ru/conversations.json';
import dataTable from './ru/data-table.json';
import diagnostics from './ru/diagnostics.json';
import entities from './ru/entities.json';
import env from './ru/env.json';
import exposition from './ru/exposition.json';
import families from './ru/families.json';
import flags from './ru/flags.json';
import glossary from './ru/glossary.json';
import guard from './ru/guard.json';
import help from './ru/help.json';
import hitRates from './ru/hit-rates.json';
import jobs from './ru/jobs.json';
import keys from './ru/keys.json';
import locks from './ru/locks.json';
import metrics from './ru/metrics.json';
import nodes from './ru/nodes.json';
import notifications from './ru/notifications.json';
import overview from './ru/overview.json';
import patterns from './ru/patterns.json';
import presence from './ru/presence.json';
import profiler from './ru/profiler.json';
import queues from './ru/queues.json';
import rateLimits from './ru/rate-limits.json';
import savedViews from './ru/saved-views.json';
import secondFactor from './ru/second-factor.json';
import sentTexts from './ru/sent-texts.json';
import server from './ru/server.json';
import serverTexts from './ru/server-texts.json';
import sessions from './ru/sessions.json';
import shell from './ru/shell.json';
import tokens from './ru/tokens.json';
import users from './ru/users.json';
import views from './ru/views.json';
import words from './ru/words.json';

/** The namespaces of `en.ts`; `serverTexts`: sentences of the server, by their codes. */
export const messages = {
  access,
  alerts,
  analysis,
  approvals,
  audit,
  catalog,
  channels,
  charts,
  commandLine,
  conventions,
  conversations,
  dataTable,
  diagnostics,
  entities,
  env,
  exposition,
  families,
  flags,
  glossary,
  guard,
  help,
  hitRates,
  jobs,
  keys,
  locks,
  metrics,
  nodes,
  notifications,
  overview,
  patterns,
  presence,
  profiler,
  queues,
  rateLimits,
  savedViews,
  secondFactor,
  sentTexts,
  serverTexts,
  server,
  sessions,
  shell,
  tokens,
  users,
  views,
  words,
};
