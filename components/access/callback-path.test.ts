import { describe, expect, it } from 'vitest';
import { callbackPath } from './callback-path';

const origin = 'https://ops.example';

describe('where sign-in leads', () => {
  it('is the requested page, with its query', () => {
    expect(callbackPath('/main/sessions?user=81#x', origin)).toBe('/main/sessions?user=81#x');
    expect(callbackPath(`${origin}/jobs`, origin)).toBe('/jobs');
    expect(callbackPath('/keyward/jobs', origin, '/keyward')).toBe('/keyward/jobs');
  });

  it('is never another origin, a script, or the sign-in page', () => {
    const wrong = [
      'https://evil.example/',
      '//evil.example',
      '\\\\evil.example',
      '/\\evil.example',
      '/.//evil.example',
      'javascript:alert(1)',
      'data:text/html,x',
      `${origin}.evil.example/`,
      'https://ops.example@evil.example/',
      '/sign-in',
      '/setup?x',
      '/api/auth/signout',
      '',
      null,
      undefined,
    ];
    for (const wanted of wrong) expect(callbackPath(wanted, origin), String(wanted)).toBe('/');
    expect(callbackPath('/keywardness', origin, '/keyward')).toBe('/keyward/');
  });
});
