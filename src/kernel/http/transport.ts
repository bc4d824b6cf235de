import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Fault } from '../faults.ts';
import type { Ids } from '../kit/ids.ts';
import { surfaceOfUnknown, toErrorBody, type Surface } from './error-dialects.ts';
import { credentialsOn, type Operation } from './operation.ts';
import { faultHeaders, idHeaders } from './headers.ts';
import { createRunner, type PipelineDependencies, type RunOperation } from './pipeline.ts';
import { sendClosing } from './raw-reply.ts';
import { sendJson } from './reply.ts';
import { openUpgrades, upgradesOf, type SocketRoute } from './sockets/upgrades.ts';
import { WrongKeys } from './wrong-keys.ts';

const noCompiler = (): never => {
  throw new Error('operations are not validated by Fastify');
};

const noHandler = (): never => {
  throw new Error('operations run before the handlers of Fastify');
};

interface TransportOptions {
  /** Allowed origins of browsers; none switches CORS off. */
  readonly corsOrigins: readonly string[];
}

const exposedHeaders =
  'x-request-id, retry-after, retry-after-ms, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-used, x-ratelimit-reset';

/** Routes operations on Fastify, used for routing, `inject` and listening only. */
export function createTransport<Services>(
  operations: readonly Operation<Services>[],
  dependencies: PipelineDependencies<Services>,
  options: TransportOptions,
): FastifyInstance {
  const sockets = new Map<string, SocketRoute<Services>>();
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    // For 64 MiB on a slow line; silence is limited in body.ts.
    requestTimeout: 600_000,
    forceCloseConnections: 'idle',
    // Requests on open connections are answered while the server stops.
    return503OnClosing: false,
    // Node answers a missing Host with an empty reply; see `namesOneHost`.
    http: { requireHostHeader: false, shouldUpgradeCallback: upgradesOf(sockets) },
    clientErrorHandler: (error, socket) => {
      refuseConnection(error, socket, dependencies.ids);
    },
    frameworkErrors: (_error, _request, reply) => {
      reply.hijack();
      refuse(reply.raw, dependencies, 'plain', new Fault('not_found'));
    },
    // As long as a request line: operations report bad parameters themselves.
    routerOptions: { maxParamLength: 16_384 },
    // Its own compilers are 130 modules that nothing here uses: the pipeline validates, and `reply` writes.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    rewriteUrl: (request) => toOriginForm(request.url ?? '/'),
  });
  // Node answers unknown expectations with an empty 417; they are ignored here.
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    app.server.emit('request', request, response);
  });
  const paths = pathTable(operations);
  // Requests go no further in Fastify, which would look at their bodies and refuse some in its own words.
  app.addHook('onRequest', (request, reply) => {
    reply.hijack();
    const isWellFormed = namesOneHost(request.raw);
    const { run } = request.routeOptions.config as RouteConfig;
    if (isWellFormed && run !== undefined) {
      run(request, reply);
      return;
    }
    const path = decodePath(request.url.split('?', 1)[0] ?? '');
    const known = findPath(paths, path);
    const surface = known?.surface ?? surfaceOfUnknown(path);
    if (!isWellFormed) refuse(reply.raw, dependencies, surface, new Fault('invalid_value', hostMessage));
    else if (known === undefined) refuse(reply.raw, dependencies, surface, new Fault('not_found'));
    else refuseMethod(request.raw, reply.raw, dependencies, known, options);
  });
  const wrongKeys = new WrongKeys();
  for (const operation of operations) {
    const run = createRunner(operation, dependencies, wrongKeys);
    addRoutes(app, operation, run, dependencies, options);
    const { socket: form, paths: own } = operation;
    if (form !== undefined) for (const path of own) sockets.set(path, { operation, form, run });
  }
  openUpgrades(app, sockets, dependencies, wrongKeys);
  return app;
}

/** Without one, nothing has this path and method. */
interface RouteConfig {
  readonly run?: (request: FastifyRequest, reply: FastifyReply) => void;
}

function addRoutes<Services>(
  app: FastifyInstance,
  operation: Operation<Services>,
  runOperation: RunOperation,
  dependencies: PipelineDependencies<Services>,
  options: TransportOptions,
): void {
  for (const path of operation.paths) {
    const run = (request: FastifyRequest, reply: FastifyReply): void => {
      allowOrigin(request.raw, reply.raw, options);
      const mark = request.url.indexOf('?');
      const params = request.params as Readonly<Record<string, string>>;
      // The router matches `/things/` with an empty name.
      if (Object.values(params).includes('')) {
        refuse(reply.raw, dependencies, surfaceOfUnknown(path), new Fault('not_found'));
        return;
      }
      runOperation(request.raw, reply.raw, {
        path,
        params,
        query: mark < 0 ? '' : request.url.slice(mark + 1),
      });
    };
    app.route({
      method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { run } satisfies RouteConfig,
      handler: noHandler,
    });
  }
}

