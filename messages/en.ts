import access from './en/access.json';
import alerts from './en/alerts.json';
import analysis from './en/analysis.json';
import approvals from './en/approvals.json';
import audit from './en/audit.json';
import catalog from './en/catalog.json';
import channels from './en/channels.json';
import charts from './en/charts.json';
import commandLine from './en/command-line.json';
import conventions from './en/conventions.json';
import conversations from './en/conversations.json';
import dataTable from './en/data-table.json';
import diagnostics from './en/diagnostics.json';
import entities from './en/entities.json';
import env from './en/env.json';
import exposition from './en/exposition.json';
import families from './en/families.json';
import flags from './en/flags.json';
import glossary from './en/glossary.json';
import guard from './en/guard.json';
import help from './en/help.json';
import hitRates from './en/hit-rates.json';
import jobs from './en/jobs.json';
import keys from './en/keys.json';
import locks from './en/locks.json';
import metrics from './en/metrics.json';
import nodes from './en/nodes.json';
import notifications from './en/notifications.json';
import overview from './en/overview.json';
import patterns from './en/patterns.json';
import presence from './en/presence.json';
import profiler from './en/profiler.json';
import queues from './en/queues.json';
import rateLimits from './en/rate-limits.json';
import savedViews from './en/saved-views.json';
import secondFactor from './en/second-factor.json';
import sentTexts from './en/sent-texts.json';
import server from './en/server.json';
import sessions from './en/sessions.json';
import shell from './en/shell.json';
import tokens from './en/tokens.json';
import users from './en/users.json';
import views from './en/views.json';
import words from './en/words.json';

/** One namespace per file, written by messages.test.ts. `words`: what several domains say. */
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
  server,
  sessions,
  shell,
  tokens,
  users,
  views,
  words,
};
