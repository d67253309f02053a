import { screen, waitFor } from '@testing-library/react';
import { render } from '@testing-library/react/pure';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { SignInForm, type SignInTexts } from './sign-in-form';

const TEXTS: SignInTexts = {
  title: 'Sign in',
  email: 'E-mail',
  password: 'Password',
  showPassword: 'Show password',
  submit: 'Sign in',
  refused: 'Wrong e-mail or password.',
  throttled: 'Try again in {wait}.',
  problem: 'Something went wrong',
  unexpected: 'An unexpected error.',
  advice: 'Send the request id to whoever operates Keyward.',
  provider: 'Continue with {name}',
  providerRefused: '{name} knows you, but you have no access here.',
  providerFailed: '{name} did not confirm the sign-in.',
  providerEnded: '{name} ended your sign-in.',
  providerUnconfirmed: '{name} did not confirm your sign-in for 30 minutes.',
  headerRefused: 'The proxy knows you, but you have no access here.',
  or: 'or with an account of Keyward',
  secondTitle: 'Second factor',
  secondNote: 'Type the code that your authenticator app shows now.',
  code: 'Code',
  wrongCode: 'This code is wrong.',
  passkey: 'Use a passkey',
  setUpTitle: 'Set up a second factor',
  setUpNote: 'Scan this with an authenticator app.',
  byHand: 'No camera?',
  qr: 'QR code of the secret',
  back: 'Back',
};
const LOCAL = { callbackUrl: null, provider: null, failure: null, locale: 'en', texts: TEXTS } as const;

/** The form, filled and submitted; next-auth answers it with `answer`. */
const submitted = async (answer: () => Response) => {
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    if (url.endsWith('/csrf')) return Response.json({ csrfToken: 'token' });
    expect(String(init?.body)).toBe(
      'email=ann%40example.org&password=secret+words&csrfToken=token&json=true',
    );
    return answer();
  });
  const { unmount } = render(<SignInForm {...LOCAL} />);
  unmounts.push(unmount);
  const user = userEvent.setup({ delay: null });
  await user.type(screen.getByLabelText('E-mail'), 'ann@example.org');
  await user.type(screen.getByLabelText('Password'), 'secret words');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  return user;
};

const unmounts: (() => void)[] = [];

afterEach(() => {
  for (const unmount of unmounts.splice(0)) unmount();
  vi.unstubAllGlobals();
});

it('says that the user or the password is wrong, and selects the password', async () => {
  await submitted(() => new Response(null, { status: 401 }));
  await screen.findByText(TEXTS.refused);
  const password = screen.getByLabelText<HTMLInputElement>('Password');
  expect(password.value.slice(password.selectionStart!, password.selectionEnd!)).toBe('secret words');
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Sign in' }).disabled).toBe(false);
});

it('counts down after too many attempts, with a button that does nothing meanwhile', {
  tags: 'long',
}, async () => {
  await submitted(() => new Response(null, { status: 429, headers: { 'retry-after': '2' } }));
  await screen.findByText(/^Try again in [12]/);
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Sign in' });
  expect(button.disabled).toBe(true);
  await waitFor(() => expect(button.disabled).toBe(false), { timeout: 5000 });
  expect(screen.queryByText(/Try again in/)).toBeNull();
});

it('shows what the server answered, and the id of the request', async () => {
  const document = { title: 'The store is unreachable', detail: 'Nobody can sign in.', requestId: 'r-17' };
  await submitted(() => Response.json(document, { status: 503 }));
  await screen.findByText(document.title);
  screen.getByText(document.detail);
  screen.getByText('r-17');
});

it('reports a server that does not answer', async () => {
  await submitted(() => {
    throw new TypeError('fetch failed');
  });
  await screen.findByText(/Check your network/);
});

it('shows the password on request', async () => {
  const user = await submitted(() => new Response(null, { status: 401 }));
  const password = screen.getByLabelText<HTMLInputElement>('Password');
  await user.click(screen.getByRole('button', { name: 'Show password' }));
  expect(password.type).toBe('text');
  await user.click(screen.getByRole('button', { name: 'Show password' }));
  expect(password.type).toBe('password');
});

it('goes to the company’s provider, and says why one came back without a session', async () => {
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    if (url.endsWith('/csrf')) return Response.json({ csrfToken: 'token' });
    expect([url, String(init?.body)]).toEqual([
      '/api/auth/signin/oidc',
      'callbackUrl=%2Fdemo%2Fflags&csrfToken=token&json=true',
    ]);
    return Response.json(
      { title: 'The store is unreachable', detail: 'Nobody can sign in.' },
      { status: 503 },
    );
  });
  const props = {
    ...LOCAL,
    provider: 'Example',
    failure: 'providerRefused',
    callbackUrl: '/demo/flags',
  } as const;
  unmounts.push(render(<SignInForm {...props} />).unmount);
  screen.getByText('Example knows you, but you have no access here.');
  await userEvent.setup({ delay: null }).click(screen.getByRole('button', { name: 'Continue with Example' }));
  await screen.findByText('Nobody can sign in.');
});

it('asks for the second factor, and sets one up where the role needs it', async () => {
  const sent: URLSearchParams[] = [];
  const setUp = { secret: 'ABCDEFGH', qr: { size: 1, path: 'M0 0h1v1h-1z' }, token: 'sealed' };
  const answers = [
    { choices: null, setUp, isWrong: false },
    { choices: null, setUp: null, isWrong: true },
  ];
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    if (url.endsWith('/csrf')) return Response.json({ csrfToken: 'token' });
    sent.push(new URLSearchParams(String(init?.body)));
    const secondFactor = answers[sent.length - 1];
    return Response.json({ code: 'second_factor_required', secondFactor }, { status: 401 });
  });
  unmounts.push(render(<SignInForm {...LOCAL} />).unmount);
  const user = userEvent.setup({ delay: null });
  await user.type(screen.getByLabelText('E-mail'), 'ann@example.org');
  await user.type(screen.getByLabelText('Password'), 'secret words');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  await screen.findByRole('heading', { name: TEXTS.setUpTitle });
  screen.getByRole('img', { name: TEXTS.qr });
  screen.getByText(setUp.secret);
  await user.type(screen.getByLabelText('Code'), '123 456');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  await screen.findByText(TEXTS.wrongCode);
  screen.getByText(setUp.secret);
  const { email, password, factor, setUp: token } = Object.fromEntries(sent[1]!);
  expect({ email, password, factor, token }).toEqual({
    email: 'ann@example.org',
    password: 'secret words',
    factor: '{"code":"123 456"}',
    token: 'sealed',
  });
  await user.click(screen.getByRole('button', { name: TEXTS.back }));
  await screen.findByLabelText('Password');
});
