import 'server-only';

/**
 * The fields of a line of CLIENT LIST by name. The server refuses spaces and line breaks in what clients call themselves,
 * so no client can write another field or another line.
 */
export const clientFields = (line: string): Map<string, string> => {
  const fields = new Map<string, string>();
  for (const pair of line.split(' ')) {
    const at = pair.indexOf('=');
    if (at > 0) fields.set(pair.slice(0, at), pair.slice(at + 1));
  }
  return fields;
};
