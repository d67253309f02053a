import { basePath } from '@/lib/api-client';

/** The last used connection. A cookie, so that the server can render global pages with it. */
export const LAST_CONNECTION_COOKIE = 'keyward-connection';

/** A cookie for each user of a browser, so that the server renders the menu as it will stay. */
export const menuCookie = (user: string): string => `keyward-menu-${user}`;

export interface Menu {
  /** Entries that the user chose; null for those of the role. */
  pins: readonly string[] | null;
  /** Whether the entries under "More" are shown. */
  more: boolean;
}

const DEFAULT = 'default';

export const menuOf = (cookie: string | undefined): Menu => {
  const [shown, ...pins] = cookie?.split('.') ?? [];
  return { pins: shown && pins[0] !== DEFAULT ? pins : null, more: shown === 'more' };
};

export const cookieOf = ({ pins, more }: Menu): string =>
  [more ? 'more' : 'less', ...(pins ?? [DEFAULT])].join('.');

export const remember = (cookie: string, value: string): void => {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `${cookie}=${value}; path=${basePath() || '/'}; max-age=31536000; samesite=lax`;
};
