import { basePath } from '@/lib/api-client';

/** The last used connection. A cookie, so that the server can render global pages with it. */
export const LAST_CONNECTION_COOKIE = 'keyward-connection';

/** Whether the entries under "More" are shown: a cookie, so that the server renders the menu as it will stay. */
export const MORE_COOKIE = 'keyward-menu-more';

export const remember = (cookie: string, value: string): void => {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `${cookie}=${value}; path=${basePath() || '/'}; max-age=31536000; samesite=lax`;
};
