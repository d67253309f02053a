import access from './zh/access.json';
import alerts from './zh/alerts.json';
import analysis from './zh/analysis.json';
import approvals from './zh/approvals.json';
import audit from './zh/audit.json';
import catalog from './zh/catalog.json';
import channels from './zh/channels.json';
import charts from './zh/charts.json';
import commandLine from './zh/command-line.json';
import conventions from './zh/conventions.json';
import conversations from './zh/conversations.json';
import dataTable from './zh/data-table.json';
import diagnostics from './zh/diagnostics.json';
import entities from './zh/entities.json';
import env from './zh/env.json';
import exposition from './zh/exposition.json';
import families from './zh/families.json';
import flags from './zh/flags.json';
import glossary from './zh/glossary.json';
import guard from './zh/guard.json';
import help from './zh/help.json';
import hitRates from './zh/hit-rates.json';
import jobs from './zh/jobs.json';
import keys from './zh/keys.json';
import locks from './zh/locks.json';
import metrics from './zh/metrics.json';
import nodes from './zh/nodes.json';
import notifications from './zh/notifications.json';
import overview from './zh/overview.json';
import patterns from './zh/patterns.json';
import presence from './zh/presence.json';
import profiler from './zh/profiler.json';
import queues from './zh/queues.json';
import rateLimits from './zh/rate-limits.json';
import savedViews from './zh/saved-views.json';
import secondFactor from './zh/second-factor.json';
import sentTexts from './zh/sent-texts.json';
import server from './zh/server.json';
import serverTexts from './zh/server-texts.json';
import sessions from './zh/sessions.json';
import shell from './zh/shell.json';
import tokens from './zh/tokens.json';
import users from './zh/users.json';
import views from './zh/views.json';
import words from './zh/words.json';

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
