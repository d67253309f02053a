/** How the empty name of a variable is written: names stand in addresses, where nothing cannot. */
export const EMPTY_NAME = '\\x{}';
