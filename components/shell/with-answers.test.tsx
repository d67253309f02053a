import { dehydrate, QueryClient, useInfiniteQuery } from '@tanstack/react-query';
import { screen } from '@testing-library/react/pure';
import { expect, it, vi } from 'vitest';
import { WithAnswers } from '@/app/(console)/with-answers';
import { listQuery } from '@/components/patterns/list-query';
import { sessionContracts } from '@/lib/sessions/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt } from '@/scripts/testing/render';

const api = fakeApi();
const EMPTY = { items: [], nextCursor: null, examined: 0, keys: 0 };
const sessions = () => listQuery(sessionContracts.list, { connection: 'demo', filter: {}, everyMs: false });

const Count = () => {
  const { data } = useInfiniteQuery(sessions());
  return <p>{data ? `${data.pages.length} page` : 'Loading'}</p>;
};

/** A page whose answer is on its way, and how it ends. */
const pageWithLateAnswer = () => {
  let settle = { resolve: (_: unknown): void => undefined, reject: (_: Error): void => undefined };
  const answer = new Promise((resolve, reject) => {
    settle = { resolve, reject };
  });
  const server = new QueryClient();
  void server.prefetchInfiniteQuery({ ...sessions(), queryFn: () => answer, retry: false } as never);
  const state = dehydrate(server, { shouldDehydrateQuery: () => true, shouldRedactErrors: () => false });
  renderAt(
    '/demo/sessions',
    <WithAnswers state={state}>
      <Count />
    </WithAnswers>,
  );
  return settle;
};

it('waits for an answer that is streamed after the page, and asks nothing', async () => {
  const { resolve } = pageWithLateAnswer();
  expect(screen.getByText('Loading')).toBeDefined();
  resolve(EMPTY);
  await screen.findByText('1 page');
});

it('asks itself where the streamed answer is a failure', async () => {
  const list = vi.fn(() => EMPTY);
  api.answer(sessionContracts.list, list);
  const { reject } = pageWithLateAnswer();
  expect(list).not.toHaveBeenCalled();
  reject(new Error('The server could not answer.'));
  await screen.findByText('1 page');
  expect(list).toHaveBeenCalledOnce();
});
