import { describe, expect, it } from 'vitest';
import { LineStream, MAX_LINE, MonitorLine, quotingOf, quotingProbe } from './monitor-line';

const read = (text: string) => MonitorLine.read(Buffer.from(text, 'latin1'))!;

describe('a line of MONITOR', () => {
  it('gives database, source and arguments', () => {
    const line = read('+1339518083.107412 [3 127.0.0.1:60866] "MGET" "a b" "c\\"d" ""');
    expect([line.db, line.source, line.word(0), line.count]).toEqual([3, '127.0.0.1:60866', 'mget', 4]);
    expect([1, 2, 3, 4].map((index) => line.bytes(index)?.toString())).toEqual(['a b', 'c"d', '', undefined]);
    expect(read('+1.1 [0 [::1]:6379] "get" "x"').source).toBe('[::1]:6379');
    expect(read('+1.1 [0 lua] "get" "x"').source).toBe('lua');
    expect(read('+1.1 [0 unix:/tmp/a b.sock] "get" "x"').source).toBe('unix:/tmp/a b.sock');
    expect(MonitorLine.read(Buffer.from('+OK'))).toBeNull();
  });

  it('unescapes every escape once', () => {
    const line = read('+1.1 [0 lua] "get" "\\\\x41\\x00\\xff\\n\\r\\t\\a\\b\\"\\\\" "next"');
    expect(line.bytes(1)).toEqual(
      Buffer.from([0x5c, 0x78, 0x34, 0x31, 0x00, 0xff, 0x0a, 0x0d, 0x09, 0x07, 0x08, 0x22, 0x5c]),
    );
    expect(line.word(2)).toBe('next');
  });

  it('does not run past an end that is missing', () => {
    const line = MonitorLine.read(Buffer.from('+1.1 [0 lua] "mget" "a" "b'), true)!;
    expect([line.count, line.bytes(2), line.cut]).toEqual([2, null, true]);
  });
});

describe('a line of a server that leaves quotes and backslashes as they are (Valkey 8.1)', () => {
  const verbatim = (text: string, cut = false) =>
    MonitorLine.read(Buffer.from(text, 'latin1'), cut, 'verbatim')!;
  const texts = (line: MonitorLine) =>
    Array.from({ length: line.count }, (_, i) => line.bytes(i)!.toString());

  it('gives the arguments as they were sent', () => {
    const line = verbatim(String.raw`+1.1 [0 lua] "set" "q"q" "b\c\x41" "" "{"a":"b"}" """`);
    expect(texts(line)).toEqual(['set', 'q"q', String.raw`b\c\x41`, '', '{"a":"b"}', '"']);
  });

  it('unescapes control characters, and bytes that are not ASCII', () => {
    const line = verbatim(String.raw`+1.1 [0 lua] "get" "a\n\x00\xff\x7f\x1b" "\"`);
    expect(line.bytes(1)).toEqual(Buffer.from([0x61, 0x0a, 0x00, 0xff, 0x7f, 0x1b]));
    expect(line.bytes(2)?.toString()).toBe('\\');
  });

  it('does not run past an end that is missing', () => {
    expect(texts(verbatim('+1.1 [0 lua] "mget" "a" "b"', true))).toEqual(['mget', 'a']);
  });

  it('is known by a probe', () => {
    const id = 'a1b2';
    expect(quotingProbe(id)).toBe(String.raw`"\a1b2`);
    expect(quotingOf(Buffer.from(String.raw`+1.1 [0 lua] "ECHO" ""\a1b2"`), id)).toBe('verbatim');
    expect(quotingOf(Buffer.from(String.raw`+1.1 [0 lua] "ECHO" "\"\\a1b2"`), id)).toBe('escaped');
    for (const other of [String.raw`"\a1b2`, '+OK', '$6', '+1.1 [0 lua] "ECHO" "a1b2"', ''])
      expect(quotingOf(Buffer.from(other), id)).toBeNull();
  });
});

describe('a stream of lines', () => {
  const linesOf = (chunks: readonly Buffer[]) => {
    const lines: [string, boolean][] = [];
    const stream = new LineStream((line, cut) => lines.push([line.toString('latin1'), cut]));
    for (const chunk of chunks) stream.write(chunk);
    return lines;
  };

  it('is the same however it is cut into chunks', () => {
    const whole = Buffer.from('+OK\r\n+1.1 [0 lua] "get" "x"\r\n\r\nlast\r\n');
    const expected = [
      ['+OK', false],
      ['+1.1 [0 lua] "get" "x"', false],
      ['', false],
      ['last', false],
    ];
    for (let size = 1; size <= whole.length; size++) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < whole.length; at += size) chunks.push(whole.subarray(at, at + size));
      expect(linesOf(chunks)).toEqual(expected);
    }
  });

  it('stores no more of a line than its limit, and continues after it', () => {
    const long = Array.from({ length: 40 }, () => Buffer.alloc(MAX_LINE / 16, 'x'));
    const lines = linesOf([...long, Buffer.from('end\r\n+OK\r\n')]);
    expect(lines.map(([line, cut]) => [line.length, cut])).toEqual([
      [MAX_LINE, true],
      [3, false],
    ]);
  });
});
