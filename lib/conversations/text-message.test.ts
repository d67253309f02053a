import { describe, expect, it } from 'vitest';
import { parseText } from './text-message';

const AT = Date.parse('2023-08-30T15:04:05Z');
const WRITTEN = '2023-08-30 15:04:05';
const PAIR = ['time', 'content'] as const;
const ROOM = ['sender', 'time', 'content'] as const;

describe('parseText', () => {
  it('reads time and content', () => {
    const read = parseText(`${WRITTEN}|hello`, PAIR);
    expect(read).toEqual({ sender: null, time: WRITTEN, at: AT, content: 'hello', problem: null });
  });

  it('keeps separators in the content', () => {
    expect(parseText(`${WRITTEN}|a|b||c|`, PAIR).content).toBe('a|b||c|');
    expect(parseText(`bob|${WRITTEN}|a|b`, ROOM)).toMatchObject({ sender: 'bob', content: 'a|b' });
  });

  it('keeps a second time in the content', () => {
    const read = parseText(`bob|${WRITTEN}|at|2024-01-01 00:00:00|x`, ROOM);
    expect(read).toMatchObject({ sender: 'bob', at: AT, content: 'at|2024-01-01 00:00:00|x' });
  });

  it('finds the time behind a name that contains the separator', () => {
    const read = parseText(`|bob|the||one|${WRITTEN}|a|b`, ROOM);
    expect(read).toEqual({
      sender: '|bob|the||one',
      time: WRITTEN,
      at: AT,
      content: 'a|b',
      problem: null,
    });
  });

  it('does not take the content for the time', () => {
    const read = parseText(`bob|yesterday|${WRITTEN}`, ROOM);
    expect(read).toMatchObject({ sender: 'bob', time: 'yesterday', content: WRITTEN, problem: 'noTime' });
  });

  it.each(['', 'hello', '{"a":1}'])('takes %j without separator as content', (text) => {
    for (const layout of [PAIR, ROOM])
      expect(parseText(text, layout)).toEqual({
        sender: null,
        time: null,
        at: null,
        content: text,
        problem: 'noSeparator',
      });
  });

  it('takes a text with too few separators as content', () => {
    expect(parseText('bob|hello', ROOM)).toMatchObject({ content: 'bob|hello', problem: 'noSeparator' });
  });

  it('keeps a time that cannot be read', () => {
    const read = parseText('4|hello|you', PAIR);
    expect(read).toEqual({ sender: null, time: '4', at: null, content: 'hello|you', problem: 'noTime' });
  });

  it('reads empty parts', () => {
    expect(parseText('||', ROOM)).toMatchObject({ sender: '', time: '', content: '', problem: 'noTime' });
    expect(parseText(`${WRITTEN}|`, PAIR)).toMatchObject({ content: '', problem: null });
  });

  it('leaves emoji and HTML as they are', () => {
    const read = parseText(`👩‍💻|${WRITTEN}|<b onclick="x">🎉</b>`, ROOM);
    expect(read).toMatchObject({ sender: '👩‍💻', content: '<b onclick="x">🎉</b>' });
  });
});
