import { describe, expect, it } from 'vitest';
import { dayStart, inputText, offsetText, readInput } from './zoned-time';

const BERLIN = 'Europe/Berlin';
const NEWFOUNDLAND = 'America/St_Johns';
const at = (iso: string) => Date.parse(iso);
const read = (text: string, zone: string) => {
  const { at: time, doubt } = readInput(text, zone);
  return [time === null ? null : new Date(time).toISOString(), doubt];
};

describe('a time of an input', () => {
  it('is read in its zone, and shown again as it was typed', () => {
    expect(read('2026-01-15T14:30', 'UTC')).toEqual(['2026-01-15T14:30:00.000Z', null]);
    expect(read('2026-01-15T14:30', BERLIN)).toEqual(['2026-01-15T13:30:00.000Z', null]);
    expect(read('2026-07-15T14:30:20', BERLIN)).toEqual(['2026-07-15T12:30:20.000Z', null]);
    expect(read('2026-01-15T14:30', NEWFOUNDLAND)).toEqual(['2026-01-15T18:00:00.000Z', null]);
    for (const zone of ['UTC', BERLIN, NEWFOUNDLAND, 'Asia/Kathmandu'])
      for (const text of ['2026-01-01T00:00', '2026-06-30T23:59', '2024-02-29T12:00'])
        expect(inputText(readInput(text, zone).at, zone)).toBe(text);
  });

  it('is none while it is not complete, and on days that do not exist', () => {
    for (const text of ['', '2026-01-15', '2026-02-31T10:00', '2026-01-15T25:00', 'soon'])
      expect(read(text, BERLIN)).toEqual([null, null]);
    expect(inputText(null, BERLIN)).toBe('');
  });

  it('says when the clocks skip it, and takes it as long after the change', () => {
    expect(read('2026-03-29T02:30', BERLIN)).toEqual(['2026-03-29T01:30:00.000Z', 'skipped']);
    expect(inputText(at('2026-03-29T01:30:00Z'), BERLIN)).toBe('2026-03-29T03:30');
    expect(read('2026-03-29T03:00', BERLIN)).toEqual(['2026-03-29T01:00:00.000Z', null]);
    expect(read('2026-03-29T02:30', 'UTC')).toEqual(['2026-03-29T02:30:00.000Z', null]);
  });

  it('says when the clocks show it twice, and takes the first', () => {
    expect(read('2026-10-25T02:30', BERLIN)).toEqual(['2026-10-25T00:30:00.000Z', 'repeated']);
    expect(read('2026-10-25T03:00', BERLIN)).toEqual(['2026-10-25T02:00:00.000Z', null]);
    expect(read('2026-11-01T01:30', NEWFOUNDLAND)).toEqual(['2026-11-01T04:00:00.000Z', 'repeated']);
  });
});

it('names the offset of the day, not of today', () => {
  expect(offsetText(at('2026-01-15T12:00:00Z'), BERLIN)).toBe('UTC+1');
  expect(offsetText(at('2026-07-15T12:00:00Z'), BERLIN)).toBe('UTC+2');
  expect(offsetText(at('2026-01-15T12:00:00Z'), NEWFOUNDLAND)).toBe('UTC−3:30');
  expect(offsetText(at('2026-01-15T12:00:00Z'), 'UTC')).toBe('UTC');
});

it('knows when a day began, also where the clocks changed', () => {
  const start = (iso: string, zone: string, before?: number) =>
    new Date(dayStart(at(iso), zone, before)).toISOString();
  expect(start('2026-11-29T18:00:00Z', 'UTC')).toBe('2026-11-29T00:00:00.000Z');
  expect(start('2026-11-29T23:30:00Z', BERLIN)).toBe('2026-11-29T23:00:00.000Z');
  expect(start('2026-03-30T10:00:00Z', BERLIN)).toBe('2026-03-29T22:00:00.000Z');
  expect(start('2026-03-30T10:00:00Z', BERLIN, 1)).toBe('2026-03-28T23:00:00.000Z');
  expect(start('2026-01-03T10:00:00Z', 'Asia/Kathmandu', 6)).toBe('2025-12-27T18:15:00.000Z');
});
