import type { APIRequestContext } from '@playwright/test';

/** Signs a browser's context in through the form's own requests. Throws the answer where it is refused. */
export const signIn = async (
  api: APIRequestContext,
  baseUrl: string,
  { email, password }: { email: string; password: string },
): Promise<void> => {
  const { csrfToken } = (await (await api.get(`${baseUrl}/api/auth/csrf`)).json()) as { csrfToken: string };
  const answer = await api.post(`${baseUrl}/api/auth/callback/credentials`, {
    headers: { origin: baseUrl },
    form: { csrfToken, email, password, json: 'true' },
  });
  if (!answer.ok()) throw new Error(`${email} could not sign in: ${answer.status()} ${await answer.text()}`);
};
