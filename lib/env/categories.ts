import { CATEGORIES, type Category } from './schema';

/** The documented names of the publishing platform, and prefixes (`*`) that extend them. */
const PATTERNS: Record<Exclude<Category, 'other'>, readonly string[]> = {
  database: ['DB_URL', 'POSTGRES_*', 'DB_*', 'DATABASE_*'],
  auth: ['JWT_SECRET', 'OAUTH_*', 'JWT_*'],
  redis: ['REDIS_URL', 'REDIS_HOST', 'REDIS_PORT', 'REDIS_*'],
  search: ['SEARCH_API_KEY', 'ELASTICSEARCH_URL', 'SEARCH_*', 'ELASTICSEARCH_*'],
  integrations: ['GOOGLE_ANALYTICS_ID', 'SENTRY_DSN', 'SMTP_*', 'GOOGLE_ANALYTICS_*', 'SENTRY_*'],
  security: ['CORS_ORIGINS', 'ALLOWED_HOSTS', 'CORS_*', 'ALLOWED_*'],
  logging: ['LOG_LEVEL', 'DEBUG', 'LOG_*'],
  features: ['FEATURE_*'],
};

const RULES = Object.entries(PATTERNS).flatMap(([category, patterns]) =>
  patterns.map((pattern) => ({ category: category as Category, pattern })),
);

const fits = (name: string, pattern: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** Category by name; case-sensitive, as applications look names up. */
export const categoryOf = (name: string): Category =>
  RULES.find(({ pattern }) => fits(name, pattern))?.category ?? 'other';

/** Items by category, in the order of `CATEGORIES` with `other` last. */
export const inCategories = <T extends { category: Category }>(items: readonly T[]) =>
  CATEGORIES.map((category) => ({
    category,
    variables: items.filter((item) => item.category === category),
  })).filter(({ variables }) => variables.length > 0);
