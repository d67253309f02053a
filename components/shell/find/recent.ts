/** What was opened from the search, newest first. Only in this tab: labels may be names of people. */
export interface Recent {
  label: string;
  href: string;
}

const MAX_ENTRIES = 6;
const nameOf = (user: string): string => `keyward-recent-${user}`;

const isRecent = (value: unknown): value is Recent => {
  const { label, href } = (value ?? {}) as Partial<Recent>;
  return typeof label === 'string' && typeof href === 'string' && /^\/(?![/\\])/.test(href);
};

/** Empty where the browser keeps nothing, or something else is stored. */
export const recentOf = (user: string): Recent[] => {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(nameOf(user)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRecent).slice(0, MAX_ENTRIES) : [];
  } catch {
    return [];
  }
};

export const addRecent = (user: string, { label, href }: Recent): void => {
  const rest = recentOf(user).filter((other) => other.href !== href);
  try {
    sessionStorage.setItem(nameOf(user), JSON.stringify([{ label, href }, ...rest].slice(0, MAX_ENTRIES)));
  } catch {
    // The search works without it.
  }
};
