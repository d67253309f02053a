import 'server-only';
import type { ReadOf } from '@/lib/command/context';
import { pageOfRows } from '@/lib/list-page';
import { iso, isoOrNull } from '@/lib/time';
import { channelOfId } from './channel-name';
import { hubOf } from './hub';
import type { channelContracts } from './schema';

/** The messages of the last ten minutes that this process heard, newest first. Nothing where it is not watched. */
export const readHistory: ReadOf<typeof channelContracts.history> = async (
  ctx,
  { channelId, kind, ...page },
) => {
  const hub = hubOf(ctx.connection);
  const watch = hub.find({ kind, name: channelOfId(ctx, channelId) });
  const messages = watch?.messages(ctx.now()) ?? [];
  const { items, nextCursor } = pageOfRows(messages, page, ['number'], ({ heard }) => [-heard.number]);
  return {
    items: await Promise.all(items.map((message) => message.show(ctx, hub.process))),
    nextCursor,
    since: isoOrNull(watch?.since),
    droppedFromHistory: watch?.dropped ?? 0,
    gaps: (watch?.gaps ?? []).map(({ since, until }) => ({ since: iso(since), until: isoOrNull(until) })),
  };
};
