import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { pageOfRows } from '@/lib/list-page';
import { iso, isoOrNull } from '@/lib/time';
import { channelOfId } from './channel-name';
import { hubOf } from './hub';
import type { channelContracts } from './schema';

/** The messages of the last ten minutes that this process heard, newest first. Nothing where it is not watched. */
export const readHistory = async (
  ctx: ReadContext,
  { channelId, kind, ...page }: Input<typeof channelContracts.history>,
): Promise<Result<typeof channelContracts.history>> => {
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
