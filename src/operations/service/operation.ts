import { Type } from 'typebox';
import { defineOperation, ok, type Operation } from '../../http/operation.ts';
import type { Services, Settings } from '../services.ts';

const strict = { additionalProperties: false };
const Check = Type.Union([Type.Literal('ok'), Type.Literal('down'), Type.Literal('not_configured')]);

const Readiness = Type.Object(
  {
    status: Type.Union([Type.Literal('ready'), Type.Literal('not_ready')]),
    checks: Type.Object(
      { store: Check, decisions: Check, chat: Check, search: Check, embeddings: Check },
      strict,
    ),
  },
  strict,
);

const common = {
  group: 'service',
  method: 'GET',
  credentials: 'none',
  surface: 'plain',
  buckets: [],
} as const;

/** What a person, a load balancer and a tool ask a server about itself. Contract 15. */
export function serviceOperations(settings: Settings): readonly Operation<Services>[] {
  return [
    defineOperation({
      ...common,
      id: 'getService',
      summary: 'Names this server',
      paths: ['/'],
      responses: {
        200: Type.Object(
          { name: Type.Literal('nestor'), version: Type.String(), openapi: Type.String() },
          strict,
        ),
      },
      handle: () => ok({ name: 'nestor', version: settings.version, openapi: '/openapi.json' }),
    }),
    defineOperation({
      ...common,
      id: 'getHealth',
      summary: 'Tells that the process serves; touches no backend',
      paths: ['/healthz'],
      responses: { 200: Type.Object({ status: Type.Literal('ok') }, strict) },
      handle: () => ok({ status: 'ok' }),
    }),
    defineOperation({
      ...common,
      id: 'getReadiness',
      summary: 'Tells whether every configured part works',
      paths: ['/readyz'],
      responses: { 200: Readiness, 503: Readiness },
      handle(_call, services: Services) {
        const checks = services.health();
        const ready = !Object.values(checks).includes('down');
        const body = { status: ready ? 'ready' : 'not_ready', checks };
        return ready ? ok(body) : { status: 503, headers: {}, body };
      },
    }),
    defineOperation({
      ...common,
      id: 'getOpenApi',
      summary: 'Describes every operation',
      paths: ['/openapi.json'],
      responses: { 200: Type.Object({ openapi: Type.Literal('3.1.0') }) },
      handle: ({ origin }, services: Services) =>
        ok({ ...services.openapi(), servers: [{ url: settings.publicUrl ?? origin }] }),
    }),
  ];
}
