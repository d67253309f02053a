/** The connection used last. A cookie, so the server can render global pages with it. */
export const LAST_CONNECTION_COOKIE = 'keyward-connection';
