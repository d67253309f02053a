import { Select } from '@mantine/core';
import { fireEvent, screen, waitFor, within } from '@testing-library/react/pure';
import { type ReactNode, useState } from 'react';
import { describe, expect, it } from 'vitest';
import { DataTable } from '@/components/data-table/data-table';
import { renderAt } from '@/scripts/testing/render';
import { ChangeDrawer } from './change-drawer';
import { Drawer, Modal } from './drawer';
import { NameInput } from './exact-text';
import { MoreMenu } from './more-menu';
import { useUrlState } from './use-url-state';

const button = (name: string) => screen.getByRole('button', { name });
const dialog = (name?: string) => screen.findByRole('dialog', name ? { name } : {});
const allClosed = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
const focusIsOn = (name: string) =>
  waitFor(() =>
    expect(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent).toBe(
      name,
    ),
  );
const depth = (): number =>
  (window.history.state as { keyward?: { drawers: number } } | null)?.keyward?.drawers ?? 0;
/** Without a step back nothing more happens to the history. */
const settled = () => waitFor(() => expect(depth()).toBe(0));

interface OpenerProps {
  children: (opened: boolean, close: () => void) => ReactNode;
}

const Opener = ({ children }: OpenerProps) => {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpened(true)}>
        Open
      </button>
      {children(opened, () => setOpened(false))}
    </>
  );
};

const CLOSE = { 'aria-label': 'Close' };

/** Every kind of drawer, opened in each way that pages do. */
const KINDS: Record<string, ReactNode> = {
  'a drawer that is always mounted': (
    <Opener>
      {(opened, close) => (
        <Drawer opened={opened} onClose={close} title="One" closeButtonProps={CLOSE}>
          Text
        </Drawer>
      )}
    </Opener>
  ),
  'a drawer that is mounted opened': (
    <Opener>
      {(opened, close) =>
        opened && (
          <Drawer opened onClose={close} title="One" closeButtonProps={CLOSE}>
            Text
          </Drawer>
        )
      }
    </Opener>
  ),
  'a modal': (
    <Opener>
      {(opened, close) => (
        <Modal opened={opened} onClose={close} title="One" closeButtonProps={CLOSE}>
          Text
        </Modal>
      )}
    </Opener>
  ),
  'a change with a field that takes the focus': (
    <Opener>
      {(opened, close) => (
        <ChangeDrawer
          opened={opened}
          onClose={close}
          title="One"
          verb="Do it"
          pending={false}
          error={null}
          onSubmit={close}
        >
          Text
        </ChangeDrawer>
      )}
    </Opener>
  ),
};

for (const [kind, page] of Object.entries(KINDS))
  it(`returns the focus to the button, after Esc, the cross and Back: ${kind}`, async () => {
    const { user } = renderAt('/demo/flags', page);
    const closings = [
      () => user.keyboard('{Escape}'),
      async () => user.click(document.querySelector('.mantine-CloseButton-root')!),
      async () => window.history.back(),
    ];
    for (const close of closings) {
      await user.click(button('Open'));
      await dialog();
      await waitFor(() => expect(document.activeElement?.closest('[role="dialog"]')).not.toBeNull());
      await waitFor(() => expect(depth()).toBe(1));
      await close();
      await allClosed();
      await focusIsOn('Open');
      await settled();
    }
  });

const FromMenu = () => {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <MoreMenu label="More" items={[{ id: 'delete', text: 'Delete', onClick: () => setOpened(true) }]} />
      <Drawer opened={opened} onClose={() => setOpened(false)} title="One" closeButtonProps={CLOSE} />
    </>
  );
};

it('returns the focus to the button of the menu that opened a drawer', async () => {
  const { user } = renderAt('/demo/flags', <FromMenu />);
  await user.click(button('More'));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  await dialog('One');
  await user.keyboard('{Escape}');
  await allClosed();
  await focusIsOn('More');
});

interface Line {
  id: string;
  version: number;
}

const Lines = () => {
  const [rows, setRows] = useState<Line[]>([
    { id: 'a', version: 1 },
    { id: 'b', version: 1 },
  ]);
  const [about, setAbout] = useState<Line | null>(null);
  const close = () => setAbout(null);
  return (
    <main>
      <h1>Lines</h1>
      <DataTable
        label="Lines"
        name="lines"
        columns={[
          {
            id: 'id',
            header: 'Id',
            pinned: true,
            cell: (row: Line) => (
              // Rendered again, it is another element: as after a virtual list scrolled.
              <button
                key={row.version}
                type="button"
                onClick={() => setAbout(row)}
              >{`Open ${row.id}`}</button>
            ),
          },
        ]}
        rows={rows}
        rowId={(row) => row.id}
        loading={false}
        empty="Nothing"
      />
      <Drawer opened={about !== null} onClose={close} title="One" closeButtonProps={CLOSE}>
        <button
          type="button"
          onClick={() => {
            setRows(rows.filter((row) => row !== about));
            close();
          }}
        >
          Remove
        </button>
        <button
          type="button"
          onClick={() => {
            setRows(rows.map((row) => ({ ...row, version: row.version + 1 })));
            close();
          }}
        >
          Refresh
        </button>
      </Drawer>
    </main>
  );
};

