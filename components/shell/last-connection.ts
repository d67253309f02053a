/** Remembers the connection a user used last; read by the server so that global pages do not flicker. */
export const LAST_CONNECTION_COOKIE = 'keyward-connection';
