import 'server-only';
import { readResults } from '@/lib/alerts/results';
import { DELETED_CHANNEL } from '@/lib/alerts/stored-rule';
import type { ConsoleContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { pageOfRows } from '@/lib/list-page';
import { connections } from '@/lib/redis/connections';
import type { Store } from '@/lib/redis/store';
import { iso, isoOrNull } from '@/lib/time';
import { countWaiting, readChannels } from './messages';
import type { notificationContracts } from './schema';
import { followedAt } from './state';
import { etagOf, readNotifications } from './stored';

type List = typeof notificationContracts.list;

/** notifications.list */
export const listNotifications = async (
  { store }: ConsoleContext,
  input: Input<List>,
): Promise<Result<List>> => {
  const all = await readNotifications(store);
  const own = [...connections().keys()];
  const used = all.flatMap((each) => each.channels.map(({ connection }) => connection));
  const ids = [...new Set([...own, ...used])];
  const [channels, waiting, followed, results] = await Promise.all([
    readChannels(store, ids),
    countWaiting(store),
    followedAt(store),
    Promise.all(ids.map(async (id) => [id, await readResults(store, id)] as const)).then(
      (all) => new Map(all),
    ),
  ]);
  const rows = all.map((stored) => {
    const { createdAt: _, changedAt, ...shown } = stored;
    return {
      ...shown,
      channels: stored.channels.map((ref) => {
        const { name, kind } = channels.get(ref.connection)?.get(ref.channel) ?? DELETED_CHANNEL;
        const last = results.get(ref.connection)?.get(ref.channel);
        return { ...ref, name, kind, failingSince: isoOrNull(last?.since), error: last?.error ?? null };
      }),
      waiting: waiting.get(stored.id) ?? 0,
      changedAt: iso(changedAt),
      etag: etagOf(stored),
    };
  });
  const usable = own.flatMap((connection) =>
    [...(channels.get(connection)?.values() ?? [])].map(({ id, name, kind }) => ({
      ...{ connection, channel: id, name, kind },
    })),
  );
  const page = pageOfRows(rows, input, ['string', 'string'], ({ name, id }) => [name.toLowerCase(), id]);
  return { ...page, channels: usable, followedAt: isoOrNull(followed) };
};

/** Names of the notifications that use a channel, which is not deleted then. */
export const notificationsOf = async (store: Store, connection: string, channel: string): Promise<string[]> =>
  (await readNotifications(store))
    .filter(({ channels }) =>
      channels.some((ref) => ref.connection === connection && ref.channel === channel),
    )
    .map(({ name }) => name);
