import auth from './en/auth.json';
import charts from './en/charts.json';
import overview from './en/overview.json';
import patterns from './en/patterns.json';
import shell from './en/shell.json';
import table from './en/table.json';

/** One namespace a file; a domain adds its file here and nowhere else. */
export const messages = { auth, charts, overview, patterns, shell, table };
