import { describe, expect, it } from 'vitest';
import { changeOf, eventOf, familyChange, minute } from '@/scripts/testing/hit-rate-change';
import { answerOf, eventBefore } from './drop-answer';

describe('the answer to a drop', () => {
  it('is the family with the largest certain share, and the event just before', () => {
    const other = familyChange('authors', { share: 0.1 });
    expect(answerOf(changeOf({ families: [familyChange('shouts'), other] }))).toMatchObject({
      kind: 'family',
      share: 0.82,
      certain: true,
      family: { family: 'shouts' },
      event: { at: minute(13) },
    });
  });

  it('prefers a certain family to a larger share within noise', () => {
    const noise = familyChange('noise', { share: 0.6, certain: false });
    const sure = familyChange('sure', { share: 0.3 });
    expect(answerOf(changeOf({ families: [noise, sure] }))).toMatchObject({ family: { family: 'sure' } });
    expect(answerOf(changeOf({ families: [noise] }))).toMatchObject({ certain: false, event: null });
  });

  it('says when there is nothing to compare', () => {
    const windows = (before: number, now: number) => ({
      before: { taken: before, seconds: before },
      now: { taken: now, seconds: now },
    });
    expect(answerOf(changeOf({ windows: windows(0, 5) }))).toEqual({ kind: 'notObserved', period: 'before' });
    expect(answerOf(changeOf({ windows: windows(0, 0) }))).toEqual({ kind: 'notObserved', period: 'both' });
    const tooFew = [familyChange('few', { share: null, certain: false })];
    expect(answerOf(changeOf({ families: [], tooFew }))).toEqual({ kind: 'tooFew' });
    expect(answerOf(changeOf({ families: [familyChange('a', { share: 0 })] }))).toEqual({
      kind: 'noIncrease',
    });
  });

  it('needs no windows for families with counters', () => {
    const windows = { before: { taken: 0, seconds: 0 }, now: { taken: 0, seconds: 0 } };
    const families = [familyChange('shouts', { source: 'counters' })];
    expect(answerOf(changeOf({ windows, families }))).toMatchObject({ kind: 'family' });
  });
});

it('blames no family within noise where the whole server misses less', () => {
  const families = [familyChange('shouts', { certain: false, share: 0.35 })];
  const instance = { ...changeOf({ families }).instance, additionalMissesPerSecond: -0.1 };
  expect(answerOf(changeOf({ families }))).toMatchObject({ kind: 'family', certain: false });
  expect(answerOf(changeOf({ families, instance }))).toEqual({ kind: 'noIncrease' });
});

describe('the event before a change', () => {
  const lastBefore = (...events: ReturnType<typeof eventOf>[]) =>
    eventBefore(events, 'shouts', minute(14))?.at ?? null;

  it('is the last within five minutes, or a minute after', () => {
    expect(lastBefore(eventOf(minute(8)), eventOf(minute(10)), eventOf(minute(12)))).toBe(minute(12));
    expect(lastBefore(eventOf(minute(8)), eventOf(minute(16)))).toBeNull();
    expect(lastBefore(eventOf(minute(15)))).toBe(minute(15));
  });

  it('is the one about the family itself, and never one about another family', () => {
    expect(lastBefore(eventOf(minute(11), { family: 'shouts' }), eventOf(minute(13)))).toBe(minute(11));
    expect(lastBefore(eventOf(minute(13), { family: 'authors' }))).toBeNull();
  });
});
