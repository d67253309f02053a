import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import type { Input } from '@/lib/contract';
import { decodingBudget } from '@/lib/entities/refs';
import { MASK } from '@/lib/keyspace/mask';
import { pacedOn } from '@/lib/redis/paced-reads';
import { readMembers } from './conversation-members';
import { MergedMessages, type Paced } from './merged-messages';
import { messagesPerHour } from './message-rate';
import type { conversationContracts } from './schema';
import { type ShownMessage, showTexts, withSenders } from './show-messages';
import { countMessages, openConversation, problemOf } from './sources';
import { type OrderedConversation, orderSources, type StoredMessage } from './stored-messages';

type Contract = typeof conversationContracts.messages;

/** Messages that one call reads from a key. */
const CHUNK = 200;
const SEARCH_CHUNK = 500;
/** Messages that one search looks at. */
const MAX_EXAMINED = 20_000;
/** A page, which may be short, begins no further call after this. */
const PAGE_MS = 200;
/** Messages that a search looks at even on a slow machine. */
const MIN_EXAMINED = 200;
const MAX_MEMBERS = 50;

interface Page {
  messages: StoredMessage[];
  shown: ShownMessage[];
  examined: number;
  nextCursor: string | null;
}

const atOnce: Paced = (_key, read) => read();

/** Whether elements are so large that a page reads few of them at once, and ends by time. */
const isLarge = ({ sources }: OrderedConversation): boolean =>
  sources.some((source) => source.atOnce > 0 && Number.isFinite(source.atOnce));

const readPage = async (
  ctx: ReadContext,
  conversation: OrderedConversation,
  { cursor, limit }: Pick<Input<Contract>, 'cursor' | 'limit'>,
): Promise<Page> => {
  const chunk = Math.min(limit + 1, CHUNK);
  const merged = await MergedMessages.open(ctx, conversation, { cursor, chunk, paced: atOnce });
  const until = isLarge(conversation) ? performance.now() + PAGE_MS : Number.POSITIVE_INFINITY;
  const messages: StoredMessage[] = [];
  while (messages.length < limit && performance.now() < until) {
    const message = await merged.next();
    if (!message) break;
    messages.push(message);
  }
  return {
    messages,
    shown: await showTexts(ctx, conversation, messages, decodingBudget()),
    examined: messages.length,
    nextCursor: await merged.cursor(),
  };
};

/** What masks and escapes add may be searched too: then each message is shown first. */
const isAdded = (needle: string): boolean => needle.includes(MASK[0]!) || needle.includes('\\');

/** Whether a message as it is stored has the text: what is shown of it has it only then. */
const mayContain = ({ source, text, record }: StoredMessage, needle: string): boolean => {
  const parts = record ? [record.fields.sender, record.fields.content] : [text];
  const isIn = (part: string) => part.toLowerCase().includes(needle);
  return isIn(source.sender ?? '') || parts.some((part) => part && isIn(part.bytes.toString('utf8')));
};

const contains = ({ sender, content }: ShownMessage, needle: string): boolean =>
  [sender, content].some((part) => part?.toLowerCase().includes(needle));

/** A page of a search: without case, as literal text, in what is shown of content and sender. */
const searchPage = async (
  ctx: ReadContext,
  conversation: OrderedConversation,
  q: string,
  { cursor, limit }: Pick<Input<Contract>, 'cursor' | 'limit'>,
): Promise<Page> => {
  const { topology } = ctx.connection;
  const paced: Paced = (key, read) => pacedOn(topology, key, ctx.signal)(read);
  const merged = await MergedMessages.open(ctx, conversation, { cursor, chunk: SEARCH_CHUNK, paced });
  const [needle, decoding] = [q.toLowerCase(), decodingBudget()];
  const until = performance.now() + PAGE_MS;
  const page: Page = { messages: [], shown: [], examined: 0, nextCursor: null };
  const least = isLarge(conversation) ? 1 : MIN_EXAMINED;
  const goesOn = () => page.examined < MAX_EXAMINED && (page.examined < least || performance.now() < until);
  while (page.messages.length < limit && goesOn()) {
    const message = await merged.next();
    if (!message) break;
    page.examined += 1;
    if (!isAdded(needle) && !mayContain(message, needle)) continue;
    const [shown] = await showTexts(ctx, conversation, [message], decoding);
    if (!contains(shown!, needle)) continue;
    page.messages.push(message);
    page.shown.push(shown!);
  }
  return { ...page, nextCursor: await merged.cursor() };
};

/** conversations.messages: of all keys of a conversation by time, latest first. */
export const listMessages: ReadOf<Contract> = async (ctx, { kind, id, q, ...place }) => {
  const conversation = await orderSources(ctx, await openConversation(ctx, kind, id));
  const { messages, shown, examined, nextCursor } = await (q === undefined
    ? readPage(ctx, conversation, place)
    : searchPage(ctx, conversation, q, place));
  return {
    items: await withSenders(ctx, conversation, messages, shown),
    nextCursor,
    messages: countMessages(conversation.sources),
    examined,
    perHour: await messagesPerHour(ctx, conversation),
    members: await readMembers(ctx, conversation, MAX_MEMBERS),
    problem: problemOf(conversation.sources),
  };
};
