import { describe, expect, it } from 'vitest';
import { deviceKind } from './device-kind';

describe('deviceKind', () => {
  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36',
      'computer',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0', 'computer'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Mobile/15E148 Safari/604.1', 'phone'],
    ['Mozilla/5.0 (Linux; Android 14; MI 14) Chrome/139.0.0.0 Mobile Safari/537.36', 'phone'],
    ['Mozilla/5.0 (Linux; Android 14; SM-X710) Chrome/139.0.0.0 Safari/537.36', 'tablet'],
    ['DiscoursApp/2.4.1 (iPad; iPadOS 18.0; Scale/2.00)', 'tablet'],
    ['python-requests/2.32.3', 'program'],
    ['<img src=x onerror=alert(1)>', 'unknown'],
  ])('takes %s for a %s', (userAgent, kind) => {
    expect(deviceKind({ label: null, userAgent, address: null })).toBe(kind);
  });

  it('uses the label if there is no user agent', () => {
    expect(deviceKind({ label: 'iPhone 15', userAgent: null, address: null })).toBe('phone');
    expect(deviceKind({ label: null, userAgent: null, address: null })).toBe('unknown');
  });
});
