import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { forgetEnv } from './configuration';
import { log, logBroken } from './log';

let printed: string[] = [];
beforeEach(() => {
  printed = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(`out ${text}`) > 0);
  for (const level of ['warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation((text: string) => void printed.push(`${level} ${text}\n`));
});
afterEach(() => {
  vi.restoreAllMocks();
  delete process.env.KEYWARD_LOG_FORMAT;
  forgetEnv();
});

const configure = (format: string): void => {
  process.env.REDIS_URL = 'redis://127.0.0.1:1';
  process.env.KEYWARD_LOG_FORMAT = format;
  forgetEnv();
};

it('prints text for people, without the fields', () => {
  configure('text');
  log('info', 'Started.', { requestId: 'a' });
  log('warn', 'Warning: x.');
  log('error', 'y.');
  expect(printed).toEqual(['out Started.\n', 'warn Warning: x.\n', 'error y.\n']);
});

it('prints one line of JSON, whatever is in the message', () => {
  configure('json');
  log('warn', 'two\nlines "quoted" \u2028', { requestId: 'a', durationMs: 3 });
  logBroken('request a', new TypeError('SET session:7 secret'));
  expect(printed).toHaveLength(2);
  for (const line of printed) expect(line.trimEnd()).not.toContain('\n');
  const [first, second] = printed.map(
    (line) => JSON.parse(line.slice('out '.length)) as Record<string, unknown>,
  );
  expect(first).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    level: 'warn',
    message: 'two\nlines "quoted" \u2028',
    requestId: 'a',
    durationMs: 3,
  });
  expect(second).toMatchObject({
    level: 'error',
    message: expect.stringMatching(/^request a broke: TypeError\n/),
  });
  expect(printed.join()).not.toContain('secret');
});

it('prints text where the configuration is wrong', () => {
  configure('xml');
  log('error', 'KEYWARD_LOG_FORMAT: found "xml"');
  expect(printed).toEqual(['error KEYWARD_LOG_FORMAT: found "xml"\n']);
});
