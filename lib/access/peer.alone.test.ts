import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgetEnv } from '@/lib/configuration';
import { clientAddress, clientBehind, PEER_HEADER, peerHeader } from './peer';

describe('the walk through X-Forwarded-For', () => {
  const cases: [name: string, peer: string, forwarded: string | null, trusted: string[], client: string][] = [
    ['nobody is trusted by default', '203.0.113.9', '198.51.100.1', [], '203.0.113.9'],
    ['an untrusted peer cannot name another', '203.0.113.9', '198.51.100.1', ['10.0.0.0/8'], '203.0.113.9'],
    ['a trusted proxy names the client', '10.0.0.1', '198.51.100.1', ['10.0.0.0/8'], '198.51.100.1'],
    [
      'what the client wrote itself is not read',
      '10.0.0.1',
      '1.1.1.1, 198.51.100.1',
      ['10.0.0.0/8'],
      '198.51.100.1',
    ],
    ['through two proxies', '10.0.0.1', '1.1.1.1, 198.51.100.1, 10.9.9.9', ['10.0.0.0/8'], '198.51.100.1'],
    ['proxies only: the first of them', '10.0.0.1', '10.0.0.3, 10.0.0.2', ['10.0.0.0/8'], '10.0.0.3'],
    ['a trusted proxy that says nothing', '10.0.0.1', null, ['10.0.0.0/8'], '10.0.0.1'],
    ['stops at what is no address', '10.0.0.1', '198.51.100.1, unknown', ['10.0.0.0/8'], '10.0.0.1'],
    ['IPv4 inside IPv6', '::ffff:10.0.0.1', '198.51.100.1', ['10.0.0.0/8'], '198.51.100.1'],
    ['ports and brackets', '::1', '[2001:db8::7]:4711', ['::1'], '2001:db8::7'],
    ['a port on IPv4', '127.0.0.1', '198.51.100.1:4711', ['127.0.0.1'], '198.51.100.1'],
    ['families do not mix', '10.0.0.1', '198.51.100.1', ['2001:db8::/32'], '10.0.0.1'],
    ['a peer that is no address', 'unknown', '198.51.100.1', ['0.0.0.0/0'], 'unknown'],
  ];
  it.each(cases)('%s', (_name, peer, forwarded, trusted, client) => {
    expect(clientBehind(peer, forwarded, trusted)).toBe(client);
  });
});

describe('the peer header', () => {
  let url: URL;
  const server = createServer((incoming, response) => {
    response.end(clientAddress(new Headers(incoming.headers as Record<string, string>)));
  });
  const ask = (headers: Record<string, string>): Promise<string> =>
    new Promise((resolve, reject) => {
      const call = request(url, { headers }, (response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => resolve(body));
      });
      call.on('error', reject).end();
    });

  beforeAll(async () => {
    Object.assign(process.env, { REDIS_URL: 'redis://127.0.0.1:1', KEYWARD_TRUSTED_PROXIES: '192.0.2.1' });
    forgetEnv();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  afterAll(() => {
    delete process.env.KEYWARD_TRUSTED_PROXIES;
    server.close();
  });

  it('is not believed while this process does not set it', async () => {
    expect(await ask({ [PEER_HEADER]: '198.51.100.1' })).toBe('unknown');
  });

  it("is the socket's address, whatever the client sends", async () => {
    server.prependListener('request', peerHeader());
    expect(await ask({ [PEER_HEADER]: '198.51.100.1', 'x-forwarded-for': '198.51.100.2' })).toBe('127.0.0.1');
    expect(await ask({ 'X-Keyward-Peer': '192.0.2.1', 'x-forwarded-for': '198.51.100.2' })).toBe('127.0.0.1');
  });
});
