import { parseInput } from '@/lib/command/validate';
import { type BenchRow, timed, within } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { listConversations } from './list';
import { listMessages } from './reads';
import { conversationContracts } from './schema';

const MESSAGES = 1_000_000;
const BATCH_SIZE = 10_000;
const CHATS = 10_000;
const RUNS = 7;
const MAX_PAGE_MS = 300;

const ROOM = { kind: 'room', id: '9:large' };
const CHAT = { kind: 'minidouyin.chat', id: '1_4' };

const FILL = `
  for i = tonumber(ARGV[1]), tonumber(ARGV[2]) - 1 do
    local at = 1600000000 + i
    redis.call('RPUSH', 'topic:9:large', 'nick|' .. at .. '|message ' .. i)
    redis.call('ZADD', 'chatrec_1_4', i, i)
    redis.call('HSET', 'content_' .. i, 'FromID', 1, 'Content', 'message ' .. i, 'CreateTime', at .. '000')
    if i < ${CHATS} then redis.call('RPUSH', 'message:u' .. i .. ':u' .. (i + 1), at .. '|hello') end
  end`;

const fill = async ({ redis }: TestContext): Promise<void> => {
  for (let from = 0; from < MESSAGES; from += BATCH_SIZE) await redis.eval(FILL, 0, from, from + BATCH_SIZE);
};

const slowest = async (name: string, work: () => Promise<unknown>): Promise<BenchRow> => {
  const took: number[] = [];
  for (let run = 0; run < RUNS; run++) took.push(await timed(work));
  return within(`${name}, slowest of ${RUNS}`, Math.max(...took), MAX_PAGE_MS);
};

/** Pages of conversations with a million messages, as texts of a list and as records, with the default budget. */
export const run = async (): Promise<BenchRow[]> => {
  const test = await testContext({ apps: ['qianxun', 'minidouyin'] });
  const page = (raw: object) => listMessages(test.ctx, parseInput(conversationContracts.messages, raw));
  const list = (raw: object) => listConversations(test.ctx, parseInput(conversationContracts.list, raw));
  try {
    await fill(test);
    const { nextCursor } = await page({ ...ROOM, limit: 1000 });
    return [
      await slowest('messages: first page of 1 000 000 texts', () => page(ROOM)),
      await slowest('messages: a later page of 1 000 000 texts', () => page({ ...ROOM, cursor: nextCursor })),
      await slowest('messages: a search in 1 000 000 texts', () => page({ ...ROOM, q: 'no such words' })),
      await slowest('messages: first page of 1 000 000 records', () => page(CHAT)),
      await slowest('messages: a search in 1 000 000 records', () => page({ ...CHAT, q: 'no such words' })),
      await slowest('conversations: first page of 10 000 in 1 000 000 keys', () => list({})),
      await slowest('conversations: first page that a name finds', () => list({ q: 'u77:' })),
    ];
  } finally {
    await test.close();
  }
};
