import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { turnsDuring } from '@/scripts/testing/turns';
import { isDotenvName, readDotenv, writeDotenv } from './dotenv';
import { mapYielding } from './plan';

const valuesOf = async (text: string) => {
  const { entries, problems } = await readDotenv(text);
  expect(problems).toEqual([]);
  return Object.fromEntries(entries.map(({ name, value }) => [name, value]));
};

const problemsOf = async (text: string) =>
  (await readDotenv(text)).problems.map(({ line, message }) => [line, message] as const);

describe('dotenv text is read', () => {
  it.each([
    ['A=b', 'b'],
    ['A=', ''],
    ['A= b ', 'b'],
    ['  A =b', 'b'],
    ['export A=b', 'b'],
    ['A=b=c==', 'b=c=='],
    ['A=b # comment', 'b'],
    ['A=b#c', 'b#c'],
    ['A=# comment', ''],
    ['A="b # c" # d', 'b # c'],
    ["A='b # c'", 'b # c'],
    ["A='\\n$X\"'", '\\n$X"'],
    ['A="\\n\\r\\t\\"\\\\\\$"', '\n\r\t"\\$'],
    ['A="\\d\\x"', '\\d\\x'],
    ['A="b\nc\n"', 'b\nc\n'],
    ['A="b\r\nc"', 'b\nc'],
    ['A=""', ''],
    ['\ufeffA=b', 'b'],
    ['A=b\r\n', 'b'],
    ['A=`b`', '`b`'],
    ['A=it\'s "it"', 'it\'s "it"'],
    ['A=значение', 'значение'],
  ])('%j', async (text, value) => expect(await valuesOf(text)).toEqual({ A: value }));

  it('with comments, blank lines and the line each variable begins on', async () => {
    const text = '# head\n\nA=1\r\n  # more\rB="x\ny"\nC=3';
    expect(await readDotenv(text)).toEqual({
      entries: [
        { name: 'A', value: '1', line: 3 },
        { name: 'B', value: 'x\ny', line: 5 },
        { name: 'C', value: '3', line: 7 },
      ],
      problems: [],
    });
  });
});

describe('dotenv errors, by line', () => {
  it.each([
    ['A=1\nnonsense', 2],
    ['=1', 1],
    ['1A=1', 1],
    ['A B=1', 1],
    ['A-B=1', 1],
    ['имя=1', 1],
    [`${'A'.repeat(201)}=1`, 1],
    ["A='b", 1],
    ["A='b' c", 1],
    ['A="b" c', 1],
    ['A=b\0c', 1],
    ['A="b\\\ud800"', 1],
    ['A=1\n\nB="x\ny=z\nC=1', 3],
  ])('%j', async (text, line) => {
    const problems = await problemsOf(text);
    expect(problems.map(([at]) => at)).toEqual([line]);
    expect(problems[0]![1].length).toBeGreaterThan(10);
  });

  it('every invalid line and every duplicate name', async () => {
    expect(await problemsOf('A=1\nbad\nA=2\n9=1\nA=3')).toEqual([
      [2, 'Not a NAME=value line.'],
      [3, 'Duplicate of the name on line 1.'],
      [4, expect.stringContaining('does not start with a digit')],
      [5, 'Duplicate of the name on line 1.'],
    ]);
  });

  it('without quoting the line', async () => {
    const text = 'hunter2secret\nhunter2secret x=1\nA=\'hunter2secret\nB="hunter2secret';
    expect(await problemsOf(text)).toHaveLength(4);
    expect(JSON.stringify(await readDotenv(text))).not.toContain('hunter2secret');
  });
});

describe('dotenv text of many megabytes', () => {
  it.each([
    ['\n', ''],
    ['#\n', ''],
    ['\n', 'A="'],
    ['\\n', 'A="'],
    ['x', 'A="'],
  ])('is read with a turn for others after each step: %j', { tags: ['long'] }, async (text, first) => {
    const source = first + text.repeat(2 ** 20 / text.length);
    expect(await turnsDuring(() => readDotenv(source))).toBeGreaterThan(2 ** 20 / 2 ** 17);
  });

  it('is compared value by value, yielding after 256 KiB', async () => {
    const values = Array.from({ length: 40 }, (_, index) => index);
    let planned: number[] = [];
    const plan = async () => {
      planned = await mapYielding(
        values,
        () => 2 ** 17,
        (value, index) => value + index,
      );
    };
    expect(await turnsDuring(plan)).toBeGreaterThanOrEqual(18);
    expect(planned).toEqual(values.map((value) => 2 * value));
  });

  it('is not read beyond the limit of variables, nor values beyond the largest size', {
    tags: ['long'],
  }, async () => {
    const { entries } = await readDotenv('A=1\n'.repeat(2 ** 20), 10);
    expect(entries).toHaveLength(11);
    expect((await readDotenv('x\n'.repeat(2 ** 20), 10)).problems).toHaveLength(11);
    const long = 'x'.repeat(2 ** 22);
    const most = (await readDotenv(`A=${long}\nB="${long}"\nC='${long}'\nD=1`)).entries;
    expect(most.map(({ name }) => name)).toEqual(['A', 'B', 'C', 'D']);
    for (const { value } of most.slice(0, 3)) {
      expect(value.length).toBeGreaterThan(2 ** 20);
      expect(value.length).toBeLessThan(2 ** 21);
    }
  });
});

describe('dotenv text is written', () => {
  it.each([
    ['plain', 'A=plain\n'],
    ['', 'A=\n'],
    ['https://x.org/a=b', 'A=https://x.org/a=b\n'],
    ['https://x.org/?a&b', "A='https://x.org/?a&b'\n"],
    ['two words', "A='two words'\n"],
    ['$HOME "x" \\n', 'A=\'$HOME "x" \\n\'\n'],
    ["it's", 'A="it\'s"\n'],
    ['a\nb', 'A="a\\nb"\n'],
  ])('%j', (value, text) => expect(writeDotenv([{ name: 'A', value }])).toBe(text));

  it('so any text can be read back', { tags: ['long'] }, async () => {
    const character = fc.oneof(
      fc.constantFrom('\n', '\r', '\t', '"', "'", '\\', '#', ' ', '$', '=', '`', '\ufeff', '\u2028', '\x85'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    const value = fc
      .array(character, { maxLength: 30 })
      .map((characters) => characters.join('').replaceAll('\0', ''));
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/).filter(isDotenvName);
    const entries = fc.uniqueArray(fc.record({ name, value }), {
      selector: (entry) => entry.name,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(entries, async (given) => {
        const read = await readDotenv(writeDotenv(given));
        expect(read.problems).toEqual([]);
        expect(read.entries.map(({ name, value }) => ({ name, value }))).toEqual(given);
      }),
      { numRuns: 500 },
    );
  });

  it('never breaks the parser, whatever the input', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (text) => {
        const { entries, problems } = await readDotenv(text);
        expect(entries.every(({ name }) => isDotenvName(name))).toBe(true);
        expect(problems.every(({ line }) => line >= 1)).toBe(true);
      }),
    );
  });
});