interface KnownPath {
  readonly pattern: RegExp;
  readonly surface: Surface;
  readonly takesApiKey: boolean;
  readonly methods: readonly string[];
}

/** Methods by path, for the 405 that the router does not send. */
function pathTable(operations: readonly Operation<never>[]): KnownPath[] {
  const table = new Map<string, Omit<KnownPath, 'pattern' | 'methods'> & { methods: Set<string> }>();
  for (const operation of operations) {
    const { paths, method, surface } = operation;
    for (const path of paths) {
      const takesApiKey = credentialsOn(operation, path) === 'bearer or x-api-key';
      const entry = table.get(path) ?? { surface, takesApiKey, methods: new Set() };
      entry.methods.add(method);
      if (method === 'GET') entry.methods.add('HEAD');
      table.set(path, entry);
    }
  }
  return [...table].map(([path, { methods, ...known }]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    ...known,
    methods: [...methods],
  }));
}

/** Everything that a path takes: one that is spelled out may also be a name of another one. */
function findPath(paths: readonly KnownPath[], path: string): KnownPath | undefined {
  const [first, ...others] = paths.filter(({ pattern }) => pattern.test(path));
  if (first === undefined || others.length === 0) return first;
  const methods = [first, ...others].flatMap((known) => known.methods);
  return { ...first, methods: [...new Set(methods)] };
}

function refuseMethod<Services>(
  request: IncomingMessage,
  response: ServerResponse,
  dependencies: PipelineDependencies<Services>,
  known: KnownPath,
  options: TransportOptions,
): void {
  if (request.method === 'OPTIONS' && allowOrigin(request, response, options)) {
    response.writeHead(204, {
      ...idHeaders(known.surface, dependencies.ids.uuid(), known.takesApiKey),
      'access-control-allow-methods': known.methods.join(', '),
      'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*',
      'access-control-max-age': '600',
    });
    response.end();
    return;
  }
  response.setHeader('allow', known.methods.join(', '));
  refuse(response, dependencies, known.surface, new Fault('method_not_allowed'), known.takesApiKey);
}

function refuse<Services>(
  response: ServerResponse,
  { ids, record }: PipelineDependencies<Services>,
  surface: Surface,
  fault: Fault,
  takesApiKey = false,
): void {
  const requestId = ids.uuid();
  const body = toErrorBody(surface, fault, requestId);
  void sendJson(
    response,
    { status: fault.status, headers: faultHeaders(fault), body },
    idHeaders(surface, requestId, takesApiKey),
  );
  record({
    requestId,
    operation: 'none',
    status: fault.status,
    durationMs: 0,
    account: null,
    key: null,
    billing: null,
    fault,
  });
}

function allowOrigin(request: IncomingMessage, response: ServerResponse, options: TransportOptions): boolean {
  const { origin } = request.headers;
  if (origin === undefined || options.corsOrigins.length === 0) return false;
  const allowed = options.corsOrigins.includes('*') || options.corsOrigins.includes(origin);
  response.setHeader('vary', 'Origin');
  if (!allowed) return false;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', exposedHeaders);
  return true;
}

/** Decodes like the router: encoded slashes and question marks stay encoded. */
function decodePath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

const hostMessage = 'The request must have one Host header';

/** Servers disagree about two Host headers. HTTP/1.0 has none. */
function namesOneHost({ rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'host') hosts++;
  return hosts === 1 || (hosts === 0 && httpVersionMinor === 0);
}

/** Clients that take this server for a proxy send `GET http://host/path`. */
function toOriginForm(url: string): string {
  if (url.startsWith('/')) return url;
  try {
    const { pathname, search } = new URL(url);
    return pathname + search;
  } catch {
    return '/'.concat(url);
  }
}

/** Answers invalid or incomplete HTTP. */
function refuseConnection(error: Error & { code?: string }, socket: Duplex, ids: Ids): void {
  if (error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const fault =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new Fault('headers_too_large')
      : new Fault('invalid_value', 'The request is not valid HTTP', { cause: error });
  const requestId = ids.uuid();
  sendClosing(socket, {
    status: fault.status,
    headers: { ...idHeaders('plain', requestId), ...faultHeaders(fault) },
    body: toErrorBody('plain', fault, requestId),
  });
}
