import Router from '@koa/router';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { fieldRoutes } from '../../api/field-compatible/present-routes.ts';
import { type AnyRoute, route } from '../../api/http/route.ts';
import { routeTable } from '../../api/http/route-table.ts';
import { withHttp } from './world.ts';

const test = suite('route table');

/** Returns the result of one router of all routes: the route that is called, and the methods of a path. */
function inOneRouter(routes: readonly AnyRoute[]) {
  const router = new Router();
  for (const { path, method } of routes) router.register(path.replace(/(?<=.)\/$/, ''), [method], () => {});
  return (method: string, path: string) => {
    const matched = router.match(path, method);
    const [layer] = matched.pathAndMethod;
    const methods = matched.path.flatMap((each) => each.methods);
    if (layer === undefined) return { methods };
    return {
      methods,
      route: routes[router.stack.indexOf(layer)],
      params: layer.params(path, layer.captures(path), {}),
    };
  };
}

/** A path as it is meant, and as it may come. */
function spellings(pattern: string): string[] {
  const plain = pattern.replace(/(?<=.)\/$/, '').replace(/:\w+/g, '0123456789abcdef01234567');
  const odd = ['caf%C3%A9', '%E0%A4%A', 'a%2Fb', 'a+b', ':deviceId', '%', 'join'];
  return [
    plain,
    `${plain}/`,
    `${plain}//`,
    `/${plain}`,
    plain.toUpperCase(),
    plain.slice(1),
    `${plain}/more`,
    `${plain}x`,
    plain.slice(0, plain.lastIndexOf('/')),
    plain.replace('/', '//'),
    plain.replace(/(?<=.)\//, '//'),
    ...odd.map((word) => pattern.replace(/:\w+/g, word)),
  ];
}

test('every route is found as one router of all of them finds it, and nothing else is', () =>
  withHttp(async (world) => {
    const routes = [...world.routes, ...fieldRoutes(world.routes)];
    const table = routeTable(routes);
    const all = inOneRouter(routes);
    assert.ok(routes.length > 60, `${routes.length} routes`);
    const paths = [
      '/',
      '//',
      '',
      '*',
      '/nothing',
      '/devices/a/b/c/d',
      ...routes.flatMap(({ path }) => spellings(path)),
    ];
    for (const path of new Set(paths)) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const { methods, ...found } = all(method, path);
        const ours: Partial<typeof found> = table.find(method, path) ?? {};
        assert.is(ours.route, found.route, `${method} ${path}`);
        assert.equal(ours.params, found.params, `${method} ${path}`);
        assert.equal(table.methodsOf(path), methods, `${method} ${path}`);
      }
    }
  }));

test('of two routes that fit the first one is taken, and a route begins with a word', () => {
  const made = (path: string): AnyRoute =>
    route(`GET ${path}`, {
      summary: '',
      access: 'anyone',
      output: z.object({}),
      handle: async () => ({}),
    });
  const [named, any] = [made('/users/join'), made('/users/:userId')];
  assert.is(routeTable([named, any]).find('GET', '/users/join')?.route, named);
  assert.is(routeTable([any, named]).find('GET', '/users/join')?.route, any);
  assert.throws(() => routeTable([made('/:anything')]), /does not begin with a word/);
});

test.run();
