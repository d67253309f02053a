import 'server-only';
import type { RecordedReadContext } from '@/lib/command/context';
import { defineRecordedRead } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { channelOfId, namedChannel } from './channel-name';
import { hubOf } from './hub';
import { channelContracts } from './schema';

const DESCRIBED = 'The catalog says that this channel carries secrets. They are never shown here.';
/** Messages are not stored: each process has those that it heard itself. */
const GONE =
  'This message is no longer kept here. Messages are kept for ten minutes, while the channel is watched.';

const reveal = async (
  ctx: RecordedReadContext,
  { channelId, messageId }: Input<typeof channelContracts.reveal>,
) => {
  const message = hubOf(ctx.connection).message(messageId, ctx.now());
  if (!message?.heard.channel.equals(channelOfId(ctx, channelId))) throw new Problem('not_found', GONE);
  const payload = await message.revealed(ctx);
  if (payload === null) throw new Problem('forbidden', DESCRIBED);
  return { result: { payload }, after: { messageId } };
};

/** channels.reveal: the audit log records who read which message, never its payload. */
export const revealMessage = defineRecordedRead({
  contract: channelContracts.reveal,
  target: ({ channelId }, ctx) => namedChannel(ctx, channelOfId(ctx, channelId)).shown,
  redact: ({ messageId }) => ({ messageId }),
  run: reveal,
});