it('returns the focus to the same row when its button was rendered again, and to the table when the row left', async () => {
  const { user } = renderAt('/demo/flags', <Lines />);
  await user.click(button('Open b'));
  await user.click(await screen.findByRole('button', { name: 'Refresh' }));
  await allClosed();
  await focusIsOn('Open b');
  await user.click(button('Open b'));
  await user.click(await screen.findByRole('button', { name: 'Remove' }));
  await allClosed();
  await focusIsOn('Lines');
});

const Late = () => {
  const [there, setThere] = useState(true);
  return (
    <main>
      <h1>Page</h1>
      <button type="button" onClick={() => setThere(false)}>
        Forget
      </button>
      {there && <Opener>{(opened, close) => <Drawer opened={opened} onClose={close} title="One" />}</Opener>}
    </main>
  );
};

it('moves the focus on when the row leaves only after the drawer closed', async () => {
  const { user } = renderAt('/demo/flags', <Late />);
  await user.click(button('Open'));
  await dialog('One');
  await user.keyboard('{Escape}');
  await focusIsOn('Open');
  button('Forget').click();
  await focusIsOn('Page');
});

/** Details that hand over to a form, as a session's drawer does to its revocation. */
const Handover = () => {
  const [step, setStep] = useState<'none' | 'details' | 'form'>('none');
  const close = () => setStep('none');
  return (
    <>
      <button type="button" onClick={() => setStep('details')}>
        Open
      </button>
      <Drawer opened={step === 'details'} onClose={close} title="Details" closeButtonProps={CLOSE}>
        <button type="button" onClick={() => setStep('form')}>
          Revoke
        </button>
      </Drawer>
      <Drawer opened={step === 'form'} onClose={close} title="Form" closeButtonProps={CLOSE}>
        <input aria-label="Reason" data-autofocus />
      </Drawer>
    </>
  );
};

it('hands over to a second drawer, takes one step for both, and returns to what opened the first', async () => {
  const { user } = renderAt('/demo/sessions', <Handover />);
  const before = window.history.length;
  await user.click(button('Open'));
  await user.click(await screen.findByRole('button', { name: 'Revoke' }));
  await dialog('Form');
  await focusIsOn('Reason');
  await waitFor(() => expect(depth()).toBe(1));
  expect(window.history.length).toBe(before + 1);
  window.history.back();
  await allClosed();
  await focusIsOn('Open');
  await settled();
});

it('does not close by Esc or Back while a change is being sent', async () => {
  const { user } = renderAt(
    '/demo/flags',
    <Opener>
      {(opened, close) => (
        <ChangeDrawer
          opened={opened}
          onClose={close}
          title="One"
          verb="Do it"
          pending
          error={null}
          onSubmit={close}
        >
          Text
        </ChangeDrawer>
      )}
    </Opener>,
  );
  await user.click(button('Open'));
  await dialog('One');
  await waitFor(() => expect(depth()).toBe(1));
  window.history.back();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(depth()).toBe(1));
  within(await dialog('One')).getByText('Text');
});

const FIELDS = { q: '', tab: 'one', entry: '', job: '' };
const STEPS = { tabs: ['tab'], opens: ['entry', 'job'] } as const;

const Page = () => {
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const [asking, setAsking] = useState(false);
  const set = (label: string, change: Partial<typeof FIELDS>) => (
    <button type="button" onClick={() => setUrl(change)}>
      {label}
    </button>
  );
  return (
    <>
      <output>{JSON.stringify(url)}</output>
      {set('Type a', { q: 'a' })}
      {set('Type ab', { q: 'ab' })}
      {set('Tab two', { tab: 'two', q: '' })}
      {set('Tab one', { tab: 'one' })}
      {set('Entry 1', { entry: '1' })}
      <button type="button" onClick={() => setAsking(true)}>
        Ask
      </button>
      <Drawer
        opened={url.entry !== ''}
        onClose={() => setUrl({ entry: '' })}
        inAddress
        title="Entry"
        closeButtonProps={CLOSE}
      >
        {set('Entry 2', { entry: '2' })}
        {set('Run', { entry: '', job: '7' })}
        <form>
          <input aria-label="Note" />
        </form>
      </Drawer>
      <Drawer opened={asking} onClose={() => setAsking(false)} title="Form" closeButtonProps={CLOSE}>
        {set('Filter', { q: 'from the form' })}
        <button
          type="button"
          onClick={() => {
            setUrl({ job: '8' });
            setAsking(false);
          }}
        >
          Send
        </button>
      </Drawer>
    </>
  );
};

