import { type Family, family } from '../family';
import { anyText, plainText, segment } from '../grammar';

const HOUR = 3600;

const configuration: readonly Family[] = [
  family({
    id: 'discours.env-vars',
    pattern: 'env_vars:{name}',
    examples: ['env_vars:JWT_SECRET', 'env_vars:FEATURE_REGISTRATION', 'env_vars:feature lower <script>'],
    // Tolerant on purpose: badly named variables (lower case, `<script>`, a colon) are in use and must be listed.
    params: { name: plainText },
    type: 'string',
    ttl: 'persistent',
    sensitiveValue: true,
    role: 'variable',
    parts: { name: { param: 'name' }, flag: { param: 'name', prefix: 'FEATURE_' } },
    expectedNames: [
      'DB_URL',
      'JWT_SECRET',
      'REDIS_URL',
      'REDIS_HOST',
      'REDIS_PORT',
      'SEARCH_API_KEY',
      'ELASTICSEARCH_URL',
      'GOOGLE_ANALYTICS_ID',
      'SENTRY_DSN',
      'CORS_ORIGINS',
      'ALLOWED_HOSTS',
      'LOG_LEVEL',
      'DEBUG',
    ],
    title: 'Environment variables',
    purpose: 'Configuration of the application, including feature flags; needs backup.',
  }),
  family({
    id: 'discours.authorizer-env',
    pattern: 'authorizer_env',
    examples: ['authorizer_env'],
    type: 'hash',
    ttl: 'persistent',
    sensitiveValue: true,
    title: 'Authorizer configuration',
    purpose: 'Configuration of the former authorisation service.',
    guarded: true,
  }),
];

/** A lock may concern something without a number, so the last part is any text. */
const temporary: readonly Family[] = [
  family({
    id: 'discours.lock',
    pattern: 'lock:{operation}:{entity_id}',
    examples: ['lock:publish:12'],
    params: { operation: segment, entity_id: plainText },
    type: 'string',
    ttl: { seconds: 30 },
    role: 'lock',
    parts: { operation: { param: 'operation' }, entityId: { param: 'entity_id' }, owner: { value: 'text' } },
    title: 'Locks',
    purpose: 'Prevents an operation on an entity from running twice; contains the owner.',
  }),
  family({
    id: 'discours.state',
    pattern: 'state:{process}:{id}',
    examples: ['state:migration:2024-01'],
    params: { process: segment, id: plainText },
    type: 'hash',
    ttl: { minSeconds: 60, maxSeconds: HOUR },
    role: 'state',
    parts: { process: { param: 'process' }, id: { param: 'id' } },
    title: 'Process states',
    purpose: 'Progress of a process.',
  }),
  family({
    id: 'discours.invalidated',
    pattern: '{key}:invalidated',
    examples: ['feed:invalidated', 'shouts:limit=20:invalidated', 'search_cache:x:invalidated'],
    params: { key: anyText },
    type: 'string',
    ttl: { seconds: 300 },
    innerKey: 'key',
    title: 'Invalidation markers',
    purpose: 'Marks that the key it names was just invalidated.',
    role: 'marker',
  }),
];

export const discoursStateFamilies: readonly Family[] = [...configuration, ...temporary];
