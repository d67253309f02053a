import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NO_DEVICE, parseDevice } from './device';

const UA =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';

it.each([
  [
    { user_agent: UA, ip: '10.0.0.1' },
    { label: 'Chrome 126 · Linux', userAgent: UA, address: '10.0.0.1' },
  ],
  [
    { 'User-Agent': 'curl/8', address: '::1' },
    { label: 'curl/8', userAgent: 'curl/8', address: '::1' },
  ],
  [
    { ua: 'x', device: 'Pixel 8' },
    { label: 'Pixel 8', userAgent: 'x', address: null },
  ],
  [{ device: { model: 'iPhone', os: 'iOS' } }, { label: 'iPhone', userAgent: null, address: null }],
  [
    { browser: 'Firefox', os: 'Linux' },
    { label: 'Firefox, Linux', userAgent: null, address: null },
  ],
  [
    { device: { nested: { deep: 'x' } }, ip_address: 5 },
    { label: null, userAgent: null, address: '5' },
  ],
  [{}, NO_DEVICE],
])('reads %j', (value, device) => {
  expect(parseDevice(JSON.stringify(value))).toEqual(device);
});

it.each([
  [
    `{'user_agent': '${UA}', 'ip': '10.0.0.1', 'location': None, 'trusted': True}`,
    { label: 'Chrome 126 · Linux', userAgent: UA, address: '10.0.0.1' },
  ],
  [
    String.raw`{'ua': "it's \x41", 'ip': '\x31\u00300', 'seen': datetime.datetime(2024, 1, 2, 3, 4)}`,
    { label: "it's A", userAgent: "it's A", address: '100' },
  ],
  ["{'device': {'model': 'iPhone', 'os': 'iOS'}}", { label: 'iPhone', userAgent: null, address: null }],
  ["{'a': 1}", NO_DEVICE],
  ['None', NO_DEVICE],
])('reads %s', (text, device) => {
  expect(parseDevice(text)).toEqual(device);
});

it('tells absent from broken', () => {
  for (const absent of [null, '', 'null']) expect(parseDevice(absent)).toEqual(NO_DEVICE);
  for (const broken of ['{', "{'a': }", '[]', '"text"', '7', '\0', "('a',)", "'text'", 'dict(a=1)'])
    expect(parseDevice(broken)).toBeNull();
});

it('shows text that deceives or holds a token without it', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
  const device = parseDevice(JSON.stringify({ name: `<b>\u202Egnp ${token}`, ip: '\n' }));
  expect(device).toEqual({ label: '<b>\\xe2\\x80\\xaegnp •••', userAgent: null, address: null });
});

it('throws for nothing and is bounded', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      const device = parseDevice(text);
      expect(device?.label?.length ?? 0).toBeLessThan(80 * 12);
    }),
  );
});