const search = (): string => window.location.search;
const open = () => {
  const view = renderAt('/demo/audit', <Page />);
  const before = window.history.length;
  const press = async (name: string) => view.user.click(await screen.findByRole('button', { name }));
  return { ...view, press, steps: () => window.history.length - before };
};
const shows = (part: Partial<typeof FIELDS>) =>
  waitFor(() => expect(JSON.parse(document.querySelector('output')!.textContent!)).toMatchObject(part));

it('replaces the entry while a filter is typed, and makes a step of a tab', async () => {
  const { press, steps } = open();
  await press('Type a');
  await press('Type ab');
  expect([search(), steps()]).toEqual(['?q=ab', 0]);
  await press('Tab two');
  await press('Tab one');
  expect([search(), steps()]).toEqual(['', 2]);
  window.history.back();
  await shows({ tab: 'two', q: '' });
  window.history.back();
  await shows({ tab: 'one', q: 'ab' });
  window.history.forward();
  await shows({ tab: 'two', q: '' });
});

it('goes back what a drawer took when it is closed, and opens it again with Forward', async () => {
  const { press, user, steps } = open();
  await press('Type a');
  await press('Entry 1');
  await dialog('Entry');
  await press('Entry 2');
  expect([search(), steps()]).toEqual(['?q=a&entry=2', 2]);
  window.history.back();
  await shows({ entry: '1' });
  await user.keyboard('{Escape}');
  await allClosed();
  await waitFor(() => expect(search()).toBe('?q=a'));
  window.history.forward();
  await dialog('Entry');
  await shows({ entry: '1', q: 'a' });
});

it('closes by Back, and leaves nothing behind when it is opened again', async () => {
  const { press, user, steps } = open();
  for (let i = 0; i < 3; i++) {
    await press('Entry 1');
    await dialog('Entry');
    if (i % 2) window.history.back();
    else await user.keyboard('{Escape}');
    await allClosed();
    await waitFor(() => expect(search()).toBe(''));
  }
  expect(steps()).toBe(1);
});

it('closes what a shared link opened without leaving the page', async () => {
  const { user } = renderAt('/demo/audit?entry=1', <Page />);
  await dialog('Entry');
  await user.keyboard('{Escape}');
  await allClosed();
  expect(search()).toBe('');
});

it('puts a job in place of the form that started it', async () => {
  const { press, steps } = open();
  await press('Entry 1');
  await press('Run');
  expect([search(), steps()]).toEqual(['?job=7', 1]);
  window.history.back();
  await shows({ entry: '', job: '' });
});

it('keeps what a form wrote into the address when it closes', async () => {
  const { press, steps } = open();
  await press('Ask');
  await dialog('Form');
  await waitFor(() => expect(depth()).toBe(1));
  await press('Send');
  await allClosed();
  await settled();
  await waitFor(() => expect(search()).toBe('?job=8'));
  await shows({ job: '8' });
  expect(steps()).toBe(1);
  window.history.back();
  await shows({ job: '' });
});

it('keeps the filters that were set in a drawer, whether Esc or Back closes it', async () => {
  const { press, user } = open();
  for (const close of [() => user.keyboard('{Escape}'), () => window.history.back()]) {
    await press('Type a');
    await press('Ask');
    await dialog('Form');
    await waitFor(() => expect(depth()).toBe(1));
    await press('Filter');
    await close();
    await allClosed();
    await settled();
    await waitFor(() => expect(search()).toBe('?q=from+the+form'));
    await shows({ q: 'from the form' });
  }
});

it('asks before Back leaves the address of a filled form, as often as it is kept', async () => {
  const { press, fill } = open();
  const filled = async () => {
    await press('Entry 1');
    await fill(await screen.findByLabelText('Note'), 'Ticket 7');
    await waitFor(() => expect(depth()).toBe(1));
  };
  const asked = async (answer: string) => {
    window.history.back();
    await dialog('Discard what you entered?');
    await shows({ entry: '1' });
    await press(answer);
  };
  await filled();
  for (let i = 0; i < 2; i++) {
    await asked('Keep editing');
    await waitFor(() => expect(depth()).toBe(1));
    expect(search()).toBe('?entry=1');
    expect(screen.getByLabelText<HTMLInputElement>('Note').value).toBe('Ticket 7');
  }
  await asked('Discard');
  await allClosed();
  await settled();
  await waitFor(() => expect(search()).toBe(''));
  await filled();
  await press('Run');
  await allClosed();
  await settled();
  await waitFor(() => expect(search()).toBe('?job=7'));
  window.history.back();
  await shows({ entry: '', job: '' });
});

