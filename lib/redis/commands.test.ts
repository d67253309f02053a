import { expectTypeOf, it } from 'vitest';
import type { ReadCommands, ReadName } from './commands';
import type { Reader } from './reader';
import type { WriteName } from './writer';

type Never =
  | 'KEYS'
  | 'SMEMBERS'
  | 'HGETALL'
  | 'HKEYS'
  | 'HVALS'
  | 'LRANGE'
  | 'ZRANGE'
  | 'GET'
  | 'MGET'
  | 'SORT';
type Writes =
  | 'DEL'
  | 'UNLINK'
  | 'SET'
  | 'EXPIRE'
  | 'HSET'
  | 'SADD'
  | 'FLUSHDB'
  | 'FLUSHALL'
  | 'EVAL'
  | 'GETDEL';

it('has no read command that walks the keyspace, returns a whole collection or changes anything', () => {
  expectTypeOf<Extract<ReadName, Never | Writes>>().toEqualTypeOf<never>();
  expectTypeOf<readonly ['KEYS', Buffer]>().not.toExtend<Parameters<Reader['read']>[0]>();
  expectTypeOf<readonly ['SMEMBERS', Buffer]>().not.toExtend<Parameters<Reader['read']>[0]>();
  expectTypeOf<readonly ['HGETALL', Buffer]>().not.toExtend<Parameters<Reader['read']>[0]>();
  expectTypeOf<readonly ['DEL', Buffer]>().not.toExtend<Parameters<Reader['read']>[0]>();
  expectTypeOf<readonly ['PTTL', Buffer]>().toExtend<Parameters<Reader['read']>[0]>();
});

it('takes keys as bytes only, so that none loses bytes on its way', () => {
  expectTypeOf<ReadCommands[ReadName]['args'][0]>().toEqualTypeOf<Buffer>();
  expectTypeOf<readonly ['PTTL', string]>().not.toExtend<Parameters<Reader['read']>[0]>();
});

it('writes with seven commands; everything else is a script with a header', () => {
  type Named = 'UNLINK' | 'SADD' | 'SREM' | 'HDEL' | 'HSET' | 'PUBLISH' | 'SPUBLISH';
  expectTypeOf<WriteName>().toEqualTypeOf<Named>();
});
