import { screen, waitFor } from '@testing-library/react/pure';
import { describe, expect, it } from 'vitest';
import { undoContract } from '@/lib/audit/schema';
import { Problem } from '@/lib/errors';
import { jobContracts } from '@/lib/jobs/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { JOB_ID, jobOf } from '@/scripts/testing/job';
import { renderAt, textOf } from '@/scripts/testing/render';
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
    query={{ data: { items: [STEP], nextCursor: null }, error: null, refetch: null as never }}
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

describe('an undo that runs as a job', () => {
  const places = [
    { where: 'a toast', page: <Toast />, first: ['Change', 'Undo'] },
    { where: 'a history', page: <History />, first: ['Undo'] },
    { where: 'a job', page: <JobUndo job={jobOf(CHANGE)} />, first: ['Undo'] },
  ];
  const undo = async ({ page, first }: Pick<(typeof places)[number], 'page' | 'first'>) => {
    api.answer(undoContract, { undone: 0, conflicts: [], jobId: JOB_ID, auditId: 'the-undo' });
    const { user, unmount } = renderAt('/', page);
    for (const name of first) await user.click(await screen.findByRole('button', { name }));
    return unmount;
  };

  it.each(places)('says its end in $where, also when it ended before it was read', async (place) => {
    const result = { kept: 6, restored: 2, rebuilt: 4, expired: 0, refused: 0 };
    api.answer(jobContracts.get, jobOf({ done: 6, total: 6, result }));
    const unmount = await undo(place);
    const link = await screen.findByRole('link', { name: 'View job' });
    await waitFor(() =>
      expect(textOf(link.parentElement)).toBe(
        'Undo: Done. Stored for undo 6 · Restored 2 of 6 keys · Rebuilt since, unchanged 4 View job',
      ),
    );
    unmount();
  });

  it('says that it runs only while it does, and what stopped it', { tags: 'long' }, async () => {
    api.answer(jobContracts.get, jobOf({ state: 'running', finishedAt: null, result: null }));
    const unmount = await undo(places[0]!);
    await screen.findByText(/^Undo is running\./);
    api.answer(jobContracts.get, jobOf({ state: 'interrupted', result: { restored: 1 }, total: 3 }));
    await screen.findByText(/^Undo: Interrupted\. Restored 1 of 3/, {}, { timeout: 5000 });
    expect(screen.queryByText(/^Undo is running/)).toBeNull();
    unmount();
  });
});
