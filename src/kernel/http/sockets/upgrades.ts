import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { WebSocketServer } from 'ws';
import { Fault, toFault } from '../../faults.ts';
import { toErrorBody } from '../error-dialects.ts';
import { faultHeaders, idHeaders, readKey } from '../headers.ts';
import { credentialsOn, type Operation, type SocketForm } from '../operation.ts';
import type { PipelineDependencies, RunOperation } from '../pipeline.ts';
import { sendClosing } from '../raw-reply.ts';
import type { WrongKeys } from '../wrong-keys.ts';
import { messageBytesMax, SocketConnection } from './connection.ts';

/** Connections of this process, and of one account. */
const connectionsMax = 1_024;
const perAccountMax = 64;
/** Time for aborted requests to say so. */
const abortGraceMs = 1_000;

export interface SocketRoute<Services> {
  readonly operation: Operation<Services>;
  readonly form: SocketForm;
  readonly run: RunOperation;
}

type Routes<Services> = ReadonlyMap<string, SocketRoute<Services>>;

const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] ?? '/';

/** Which requests become WebSockets; any other `Upgrade` is passed over, as HTTP allows. */
export const upgradesOf =
  (routes: ReadonlyMap<string, unknown>) =>
  (request: IncomingMessage): boolean =>
    request.headers.upgrade?.toLowerCase() === 'websocket' && routes.has(pathOf(request));

/** Opens WebSockets on the paths of operations that are spoken over them, and closes them before the server. */
export function openUpgrades<Services>(
  app: FastifyInstance,
  routes: Routes<Services>,
  dependencies: PipelineDependencies<Services>,
  wrongKeys: WrongKeys,
): void {
  const upgrades = new Upgrades(routes, dependencies, wrongKeys);
  app.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    void upgrades.take(request, socket, head);
  });
  app.addHook('preClose', (done) => {
    upgrades.leave();
    done();
  });
  dependencies.stopping.addEventListener('abort', () => {
    // Connections that are left keep the process by themselves.
    setTimeout(() => upgrades.terminate(), abortGraceMs).unref();
  });
}

class Upgrades<Services> {
  readonly #routes: Routes<Services>;
  readonly #dependencies: PipelineDependencies<Services>;
  readonly #wrongKeys: WrongKeys;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: messageBytesMax,
    perMessageDeflate: false,
    clientTracking: false,
  });
  /** With their accounts. */
  readonly #open = new Map<SocketConnection, string>();
  #isStopping = false;

  constructor(routes: Routes<Services>, dependencies: PipelineDependencies<Services>, wrongKeys: WrongKeys) {
    this.#routes = routes;
    this.#dependencies = dependencies;
    this.#wrongKeys = wrongKeys;
  }

  leave(): void {
    this.#isStopping = true;
    for (const connection of this.#open.keys()) connection.leave();
  }

  terminate(): void {
    for (const connection of this.#open.keys()) connection.terminate();
  }

  /** Never rejects. */
  async take(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const route = this.#routes.get(pathOf(request));
    const onError = () => socket.destroy();
    socket.on('error', onError);
    try {
      if (route === undefined) throw new Fault('not_found');
      const accountId = await this.#admit(request, route.operation);
      socket.off('error', onError);
      this.#upgrade(request, socket, head, route, accountId);
    } catch (error) {
      this.#refuse(socket, route, error);
    }
  }

  /** The account that may open one. Throws Fault. */
  async #admit(request: IncomingMessage, operation: Operation<Services>): Promise<string> {
    if (this.#isStopping) throw new Fault('server_stopping', undefined, { retryAfterMs: 1_000 });
    const key = readKey(request, credentialsOn(operation, pathOf(request)) === 'bearer or x-api-key');
    const principal = key === null ? null : await this.#dependencies.authenticate(key);
    if (principal === null) {
      if (key !== null) await this.#delayWrongKey(request);
      throw new Fault('invalid_api_key');
    }
    const { accountId, denied } = principal;
    if (denied.includes(operation.group)) throw new Fault('permission_denied');
    if (this.#open.size >= connectionsMax)
      throw new Fault('service_unavailable', 'Too many connections are open.');
    if ([...this.#open.values()].filter((owner) => owner === accountId).length >= perAccountMax)
      throw new Fault('rate_limited', `At most ${perAccountMax} connections of an account at a time`);
    return accountId;
  }

  async #delayWrongKey({ socket }: IncomingMessage): Promise<void> {
    const { clock } = this.#dependencies;
    const delayMs = this.#wrongKeys.delayOf(socket.remoteAddress ?? '', clock.monotonic());
    if (delayMs > 0) await delay(delayMs);
  }

  #upgrade(
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    { operation, form, run }: SocketRoute<Services>,
    accountId: string,
  ): void {
    const { remoteAddress = '', localAddress = '', localPort = 0 } = socket;
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const connection: SocketConnection = new SocketConnection(webSocket, {
        path: pathOf(request),
        surface: operation.surface,
        form,
        origin: { headers: request.headers, remoteAddress, localAddress, localPort },
        run,
        newId: () => this.#dependencies.ids.uuid(),
        onClose: () => this.#open.delete(connection),
      });
      this.#open.set(connection, accountId);
      if (this.#isStopping) connection.leave();
    });
  }

  #refuse(socket: Socket, route: SocketRoute<Services> | undefined, error: unknown): void {
    const fault = toFault(error);
    const surface = route?.operation.surface ?? 'plain';
    const requestId = this.#dependencies.ids.uuid();
    sendClosing(socket, {
      status: fault.status,
      headers: { ...idHeaders(surface, requestId), ...faultHeaders(fault) },
      body: toErrorBody(surface, fault, requestId),
    });
  }
}
