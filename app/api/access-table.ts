/**
 * Which role may call which operation, written by hand from the interface's description, not from lib/permissions.ts:
 * access.test.ts compares the two. Every operation has a line; a new one gets its own. yes: allowed, by API token and
 * by cookie · user: by cookie only · no: 401 without credentials, else 403.
 */
const TABLE = `
                               nobody admin   support product viewer  evaluator

health.live                    yes    yes     yes     yes     yes     yes
health.ready                   yes    yes     yes     yes     yes     yes
account.setup                  yes    yes     yes     yes     yes     yes
account.invitation             yes    yes     yes     yes     yes     yes
account.acceptInvitation       yes    yes     yes     yes     yes     yes
account.get                    no     yes     yes     yes     yes     yes
account.setPreferences         no     user    user    user    user    no
account.changePassword         no     user  user  user  user  no
account.signOutEverywhere      no     user  user  user  user  no
account.secondFactor           no     user    user    user    user    no
account.beginApp               no     user    user    user    user    no
account.confirmApp             no     user    user    user    user    no
account.beginPasskey           no     user    user    user    user    no
account.addPasskey             no     user    user    user    user    no
account.removeSecondFactor     no     user    user    user    user    no
account.createRecoveryCodes    no     user    user    user    user    no
account.beginStepUp            no     user    user    user    user    no
account.stepUp                 no     user    user    user    user    no

connections.list               no     yes     yes     yes     yes     no
connections.test               no     yes     yes     yes     yes     no
connections.capabilities       no     yes     yes     yes     yes     no
overview.get                   no     yes     yes     yes     yes     no
overview.putOff                no     yes     yes     yes     no      no
savedViews.list                no     yes     yes     yes     yes     no
savedViews.create              no     yes     yes     yes     yes     no
savedViews.delete              no     yes     yes     yes     yes     no
history.series                 no     yes     yes     yes     yes     no
history.export                 no     yes     yes     yes     yes     no
history.stream                 no     yes     yes     yes     yes     no
metrics.prometheus             no     yes     yes     yes     yes     no
figures.list                   no     yes     yes     yes     yes     no
families.list                  no     yes     yes     yes     yes     no
families.ttl                   no     yes     yes     yes     yes     no
walks.get                      no     yes     yes     yes     yes     no

sessions.list                  no     yes     yes     no      no      no
sessions.search                no     yes     yes     no      no      no
sessions.stats                 no     yes     yes     no      no      no
sessions.user                  no     yes     yes     no      no      no
sessions.revoke                no     yes     yes     no      no      no
sessions.repair                no     yes     yes     no      no      no
tokens.oauth.list              no     yes     yes     no      no      no
tokens.oauth.revoke            no     yes     yes     no      no      no
tokens.verification.list       no     yes     yes     no      no      no
tokens.verification.revoke     no     yes     yes     no      no      no
tokens.oauthStates.list        no     yes     yes     no      no      no
tokens.oauthStates.revoke      no     yes     yes     no      no      no

env.list                       no     yes     no      no      no      no
env.reveal                     no     yes     no      no      no      no
env.set                        no     yes     no      no      no      no
env.create                     no     yes     no      no      no      no
env.rename                     no     yes     no      no      no      no
env.delete                     no     yes     no      no      no      no
env.history                    no     yes     no      no      no      no
env.import                     no     yes     no      no      no      no
env.export                     no     yes     no      no      no      no
env.backup                     no     yes     no      no      no      no
env.backups.list               no     yes     no      no      no      no
env.backups.create             no     yes     no      no      no      no
env.restore                    no     yes     no      no      no      no

flags.list                     no     yes     yes     yes     yes     no
flags.history                  no     yes     yes     yes     yes     no
flags.set                      no     yes     no      yes     no      no
flags.create                   no     yes     no      yes     no      no
flags.delete                   no     yes     no      yes     no      no
flags.describe                 no     yes     no      yes     no      no
flags.schedule                 no     yes     no      yes     no      no
flags.unschedule               no     yes     no      yes     no      no
flags.request                  no     yes     no      yes     no      no
flags.approve                  no     yes     no      yes     no      no
flags.decline                  no     yes     no      yes     no      no
flags.withdraw                 no     yes     no      yes     no      no
approvals.list                 no     yes     yes     yes     yes     no
approvals.get                  no     yes     yes     yes     yes     no
approvals.request              no     yes     yes     yes     yes     no
approvals.approve              no     yes     yes     yes     yes     no
approvals.decline              no     yes     yes     yes     yes     no
approvals.withdraw             no     yes     yes     yes     yes     no
ofrep.evaluate                 no     yes     no      no      no      yes
ofrep.evaluateAll              no     yes     no      no      no      yes

hitRates.get                no     yes     yes     yes     yes     no
hitRates.change          no     yes     yes     yes     yes     no
families.recovery               no     yes     yes     yes     yes     no
hitRates.sample                  no     yes     no      yes     no      no
hitRates.sampling.get            no     yes     no      yes     no      no
hitRates.sampling.set            no     yes     no      yes     no      no
families.preview                 no     yes     no      yes     no      no
families.invalidate              no     yes     no      yes     no      no
families.setTtl                  no     yes     no      yes     no      no
conventions.fix                no     yes     no      yes     no      no

catalog.get                    no     yes     yes     yes     yes     no
catalog.infer                  no     yes     no      yes     no      no
analysis.start                 no     yes     no      yes     no      no
analysis.list                  no     yes     yes     yes     yes     no
analysis.get                   no     yes     yes     yes     yes     no
analysis.export                no     yes     yes     yes     yes     no
analysis.schedule.get          no     yes     yes     yes     yes     no
analysis.schedule.set          no     yes     no      yes     no      no
profiler.estimate              no     yes     no      yes     no      no
profiler.start                 no     yes     no      yes     no      no
profiler.export                no     yes     no      yes     no      no
conventions.report             no     yes     yes     yes     yes     no
conventions.check              no     yes     no      yes     no      no
conventions.history            no     yes     yes     yes     yes     no
conventions.waive              no     yes     no      no      no      no
conventions.unwaive            no     yes     no      no      no      no
alerts.list                    no     yes     yes     yes     yes     no
alerts.history                 no     yes     yes     yes     yes     no
alerts.preview                 no     yes     no      no      no      no
alerts.create                  no     yes     no      no      no      no
alerts.update                  no     yes     no      no      no      no
alerts.delete                  no     yes     no      no      no      no
alerts.silence                 no     yes     no      no      no      no
alerts.unsilence               no     yes     no      no      no      no
alerts.channels.list           no     yes     no      no      no      no
alerts.channels.create         no     yes     no      no      no      no
alerts.channels.update         no     yes     no      no      no      no
alerts.channels.delete         no     yes     no      no      no      no
alerts.test                    no     yes     no      no      no      no
entities.check                 no     yes     no      yes     no      no
conversations.list         no     yes     yes     yes     no      no
conversations.messages              no     yes     yes     yes     no      no
conversations.deleteMessage         no     yes     no      no      no      no
annotations.create            no     yes     no      yes     no      no

keys.list                      no     yes     yes     yes     no      no
keys.groups                    no     yes     yes     yes     no      no
keys.get                       no     yes     yes     yes     no      no
keys.reveal                    no     yes     no      no      no      no
keys.update                    no     yes     no      no      no      no
keys.setTtl                    no     yes     no      no      no      no
keys.delete                    no     yes     no      no      no      no
keys.rename                    no     yes     no      no      no      no
keys.duplicate                 no     yes     no      no      no      no
keys.create                    no     yes     no      no      no      no
keys.export                    no     yes     no      no      no      no
keys.import                    no     yes     no      no      no      no

entities.kinds                 no     yes     yes     yes     no      no
entities.search                no     yes     yes     yes     no      no
entities.get                   no     yes     yes     yes     no      no
entities.relation              no     yes     yes     yes     no      no

guard.blacklist.list           no     yes     yes     no      no      no
guard.blacklist.add            no     yes     no      no      no      no
guard.blacklist.annotate       no     yes     no      no      no      no
guard.blacklist.remove         no     yes     no      no      no      no
guard.entries.history          no     yes     yes     no      no      no
guard.projects.list            no     yes     yes     no      no      no
guard.projects.block           no     yes     no      no      no      no
guard.projects.unblock         no     yes     no      no      no      no
guard.ips.top                  no     yes     yes     no      no      no
guard.history                  no     yes     yes     no      no      no
guard.rateLimits.list          no     yes     yes     no      no      no
guard.rateLimits.whatIf        no     yes     yes     no      no      no
guard.rateLimits.refused       no     yes     yes     no      no      no
guard.rateLimits.reset         no     yes     no      no      no      no
guard.rateLimits.repair        no     yes     no      no      no      no

presence.get                   no     yes     yes     yes     no      no
presence.history               no     yes     yes     yes     no      no
presence.setOffline            no     yes     no      no      no      no
views.top                      no     yes     yes     yes     no      no
commandLine.run                no     yes     yes     yes     no      no
commandLine.complete           no     yes     yes     yes     no      no
commandLine.history            no     yes     yes     yes     no      no
commandLine.clearHistory       no     yes     yes     yes     no      no

locks.list                     no     yes     yes     yes     no      no
locks.release                  no     yes     no      no      no      no
processes.list                    no     yes     yes     yes     no      no
queues.list                    no     yes     yes     yes     no      no
queues.peek                    no     yes     yes     yes     no      no
queues.series                  no     yes     yes     yes     no      no
leaderboards.list              no     yes     yes     yes     no      no
leaderboards.get               no     yes     yes     yes     no      no
counters.list                  no     yes     yes     yes     no      no
channels.list                  no     yes     yes     yes     no      no
channels.tail                      no     yes     yes     yes     no      no
channels.history                   no     yes     yes     yes     no      no
channels.audience                  no     yes     yes     yes     no      no
channels.reveal                    no     yes     no      no      no      no
channels.publish                   no     yes     no      no      no      no
metrics.application            no     yes     yes     yes     yes     no
metrics.applicationSeries      no     yes     yes     yes     yes     no
metrics.pinned                 no     yes     yes     yes     yes     no
metrics.pin                    no     yes     yes     yes     yes     no
metrics.unpin                  no     yes     yes     yes     yes     no
nodes.list                     no     yes     yes     yes     yes     no
server.get                     no     yes     yes     yes     no      no
slowlog.list                   no     yes     yes     yes     no      no
latency.list                   no     yes     yes     yes     no      no
commandstats.list              no     yes     yes     yes     no      no
clients.list                   no     yes     yes     yes     no      no
clients.kill                   no     yes     no      no      no      no

diagnostics.get                no     yes     yes     yes     yes     no
diagnostics.key                no     yes     yes     yes     no      no

jobs.list                      no     yes     yes     yes     yes     no
jobs.get                       no     yes     yes     yes     yes     no
jobs.stream                    no     yes     yes     yes     yes     no
jobs.cancel                    no     yes     yes     yes     yes     no
jobs.setPace                   no     yes     yes     yes     yes     no

audit.list                     no     yes     no      no      no      no
audit.export                   no     yes     no      no      no      no
audit.verify                   no     yes     no      no      no      no
audit.status                   no     yes     no      no      no      no
audit.undo                     no     yes     yes     yes     yes     yes
notifications.list             no     yes     no      no      no      no
notifications.create           no     yes     no      no      no      no
notifications.update           no     yes     no      no      no      no
notifications.delete           no     yes     no      no      no      no
notifications.test             no     yes     no      no      no      no
users.list                     no     yes     no      no      no      no
users.create                   no     yes     no      no      no      no
users.update                   no     yes     no      no      no      no
users.resetSecondFactor        no     yes     no      no      no      no
users.invite                   no     yes     no      no      no      no
users.createLink               no     yes     no      no      no      no
users.withdrawInvitation       no     yes     no      no      no      no
tokens.api.list                no     yes     no      no      no      no
tokens.api.create              no     yes     no      no      no      no
tokens.api.revoke              no     yes     no      no      no      no
`;

