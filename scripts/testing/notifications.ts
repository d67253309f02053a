import { createChannel } from '@/lib/alerts/channel-commands';
import { appendEvent, appendIntent, appendOutcome } from '@/lib/audit/log';
import type { Command } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import type { WireInput } from '@/lib/contract';
import { newId } from '@/lib/ids';
import type { Locale } from '@/lib/locales';
import { createNotification } from '@/lib/notifications/commands';
import { deliverDue } from '@/lib/notifications/deliver';
import { followAudit } from '@/lib/notifications/follow';
import { listNotifications } from '@/lib/notifications/reads';
import type { notificationContracts } from '@/lib/notifications/schema';
import { store } from '@/lib/redis/store';
import { type TestContext, testActor } from './context';

type Given = WireInput<typeof notificationContracts.create>;

interface Entry {
  action?: string;
  connection?: string | null;
  target?: string | null;
  reason?: string | null;
  input?: unknown;
  after?: unknown;
  outcome?: 'succeeded' | 'failed';
  role?: 'admin' | 'product';
}

/** Notifications, entries of the audit log, and the passes that a console makes of both at given times. */
export const notificationsOn = (test: TestContext) => {
  const { id: connection } = test.handle.config;
  const run = (command: unknown, raw: unknown, handle: TestContext['handle'] | null = null) =>
    runCommand(command as Command, {
      actor: testActor('admin'),
      requestId: 'test',
      connection: handle as never,
      raw,
    }) as Promise<Record<string, string>>;
  const intentOf = ({ action = 'flags.set', role = 'admin', ...given }: Entry) => ({
    id: newId(),
    actor: testActor(role),
    action,
    connection: given.connection === undefined ? connection : given.connection,
    target: given.target === undefined ? 'FEATURE_X' : given.target,
    reason: given.reason ?? null,
    input: given.input ?? {},
    requestId: null,
  });
  return {
    run,
    webhook: (url: string, kind: 'webhook' | 'slack' = 'webhook', name = 'Pager', language: Locale = 'en') =>
      run(createChannel, { name, kind, url, language }, test.handle),
    mail: (to: string[]) => run(createChannel, { name: 'Mail', kind: 'email', to }, test.handle),
    create: (channels: string[], given: Partial<Given> = {}) =>
      run(createNotification, {
        name: 'Ops',
        about: ['audit'],
        filter: { action: 'flags.' },
        channels: channels.map((channel) => ({ connection, channel })),
        ...given,
      }),
    /** A change with its outcome; resolves with its audit id. */
    change: async (given: Entry = {}): Promise<string> => {
      const intent = intentOf(given);
      await appendIntent(store(), intent);
      const { outcome = 'succeeded', after = null } = given;
      await appendOutcome(store(), { id: intent.id, outcome, after });
      return intent.id;
    },
    /** A change whose outcome is not known. */
    begin: async (given: Entry = {}, at = Date.now()): Promise<string> => {
      const intent = intentOf(given);
      await appendIntent(store(), intent, at);
      return intent.id;
    },
    event: async (given: Entry = {}): Promise<void> =>
      appendEvent(store(), { ...intentOf(given), outcome: given.outcome ?? 'succeeded', detail: null }),
    follow: (now = Date.now()) => followAudit(store(), () => now),
    deliver: (now: number | (() => number) = Date.now()) =>
      deliverDue(store(), typeof now === 'number' ? () => now : now),
    list: () => listNotifications({ ...test.ctx, store: store() }, { limit: 50 }),
  };
};
