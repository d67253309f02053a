import { describe, expect, it } from 'vitest';
import { pastedEntries, refusedEntries } from './pasted';

describe('pastedEntries', () => {
  it('takes one entry a line, whatever the line endings, and leaves chains for the server to answer', () => {
    expect(pastedEntries('192.0.2.1\r\n  192.0.2.2\t\n\n192.0.2.3, 10.0.0.1\r::1')).toEqual([
      '192.0.2.1',
      '192.0.2.2',
      '192.0.2.3, 10.0.0.1',
      '::1',
    ]);
  });

  it('finds nothing in nothing', () => {
    expect(pastedEntries(' \n\t ')).toEqual([]);
  });
});

describe('refusedEntries', () => {
  it('names what is no project id', () => {
    const ids = ['67818cafdc7fc41066bc34df', '67818CAFDC7FC41066BC34DF', '<b>', '67818c'];
    expect(refusedEntries('projects', ids)).toEqual(['<b>', '67818c']);
  });

  it('leaves it to the server to say what is no address', () => {
    expect(refusedEntries('bans', ['192.0.2.1', 'not an address', '1'.repeat(1001)])).toEqual([]);
  });
});
