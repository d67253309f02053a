import { afterEach, beforeEach, expect, it } from 'vitest';
import { forgetEnv } from '@/lib/configuration';
import { isOwnOrigin, requestOrigin } from './origin';

const configure = (nextAuthUrl: string): void => {
  Object.assign(process.env, { REDIS_URL: 'redis://127.0.0.1:1', NEXTAUTH_URL: nextAuthUrl });
  forgetEnv();
};
beforeEach(() => configure(''));
afterEach(() => configure(''));

const own = (headers: Record<string, string>) => isOwnOrigin(new Headers(headers));

it.each([
  [{ host: 'ops.example:3000', origin: 'http://ops.example:3000' }, true],
  [{ host: 'OPS.example:3000', origin: 'http://ops.example:3000' }, true],
  [{ host: 'ops.example', origin: 'https://ops.example' }, true],
  [{ host: 'ops.example', origin: 'https://evil.example' }, false],
  [{ host: 'ops.example', origin: 'https://ops.example.evil' }, false],
  [{ host: 'ops.example', origin: 'https://ops.example:8443' }, false],
  [{ host: 'ops.example', origin: 'ftp://ops.example' }, false],
  [{ host: 'ops.example', origin: 'nonsense' }, false],
  [{ host: 'ops.example', origin: 'null' }, false],
  [{ host: 'ops.example', origin: 'null', 'sec-fetch-site': 'same-origin' }, true],
  [{ host: 'ops.example', 'sec-fetch-site': 'same-origin' }, true],
  [{ host: 'ops.example', 'sec-fetch-site': 'same-site' }, false],
  [{ host: 'ops.example', 'sec-fetch-site': 'none' }, false],
  [{ host: 'ops.example', origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, false],
  [{ host: 'ops.example' }, false],
] as [Record<string, string>, boolean][])('%j is own: %s', (headers, expected) => {
  expect(own(headers)).toBe(expected);
});

it('knows itself by the configured address behind a proxy that changes Host', () => {
  configure('https://ops.example/base/api/auth');
  expect(own({ host: 'keyward:3000', origin: 'https://ops.example' })).toBe(true);
  expect(own({ host: 'keyward:3000', origin: 'http://ops.example' })).toBe(false);
  const headers = new Headers({ host: 'keyward:3000' });
  expect(requestOrigin(headers, 'http://localhost:3000/x')).toBe('https://ops.example');
});

it('takes the name the browser uses for us', () => {
  configure('http://127.0.0.1:3000/api/auth');
  const headers = new Headers({ host: 'localhost:3000', origin: 'http://localhost:3000' });
  expect(requestOrigin(headers, 'http://127.0.0.1:3000/x')).toBe('http://localhost:3000');
  headers.set('origin', 'https://evil.example');
  expect(requestOrigin(headers, 'http://127.0.0.1:3000/x')).toBe('http://127.0.0.1:3000');
});
