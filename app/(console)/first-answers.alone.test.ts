import type { DehydratedState } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { flagQueries } from '@/components/flags/queries';
import { served } from '@/lib/http/served';
import { sessionContracts } from '@/lib/sessions/schema';
import { FirstAnswers, firstPage } from './first-answers';

let sent = new Headers();
vi.mock('next/headers', () => ({ headers: async () => sent }));
let locale = 'en';
vi.mock('next-intl/server', () => ({ getLocale: async () => locale }));

const first = (connection: string) => [
  firstPage(sessionContracts.list, connection),
  flagQueries.list(connection),
];
const page = { items: [], nextCursor: null };
const asked: Request[] = [];

const answerWith = (answer: (request: Request) => Response | Promise<Response>): void =>
  served.replace(async (request) => {
    asked.push(request);
    return answer(request);
  });

const render = async (search = {}): Promise<DehydratedState['queries'] | null> => {
  const props = { params: Promise.resolve({ connection: 'main' }), searchParams: Promise.resolve(search) };
  const rendered = await FirstAnswers({ ...props, first, children: 'the page' });
  if (rendered === 'the page') return null;
  return (rendered as ReactElement<{ state: DehydratedState }>).props.state.queries;
};

beforeEach(() => {
  sent = new Headers({ accept: 'text/html', cookie: 'session=1' });
  asked.length = 0;
  locale = 'en';
});

it('asks with the credentials of the browser, and gives the page what was answered', async () => {
  answerWith(() => Response.json(page));
  const queries = await render();
  expect(asked.map(({ url }) => url)).toEqual([
    'http://console/api/v1/connections/main/sessions?limit=100',
    'http://console/api/v1/connections/main/flags',
  ]);
  expect(asked.map(({ headers }) => headers.get('cookie'))).toEqual(['session=1', 'session=1']);
  expect(queries?.map(({ queryKey, state }) => [queryKey, state.data])).toEqual([
    [['sessions.list', 'main', {}], { pages: [page], pageParams: [''] }],
    [['flags.list', 'main', {}], page],
  ]);
});

it('has the words of the catalog in the language of the reader', async () => {
  locale = 'ru';
  const family = { family: 'discours.author-id', title: 'Authors' };
  answerWith(() => Response.json({ items: [family], nextCursor: null }));
  const queries = await render();
  expect(queries?.at(-1)?.state.data).toEqual({ items: [{ ...family, title: 'Авторы' }], nextCursor: null });
});

it('leaves out what is refused or fails, so that the browser asks', async () => {
  answerWith(({ url }) => new Response('{}', { status: url.includes('flags') ? 403 : 503 }));
  expect(await render()).toEqual([]);
});

it('does not wait for a slow answer, nor between two pages of a browser', async () => {
  let answer = (): void => undefined;
  const slow = new Promise<void>((resolve) => {
    answer = resolve;
  });
  answerWith(async () => {
    await slow;
    return Response.json(page);
  });
  for (const accept of ['text/html,*/*', '*/*']) {
    sent = new Headers({ accept });
    expect((await render())?.map(({ state }) => state.status)).toEqual(['pending', 'pending']);
  }
  answer();
});

it('asks nothing for an address with filters', async () => {
  answerWith(() => Response.json(page));
  expect(await render({ q: 'x' })).toBeNull();
  expect(asked).toEqual([]);
});
