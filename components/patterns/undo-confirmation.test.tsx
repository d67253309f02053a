import { screen, waitFor } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import { undoContract } from '@/lib/audit/schema';
import { Problem } from '@/lib/errors';
import { fakeApi } from '@/scripts/testing/fake-api';
import { JOB_ID, jobOf } from '@/scripts/testing/job';
import { renderAt } from '@/scripts/testing/render';
import { ChangeHistory } from './change-history';
import { JobUndo } from './job-undo';
import { useUndoToast } from './undo-toast';

const api = fakeApi();
const soon = new Date(Date.now() + 3_600_000).toISOString();
const CHANGE = { auditId: JOB_ID, undoUntil: soon };

/** As the server does on production: without the connection's id nothing is undone. */
const serveProduction = (): void =>
  api.answer(undoContract, ({ confirm }) => {
    if (confirm === 'live') return { undone: 1, conflicts: [], auditId: 'the-undo' };
    throw new Problem('confirmation_required', 'This is production.', { extensions: { confirm: 'live' } });
  });

const Toast = () => {
  const toast = useUndoToast();
  return (
    <button type="button" onClick={() => toast({ message: 'It is done', ...CHANGE })}>
      Change
    </button>
  );
};

const STEP = { ...CHANGE, at: soon, actor: 'a', reason: null, outcome: 'succeeded', undoneBy: null };

const History = () => (
  <ChangeHistory
    query={{ data: { items: [STEP], nextCursor: null }, isError: false, error: null, refetch: null as never }}
    title={() => 'Changed'}
    difference={() => null}
    undoable={([newest]) => newest ?? null}
    empty={{ title: '', text: '' }}
  />
);

it.each([
  { where: 'a toast', page: <Toast />, first: ['Change', 'Undo'] },
  { where: 'a history', page: <History />, first: ['Undo'] },
  { where: 'a job', page: <JobUndo job={jobOf(CHANGE)} />, first: ['Undo'] },
])("asks for production's id before it undoes from $where", async ({ page, first }) => {
  serveProduction();
  const { user, fill, unmount } = renderAt('/', page);
  for (const name of first) await user.click(await screen.findByRole('button', { name }));
  const field = await screen.findByLabelText('Production: type live to confirm.');
  expect(document.activeElement).toBe(field);
  const undo = screen.getByRole<HTMLButtonElement>('button', { name: 'Undo' });
  expect(undo.disabled).toBe(true);
  await fill(field, 'live');
  await user.click(undo);
  await waitFor(() =>
    expect(api.asked(undoContract)).toEqual([{ auditId: JOB_ID }, { auditId: JOB_ID, confirm: 'live' }]),
  );
  await waitFor(() => expect(screen.queryByLabelText(/^Production/)).toBeNull());
  unmount();
});