/**
 * Access that depends on more than the operation: on the job, the change or the family. `hidden`: 404, as if it did
 * not exist. The lines above use missing resources.
 */
const OF_SOMETHING = `
                                       nobody admin   support product viewer  evaluator

jobs.get of-an-invalidation            no     yes     hidden  yes     hidden  no
jobs.stream of-an-invalidation         no     yes     hidden  yes     hidden  no
jobs.cancel of-an-invalidation         no     yes     hidden  yes     hidden  no
jobs.setPace of-an-invalidation        no     yes     hidden  yes     hidden  no
jobs.get of-a-repair                   no     yes     yes     hidden  hidden  no
jobs.cancel of-a-repair                no     yes     yes     hidden  hidden  no
audit.undo of-a-ban                    no     yes     no      no      no      no
audit.undo of-a-flag                   no     yes     no      yes     no      no
audit.undo of-an-invalidation          no     yes     no      yes     no      no
families.preview of-sessions             no     yes     no      no      no      no
families.invalidate of-sessions          no     yes     no      no      no      no
families.invalidate of-one-variable      no     yes     no      no      no      no
families.setTtl of-sessions              no     yes     no      no      no      no
`;

export const COLUMNS = ['nobody', 'admin', 'support', 'product', 'viewer', 'evaluator'] as const;
export type Column = (typeof COLUMNS)[number];
export type Access = 'yes' | 'user' | 'hidden' | 'no';

export interface Row {
  /** The operationId. */
  operation: string;
  /** The job, change or family, where access depends on it. */
  of: string | null;
  access: Record<Column, Access>;
}

const rowsOf = (text: string): Row[] =>
  text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((words) => words.length > COLUMNS.length)
    .map((words) => {
      const marks = words.splice(-COLUMNS.length) as Access[];
      const access = Object.fromEntries(COLUMNS.map((column, i) => [column, marks[i]!]));
      return { operation: words[0]!, of: words[1] ?? null, access: access as Row['access'] };
    });

export const ROWS = rowsOf(TABLE);
export const ROWS_OF_SOMETHING = rowsOf(OF_SOMETHING);
