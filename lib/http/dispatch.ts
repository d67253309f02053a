import 'server-only';
import { notFound, Problem } from '@/lib/errors';
import { declareRoute, type RouteHandler } from './routes';

/** A route at a path template: `/api/v1/users/{id}`. */
export interface Place {
  method: string;
  path: string;
  handler: RouteHandler;
}

interface Resource {
  path: string;
  segments: readonly string[];
  handlers: Map<string, RouteHandler>;
}

const parameterIn = (segment: string): string | undefined => /^\{(\w+)\}$/.exec(segment)?.[1];

/** Equal for templates that match the same paths. */
const shapeOf = (segments: readonly string[]): string =>
  segments.map((segment) => (parameterIn(segment) ? '{}' : segment)).join('/');

/**
 * Resources sorted so that literals precede parameters at the first difference: the first match is then the right one.
 */
const resourcesOf = (places: readonly Place[]): Resource[] => {
  const byShape = new Map<string, Resource>();
  for (const { method, path, handler } of places) {
    const segments = path.split('/').slice(1);
    const shape = shapeOf(segments);
    const resource = byShape.get(shape) ?? { path, segments, handlers: new Map() };
    if (resource.path !== path) throw new Error(`${path} and ${resource.path} match the same paths.`);
    if (resource.handlers.has(method)) throw new Error(`${method} ${path} is declared twice.`);
    resource.handlers.set(method, handler);
    byShape.set(shape, resource);
  }
  // A brace sorts after every character of the literals.
  return [...byShape].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, resource]) => resource);
};

/** The path's parameters, still encoded; null where the path does not match. */
const match = ({ segments }: Resource, path: readonly string[]): [string, string][] | null => {
  if (segments.length !== path.length) return null;
  const parameters: [string, string][] = [];
  for (const [index, segment] of segments.entries()) {
    const name = parameterIn(segment);
    const given = path[index]!;
    if (name && given !== '') parameters.push([name, given]);
    else if (segment !== given) return null;
  }
  return parameters;
};

/** Rejects where a parameter cannot be decoded, so that the operation answers 400. */
const decoded = async (encoded: readonly [string, string][]): Promise<Record<string, string>> => {
  try {
    return Object.fromEntries(encoded.map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    throw new Problem('bad_input', 'The path is not valid percent-encoded UTF-8.');
  }
};

const allowOf = ({ handlers }: Resource): string =>
  [...handlers.keys(), ...(handlers.has('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ');

const refusing = (problem: Problem): RouteHandler => declareRoute(null, () => Promise.reject(problem));

const NOTHING = refusing(notFound('This operation'));

const handlerOf = (resource: Resource, method: string): RouteHandler => {
  const handler = resource.handlers.get(method === 'HEAD' ? 'GET' : method);
  const allow = allowOf(resource);
  if (method === 'OPTIONS') return async () => new Response(null, { status: 204, headers: { allow } });
  return (
    handler ??
    refusing(new Problem('method_not_allowed', 'Use a method of Allow.', { extensions: { allow } }))
  );
};

/**
 * One handler for all routes. Parameters are decoded once; literals take precedence over parameters; HEAD is a GET
 * whose body Next drops; OPTIONS and 405 list the methods in `Allow`. Throws for two routes that match the same
 * requests.
 */
export const dispatcher = (places: readonly Place[]): ((request: Request) => Promise<Response>) => {
  const resources = resourcesOf(places);
  return async (request) => {
    // Next has removed the base path.
    const path = new URL(request.url).pathname.split('/').slice(1);
    for (const resource of resources) {
      const encoded = match(resource, path);
      if (encoded) return handlerOf(resource, request.method)(request, { params: decoded(encoded) });
    }
    return NOTHING(request, { params: Promise.resolve({}) });
  };
};
