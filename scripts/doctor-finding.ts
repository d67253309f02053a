export interface Finding {
  state: 'ok' | 'warning' | 'failed';
  /** What was looked at. */
  about: string;
  text: string;
  /** What to do; null where nothing is wrong. */
  remedy: string | null;
}

export const ok = (about: string, text: string): Finding => ({ state: 'ok', about, text, remedy: null });

export const warning = (about: string, text: string, remedy: string): Finding => ({
  state: 'warning',
  about,
  text,
  remedy,
});

export const failed = (about: string, text: string, remedy: string): Finding => ({
  state: 'failed',
  about,
  text,
  remedy,
});
