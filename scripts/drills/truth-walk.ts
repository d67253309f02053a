// Reads all data of a connection, page by page.
import type { PrivateConsole } from '../testing/private-console';
import { request, until } from './api';
import { fill, type Operation } from './operations';
import type { Input } from './truth-reads';

type Body = Record<string, unknown>;

export interface Whole {
  status: number;
  /** The first page, with the items of all pages. */
  body: Body;
  items: Body[];
}

const MAX_PAGES = 2000;

/** The data of all events except progress, for a stream that ends by itself. */
const eventsIn = (text: string): Body[] =>
  [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].flatMap(([, event, data]) =>
    event === 'progress' ? [] : [{ event, ...(JSON.parse(data!) as Body) }],
  );

const bodyOf = async (response: Response): Promise<Body> => {
  const text = await response.text();
  if (response.headers.get('content-type')?.includes('event-stream')) return { items: eventsIn(text) };
  try {
    return JSON.parse(text) as Body;
  } catch {
    return { text: text.slice(0, 300) };
  }
};

const isPartial = (body: Body): boolean =>
  body.complete === false || body.isComplete === false || body.counting === true;

/** Fields that contain a part of a list on each page. */
const LISTS = ['items', 'elements', 'groups'];

/** Adds up the counts of pages, each of which counts its own part. */
const summed = (pages: readonly Body[]): Body => {
  const keys = new Map<unknown, Body>();
  let total = 0;
  for (const { groups, keys: seen } of pages) {
    total += Number(seen);
    for (const group of groups as Body[]) {
      const known = keys.get(group.value);
      keys.set(group.value, { ...group, keys: Number(known?.keys ?? 0) + Number(group.keys) });
    }
  }
  return { groups: [...keys.values()], keys: total };
};

/** All pages of a read; waits until the console has found everything. */
export const readWhole = async (
  own: PrivateConsole,
  operation: Operation,
  connection: string,
  input: Input,
): Promise<Whole> => {
  const limit = operation.parameters.some(({ name }) => name === 'limit') ? { limit: '1000' } : {};
  const page = async (cursor: string | null) => {
    const { url } = fill(operation, connection, { ...limit, ...input, ...(cursor ? { cursor } : {}) });
    // A kept-alive connection may be closed at this very moment.
    const response = await request(own, url).catch(() => request(own, url));
    return { status: response.status, body: await bodyOf(response) };
  };
  let last = await page(null);
  const deadline = Date.now() + 30_000;
  const first = await until(`all of ${operation.id}`, async () => {
    last = await page(null);
    return isPartial(last.body) && Date.now() < deadline ? null : last;
  });
  const pages = [first.body];
  let cursor = first.body.nextCursor as string | null | undefined;
  while (cursor && pages.length < MAX_PAGES) {
    const { status, body } = await page(cursor);
    if (status !== 200) return { status, body, items: [] };
    pages.push(body);
    cursor = body.nextCursor as string | null;
  }
  const lists = LISTS.filter((name) => Array.isArray(first.body[name]));
  const itemsOf = (name: string): Body[] => pages.flatMap((page) => (page[name] ?? []) as Body[]);
  const body = { ...first.body, ...Object.fromEntries(lists.map((name) => [name, itemsOf(name)])) };
  if (lists.includes('groups')) Object.assign(body, summed(pages));
  return { status: first.status, body, items: itemsOf('items') };
};
