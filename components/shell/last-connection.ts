/** The last used connection. A cookie, so that the server can render global pages with it. */
export const LAST_CONNECTION_COOKIE = 'keyward-connection';
