import { expect, it } from 'vitest';
import { dispatcher, type Place } from './dispatch';
import { declareRoute } from './routes';

/** Answers with what it is and the parameters it got. */
const place = (method: string, path: string): Place => ({
  method,
  path,
  handler: declareRoute(null, async (request, params) =>
    Response.json({ at: `${request.method} ${path}`, params }),
  ),
});

const things = dispatcher([
  place('GET', '/api/v1/things/{id}'),
  place('PUT', '/api/v1/things/{id}'),
  place('GET', '/api/v1/things/export'),
  place('POST', '/api/v1/things'),
  place('DELETE', '/api/v1/{kind}/{id}/parts/{part}'),
]);

const ask = (path: string, method = 'GET') => things(new Request(`http://127.0.0.1${path}`, { method }));
const answer = async (path: string, method?: string) => (await ask(path, method)).json();

it.each([
  ['as it stands', 'x', 'x'],
  ['decoded once', 'a%252Fb', 'a%2Fb'],
  ['with an encoded slash', 'a%2Fb', 'a/b'],
  ['with what a path may contain', "a;b=c,d@e+f!$&'()*:~", "a;b=c,d@e+f!$&'()*:~"],
  ['beyond ASCII', '%D1%84%00%F0%9F%94%91', 'ф\0🔑'],
  ['named like a field of every object', '__proto__', '__proto__'],
])('takes a parameter %s', async (_, sent, taken) => {
  expect(await answer(`/api/v1/things/${sent}`)).toEqual({
    at: 'GET /api/v1/things/{id}',
    params: { id: taken },
  });
});

it('takes several parameters', async () => {
  expect(await answer('/api/v1/a/b/parts/c?part=d', 'DELETE')).toMatchObject({
    params: { kind: 'a', id: 'b', part: 'c' },
  });
});

it('prefers literals to parameters, and never takes an encoded one for a literal', async () => {
  expect(await answer('/api/v1/things/export')).toMatchObject({ at: 'GET /api/v1/things/export' });
  expect(await answer('/api/v1/things/%65xport')).toMatchObject({ params: { id: 'export' } });
});

it.each([
  '/api/v1',
  '/api/v1/things/',
  '/api/v1/things/x/y',
  '/api/v1//x',
  '/api/v1/Things/x',
  '/api/v1/%74hings/x',
  '/api/v1/{kind}/x/parts/',
  '/elsewhere',
])('knows nothing at %s', async (path) => {
  for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS'])
    expect([method, (await ask(path, method)).status]).toEqual([method, 404]);
  expect(await answer(path)).toMatchObject({ code: 'not_found', status: 404 });
});

it('names the methods of a path in Allow, for OPTIONS and for others', async () => {
  const options = await ask('/api/v1/things/x', 'OPTIONS');
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS, PUT']);
  const other = await ask('/api/v1/things/x', 'PATCH');
  expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS, PUT']);
  expect(await other.json()).toMatchObject({ code: 'method_not_allowed', allow: 'GET, HEAD, OPTIONS, PUT' });
  // A literal hides the parameters' methods, as a folder of its own did.
  expect((await ask('/api/v1/things/export', 'PUT')).status).toBe(405);
  expect((await ask('/api/v1/things', 'HEAD')).headers.get('allow')).toBe('OPTIONS, POST');
});

it('gives HEAD to GET, which sees that it is one', async () => {
  expect(await answer('/api/v1/things/x', 'HEAD')).toMatchObject({ at: 'HEAD /api/v1/things/{id}' });
});

it('refuses a parameter that is not UTF-8', async () => {
  expect(await answer('/api/v1/things/%ff')).toMatchObject({ code: 'bad_input', status: 400 });
});

it.each([
  ['declared twice', [place('GET', '/a'), place('GET', '/a')]],
  ['the same but for a parameter’s name', [place('GET', '/{a}'), place('PUT', '/{b}')]],
])('does not start with a place %s', (_, places) => {
  expect(() => dispatcher(places)).toThrow();
});