const FilledForm = () => (
  <Opener>
    {(opened, close) => (
      <ChangeDrawer
        opened={opened}
        onClose={close}
        title="Change it"
        verb="Change"
        pending={false}
        error={null}
        onSubmit={close}
      >
        Text
      </ChangeDrawer>
    )}
  </Opener>
);

const OddForm = () => {
  const [name, setName] = useState('');
  return (
    <Opener>
      {(opened, close) => (
        <Drawer opened={opened} onClose={close} title="Odd" closeButtonProps={CLOSE}>
          <form>
            <NameInput label="Name" value={name} onChange={setName} />
            <Select label="Kind" data={['one', 'two']} />
          </form>
        </Drawer>
      )}
    </Opener>
  );
};

describe('a filled form', () => {
  const openFilled = async () => {
    const view = renderAt('/demo/overview', <FilledForm />);
    await view.user.click(button('Open'));
    const drawer = await dialog('Change it');
    await waitFor(() => expect(depth()).toBe(1));
    await view.fill(within(drawer).getByLabelText('Reason'), 'Ticket 7');
    return { ...view, drawer };
  };
  const QUESTION = 'Discard what you entered?';

  it.each<[string, (user: Awaited<ReturnType<typeof openFilled>>['user']) => Promise<void>]>([
    ['Esc', (user) => user.keyboard('{Escape}')],
    ['the cross', (user) => user.click(button('Close without changes'))],
    ['Back', async () => window.history.back()],
  ])('is not thrown away by %s without a question', async (_, leave) => {
    const { user, drawer, unmount } = await openFilled();
    await leave(user);
    await dialog(QUESTION);
    await user.click(button('Keep editing'));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: QUESTION })).toBeNull());
    expect(within(drawer).getByLabelText<HTMLTextAreaElement>('Reason').value).toBe('Ticket 7');
    await leave(user);
    await dialog(QUESTION);
    await user.click(button('Discard'));
    await allClosed();
    await focusIsOn('Open');
    await settled();
    unmount();
  });

  it('closes without a question by Cancel, after it was sent, and when it is empty', async () => {
    for (const name of ['Cancel', 'Change']) {
      const { user, unmount } = await openFilled();
      await user.click(button(name));
      await allClosed();
      await settled();
      unmount();
    }
    const { user, unmount } = renderAt('/demo/overview', <FilledForm />);
    await user.click(button('Open'));
    await dialog('Change it');
    await user.keyboard('{Escape}');
    await allClosed();
    await settled();
    unmount();
  });

  it.each<[string, (user: Awaited<ReturnType<typeof openFilled>>['user']) => Promise<void>]>([
    [
      'a field that pastes by itself',
      async () => {
        const clipboardData = { getData: () => 'two\nlines' };
        fireEvent.paste(screen.getByLabelText('Name'), { clipboardData });
        expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('two\\x0alines');
      },
    ],
    [
      'an option of a list',
      async (user) => {
        await user.click(screen.getByRole('combobox', { name: 'Kind' }));
        await user.click(await screen.findByRole('option', { name: 'two' }));
      },
    ],
  ])('is also one where only %s was used', async (_, fillIn) => {
    const { user, unmount } = renderAt('/demo/overview', <OddForm />);
    await user.click(button('Open'));
    await dialog('Odd');
    await waitFor(() => expect(depth()).toBe(1));
    await fillIn(user);
    await user.keyboard('{Escape}');
    await dialog(QUESTION);
    await user.click(button('Discard'));
    await allClosed();
    await settled();
    unmount();
  });
});

it.each([
  ['its first field', <Select key="1" label="Family" data={['a']} />, 'Family'],
  [
    'the reason, without a field of its own',
    [<input key="2" type="checkbox" aria-label="All" />, <input key="5" type="file" hidden />],
    'Reason',
  ],
  [
    'the field that asks for it',
    [<input key="3" aria-label="First" />, <input key="4" aria-label="Second" data-autofocus />],
    'Second',
  ],
])('begins a change with %s', async (_what, fields, name) => {
  const { user } = renderAt(
    '/demo/flags',
    <Opener>
      {(opened, close) => (
        <ChangeDrawer
          opened={opened}
          onClose={close}
          title="One"
          verb="Do it"
          pending={false}
          error={null}
          onSubmit={close}
        >
          {fields}
        </ChangeDrawer>
      )}
    </Opener>,
  );
  await user.click(button('Open'));
  const field = await within(await dialog('One')).findByLabelText(name);
  await waitFor(() => expect(document.activeElement).toBe(field));
});
