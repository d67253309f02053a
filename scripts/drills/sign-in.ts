/** A user of the console, signed in by a browser's own requests. The session is valid on every console of the store. */
export interface Caller {
  email: string;
  cookie: string;
}

const cookiesOf = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0]!)
    .join('; ');

/** Signs in with the form's requests. Throws the answer where it is refused. */
export const signIn = async (
  baseUrl: string,
  { email, password }: { email: string; password: string },
): Promise<Caller> => {
  const asked = await fetch(`${baseUrl}/api/auth/csrf`);
  const { csrfToken } = (await asked.json()) as { csrfToken: string };
  const answer = await fetch(`${baseUrl}/api/auth/callback/credentials`, {
    method: 'POST',
    headers: { origin: baseUrl, cookie: cookiesOf(asked) },
    body: new URLSearchParams({ csrfToken, email, password, json: 'true' }),
    redirect: 'manual',
  });
  const cookie = `${cookiesOf(asked)}; ${cookiesOf(answer)}`;
  if (!/session-token=/.test(cookie))
    throw new Error(`${email} could not sign in: ${answer.status} ${await answer.text()}`);
  return { email, cookie };
};

/** Signs out of this session, as the menu does. */
export const signOut = async (baseUrl: string, { cookie }: Caller): Promise<void> => {
  const asked = await fetch(`${baseUrl}/api/auth/csrf`, { headers: { cookie } });
  const { csrfToken } = (await asked.json()) as { csrfToken: string };
  const answer = await fetch(`${baseUrl}/api/auth/signout`, {
    method: 'POST',
    headers: { origin: baseUrl, cookie: [cookie, cookiesOf(asked)].filter(Boolean).join('; ') },
    body: new URLSearchParams({ csrfToken, json: 'true' }),
    redirect: 'manual',
  });
  if (answer.status >= 400) throw new Error(`signing out: ${answer.status} ${await answer.text()}`);
};
