import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { canonicalIp, protector, whyNeverMatches } from './address';

const ipOf = (text: string): string | null => {
  const reading = canonicalIp(text);
  return reading.ok ? reading.ip : null;
};

describe('the canonical address', () => {
  // Right-hand sides: what Go's net.ParseIP(text).String() prints.
  it.each([
    ['192.168.1.100', '192.168.1.100'],
    ['0.0.0.0', '0.0.0.0'],
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:0db8:0000:0000:0001:0000:0000:0001', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['0:0:1:0:0:0:1:0', '0:0:1::1:0'],
    ['::', '::'],
    ['1::', '1::'],
    ['::1', '::1'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::FFFF:102:304', '1.2.3.4'],
    ['0:0:0:0:0:ffff:a00:1', '10.0.0.1'],
    ['::1.2.3.4', '::102:304'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
    ['::ffff:0:0', '0.0.0.0'],
    ['::ffff:255.255.255.255', '255.255.255.255'],
  ])('of %s is %s', (text, ip) => {
    expect(ipOf(text)).toBe(ip);
  });

  it.each([
    ['10.0.0.0/8', 'network'],
    ['2001:db8::/32', 'network'],
    ['10.0.0.0/x', 'network'],
    ['<b>9</b>', 'Not an IP address'],
    ['10.0.0.1:8080', 'port'],
    ['[::1]:443', 'port'],
    ['[::1]', 'brackets'],
    ['fe80::1%eth0', 'zone'],
    ['10.0.0.1, 10.0.0.2', 'chain'],
    [' 10.0.0.1', 'space'],
    ['', 'Empty'],
    ['10.0.0', 'Not an IP'],
    ['10.0.0.256', 'Not an IP'],
    ['010.0.0.1', 'Not an IP'],
    ['0x7f.1', 'Not an IP'],
    ['2130706433', 'Not an IP'],
    ['1:2:3', 'Not an IP'],
    ['::1::', 'Not an IP'],
    ['unknown', 'Not an IP'],
    ['<script>', 'Not an IP'],
    ['1.2.3.4\u0000', 'Not an IP'],
    ['１.2.3.4', 'Not an IP'],
  ])('of %j is refused with a reason', (text, reason) => {
    const reading = canonicalIp(text);
    expect(reading.ok ? null : reading.reason).toContain(reason);
  });

  it('is RFC 5952 for every address and spelling, and its own canonical form', { tags: ['long'] }, () => {
    const groups = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), {
      minLength: 8,
      maxLength: 8,
    });
    fc.assert(
      fc.property(groups, fc.boolean(), fc.boolean(), (parts, upper, padded) => {
        const written = parts.map((part) => part.toString(16).padStart(padded ? 4 : 1, '0')).join(':');
        const ip = ipOf(upper ? written.toUpperCase() : written);
        const address = new ipaddr.IPv6(parts);
        const expected = address.isIPv4MappedAddress()
          ? address.toIPv4Address().toString()
          : address.toRFC5952String();
        expect(ip).toBe(expected);
        expect(ipOf(ip!)).toBe(ip);
        expect(whyNeverMatches(ip)).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps dotted IPv4 unchanged, never throws and accepts no other text', () => {
    fc.assert(fc.property(fc.ipV4(), (text) => ipOf(text) === text));
    fc.assert(fc.property(fc.ipV6(), (text) => ipOf(text) !== null));
    const noise = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.%/[], '), maxLength: 45 }),
    );
    fc.assert(
      fc.property(noise, (text) => {
        const ip = ipOf(text);
        if (ip === null) return;
        expect(ipaddr.isValid(text)).toBe(true);
        expect(isIPv6(ip) || ipaddr.IPv4.isValidFourPartDecimal(ip)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

it('explains why an entry never matches', () => {
  expect(whyNeverMatches('10.0.0.1')).toBeNull();
  expect(whyNeverMatches('2001:db8::1')).toBeNull();
  expect(whyNeverMatches('2001:DB8::1')).toContain('2001:db8::1');
  expect(whyNeverMatches('::ffff:10.0.0.1')).toContain('10.0.0.1');
  expect(whyNeverMatches('10.0.0.1\n')).toContain('space');
  expect(whyNeverMatches(null)).toContain('text');
});

it('protects addresses and networks, IPv4 and IPv6', () => {
  const isProtected = protector([
    '10.0.0.0/8',
    '192.168.1.1',
    '2001:db8::/32',
    '::1',
    '::ffff:172.16.0.0/108',
  ]);
  for (const ip of ['10.255.0.1', '192.168.1.1', '2001:db8:5::1', '::1', '172.16.0.9'])
    expect([ip, isProtected(ip)]).toEqual([ip, true]);
  for (const ip of ['11.0.0.1', '192.168.1.2', '2001:db9::1', '::2', '172.32.0.1', '::102:304'])
    expect([ip, isProtected(ip)]).toEqual([ip, false]);
  expect(protector([])('10.0.0.1')).toBe(false);
});

it('protects the NAT64 spellings of an address', () => {
  const isProtected = protector(['10.0.0.0/8', '192.0.2.33']);
  for (const ip of ['64:ff9b::a00:1', '64:ff9b::c000:221', '64:ff9b:1::a00:1', '64:ff9b:1:5::c000:221'])
    expect([ip, isProtected(ip)]).toEqual([ip, true]);
  for (const ip of ['64:ff9b::b00:1', '64:ff9b:2::a00:1', '2001:db8::a00:1', '64:ff9b::c000:222'])
    expect([ip, isProtected(ip)]).toEqual([ip, false]);
});
