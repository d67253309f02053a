import { expect, it } from 'vitest';
import { EDITABLE_TYPES } from '@/lib/key-values/schema';
import { NO_ROW, wireValue } from './new-value';

it.each(EDITABLE_TYPES)('a %s gets its value as it was entered, line breaks and spaces too', (type) => {
  for (const text of ['-----BEGIN KEY-----\nMIIE\n', 'a\r\nb', ' a  b\t']) {
    const rows = [{ ...NO_ROW, field: 'f', value: text, score: type === 'zset' ? '1' : '' }];
    expect(JSON.stringify(wireValue({ type, text, rows }))).toContain(JSON.stringify({ text }));
  }
});
