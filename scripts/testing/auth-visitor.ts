import { authenticate } from '@/lib/access/authenticate';
import { handleNextAuth } from '@/lib/access/next-auth-handler';

/** The console's address in tests of sign-in. */
export const ORIGIN = 'http://console.example:3000';

/** A browser as far as cookies go, at next-auth's part of the interface. */
export class AuthVisitor {
  readonly cookies = new Map<string, string>();

  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = new Headers({ host: 'console.example:3000', cookie, ...(init.headers as object) });
    const request = new Request(`http://localhost:3000/api/auth/${path}`, { ...init, headers });
    const response = await handleNextAuth(request, path.split('?')[0]!.split('/'), 'request-1');
    for (const set of response.headers.getSetCookie()) {
      const [pair] = set.split(';');
      const at = pair!.indexOf('=');
      const [name, value] = [pair!.slice(0, at), pair!.slice(at + 1)];
      if (value) this.cookies.set(name, value);
      else this.cookies.delete(name);
    }
    return response;
  }

  async post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
    const { csrfToken } = (await (await this.send('csrf')).json()) as { csrfToken: string };
    const body = new URLSearchParams({ csrfToken, json: 'true', ...fields });
    return this.send(path, { method: 'POST', body, headers: { origin: ORIGIN, ...headers } });
  }

  whoAmI() {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return authenticate(new Request(ORIGIN, { headers: { cookie } }));
  }
}
