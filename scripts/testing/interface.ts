import { urlOf } from '@/lib/api-client';
import { forgetEnv } from '@/lib/configuration';
import { type Contract, pathParameters } from '@/lib/contract';
import { allRoutes } from '@/lib/domains/all';
import { handleRequest } from '@/lib/domains/interface';

/** Every operation, each with its handler, called through the dispatcher without Next. */
export const operations = allRoutes.map((handler) => ({ contract: handler.contract, handler }));

const contractOf = (id: string): Contract => {
  const operation = operations.find(({ contract }) => contract.id === id);
  if (!operation) throw new Error(`No route serves ${id}.`);
  return operation.contract;
};

export const ORIGIN = 'http://127.0.0.1:3000';
export const CONNECTION = 'main';
export const ROOT_TOKEN = 'the-token-of-the-configuration-1234';
export const ROOT = { authorization: `Bearer ${ROOT_TOKEN}` };

/** Call it before `testContext`, which reads the environment again. */
export const configureInterface = (): void => {
  Object.assign(process.env, {
    NEXTAUTH_SECRET: 'a-secret-for-tests-only',
    NEXTAUTH_URL: ORIGIN,
    KEYWARD_API_TOKEN: ROOT_TOKEN,
  });
  forgetEnv();
};

type Input = Record<string, unknown>;

/** A request in the form that Next passes on: `input` in the path, and in the query of a GET or the body of a change. */
export const ask = (
  id: string,
  input: Input,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<Response> => {
  const contract = contractOf(id);
  const names = pathParameters(contract.path);
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)));
  const isGet = contract.method === 'GET';
  const request = new Request(ORIGIN + urlOf(contract, input, CONNECTION), {
    method: contract.method,
    headers: {
      host: new URL(ORIGIN).host,
      ...(isGet ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(isGet ? {} : { body: JSON.stringify(rest) }),
    ...(signal ? { signal } : {}),
  });
  return handleRequest(request);
};

/** Sends a request that must succeed, with the configuration's token by default. */
export const succeed = async <T extends object = Record<string, unknown>>(
  id: string,
  input: Input,
  headers: Record<string, string> = ROOT,
): Promise<T> => {
  const response = await ask(id, input, headers);
  const text = await response.text();
  if (!response.ok) throw new Error(`${id}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
};

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** The data of a stream's first event; the rest is not read. */
export const firstEvent = async (response: Response): Promise<Record<string, unknown>> => {
  const reader = response.body!.getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    text += Buffer.from(value ?? []).toString();
    const [, data] = /^data: (.*)\n\n/m.exec(text) ?? [];
    if (data === undefined && !done) continue;
    await reader.cancel();
    return data === undefined ? {} : (JSON.parse(data) as Record<string, unknown>);
  }
};

const PASSWORD = 'correct horse battery';
/** A user of the console with a separate browser, as far as cookies are concerned. */
export class User {
  readonly id: string;
  readonly email: string;
  private readonly cookies = new Map<string, string>();

  private constructor(id: string, email: string) {
    this.id = id;
    this.email = email;
  }

  /** A new user who has signed in. */
  static async signedIn(email: string, role: string): Promise<User> {
    const input = { email, name: email, role, password: PASSWORD };
    const created = await succeed<{ user: { id: string } }>('users.create', input);
    return User.signIn(created.user.id, email, PASSWORD);
  }

  /** A user who exists. */
  static async signIn(id: string, email: string, password: string): Promise<User> {
    const user = new User(id, email);
    const response = await user.post('callback/credentials', { email, password });
    if (!response.ok) throw new Error(`${email} could not sign in: ${await response.text()}`);
    return user;
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** The headers that a page of the console sends. */
  get headers(): Record<string, string> {
    return { cookie: this.cookie, origin: ORIGIN };
  }

  /** Signs out but keeps the cookies, to test that they no longer work. */
  async signOut(): Promise<void> {
    const kept = new Map(this.cookies);
    await this.post('signout', {});
    for (const [name, value] of kept) this.cookies.set(name, value);
  }

  /** A new API token of this user. */
  async token(role: string): Promise<string> {
    const input = { name: `${role} of ${this.email}`, role, expiresAt: null };
    return (await succeed<{ token: string }>('tokens.api.create', input, this.headers)).token;
  }

  private async send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { host: new URL(ORIGIN).host, ...this.headers };
    const request = new Request(`${ORIGIN}/api/auth/${path}`, { ...init, headers });
    const response = await handleRequest(request);
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      if (value) this.cookies.set(name!, value);
      else this.cookies.delete(name!);
    }
    return response;
  }

  private async post(path: string, fields: Record<string, string>): Promise<Response> {
    const { csrfToken } = (await (await this.send('csrf')).json()) as { csrfToken: string };
    const body = new URLSearchParams({ csrfToken, json: 'true', ...fields });
    return this.send(path, { method: 'POST', body });
  }
}
