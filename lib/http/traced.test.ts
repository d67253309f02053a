import { expect, it } from 'vitest';
import { isFile, pageRoute } from './traced';

it.each([
  ['/main/keys', 200, '/{connection}/keys'],
  ['/main/keys/c2VjcmV0OmtleQ', 200, '/{connection}/keys'],
  ['/users', 200, '/users'],
  ['/main/whatever-somebody-typed', 404, null],
  ['/main/keys', 307, null],
  ['/', 200, null],
])('names %s, answered with %i, %s', (path, status, route) => {
  expect(pageRoute(path, status)).toBe(route);
});

it.each([
  ['/_next/static/chunks/a.js', true],
  ['/catalog.schema.json', true],
  ['/grafana/keyward.json', true],
  ['/api/v1/connections/main/keys/a.json', false],
  ['/main/keys/user.json', false],
  ['/main/overview', false],
])('serves %s without a span: %s', (path, file) => {
  expect(isFile(path)).toBe(file);
});
