import { Type } from 'typebox';
import { Fault } from '../../../kernel/faults.ts';
import { bytes, defineOperation, ok, type Operation, type Reply } from '../../../kernel/http/operation.ts';
import type { PageName } from '../site/navigation.ts';
import type { Services, Settings } from '../../../kernel/feature.ts';
import { Strict } from '../../../kernel/kit/schema.ts';

const Check = Type.Union([Type.Literal('ok'), Type.Literal('down'), Type.Literal('not_configured')]);

const Ledger = Strict({
  backlog_rows: Type.Integer({ minimum: 0, description: 'Rows that wait for the database.' }),
  backlog_bytes: Type.Integer({
    minimum: 0,
    description: 'The same on disk, with what servers left that ended. Unit: bytes.',
  }),
  backlog_age_s: Type.Number({ minimum: 0, description: 'How long the oldest row waits. Unit: s.' }),
  set_aside: Type.Integer({ minimum: 0, description: 'Rows set aside since the start.' }),
  lost: Type.Integer({ minimum: 0, description: 'Rows lost since the start.' }),
  refused: Type.Integer({
    minimum: 0,
    description: 'Requests refused since the start for want of room.',
  }),
});

const Readiness = Strict({
  status: Type.Union([Type.Literal('ready'), Type.Literal('not_ready')]),
  stopping: Type.Boolean({ description: 'The server still serves and will soon take no new connection.' }),
  checks: Strict({
    store: Check,
    ledger: Check,
    redis: Type.Union([Type.Literal('ok'), Type.Literal('degraded'), Type.Literal('not_configured')], {
      description: 'degraded: each process counts rate limits by itself until Redis answers again.',
    }),
    decisions: Check,
    chat: Check,
    search: Check,
    embeddings: Check,
  }),
  ledger: Ledger,
});

const Sections = Strict({
  sections: Type.Array(Type.Array(Type.String(), { minItems: 4, maxItems: 4 }), {
    description:
      'Of each heading its address, the title of its page, the heading itself, and the words below it.',
  }),
});

const common = {
  group: 'service',
  method: 'GET',
  credentials: 'none',
  surface: 'plain',
  buckets: [],
} as const;

const page = {
  ...common,
  params: Type.Object({
    page: Type.String({ description: 'Its name without extension, such as `agent`.' }),
  }),
  responses: { 200: Type.Unsafe({ type: 'string', contentMediaType: 'text/markdown' }) },
} as const;

/**
 * The pages that answers about Nestor itself cite: the Markdown that was indexed, and for browsers the same as HTML.
 * Public, like the paths of health.
 */
const documentationOperations: readonly Operation<Services>[] = [
  defineOperation({
    ...page,
    id: 'getDocument',
    summary: 'A page of the documentation of this server: HTML for browsers, else Markdown',
    paths: ['/docs/guide/{page}', '/docs/{page}'],
    handle: ({ params, headers }, services: Services) =>
      answerPage(
        { section: params.page === 'README' ? null : 'guide', page: params.page },
        headers,
        services,
      ),
  }),
  defineOperation({
    ...common,
    id: 'getDocumentSections',
    summary: 'What the search of the pages of the documentation looks in',
    paths: ['/docs/sections.json'],
    responses: { 200: Sections },
    handle: async (_call, { site }: Services) =>
      bytes(await site.sections(), 'application/json; charset=utf-8', {
        ...shield,
        'cache-control': 'public, max-age=300',
      }),
  }),
  defineOperation({
    ...page,
    id: 'getReferencePage',
    summary: 'A page of the reference of the operations: HTML for browsers, else Markdown',
    paths: ['/docs/reference/{page}'],
    handle: ({ params, headers }, services: Services) =>
      answerPage({ section: 'reference', page: params.page }, headers, services),
  }),
];

/** What a person, a load balancer and a tool ask a server about itself. Contract 15. */
export function serviceOperations(settings: Settings): readonly Operation<Services>[] {
  return [
    ...documentationOperations,
    defineOperation({
      ...common,
      id: 'getService',
      summary: 'Names this server',
      paths: ['/'],
      responses: {
        200: Strict({ name: Type.Literal('nestor'), version: Type.String(), openapi: Type.String() }),
      },
      handle: () => ok({ name: 'nestor', version: settings.version, openapi: '/openapi.json' }),
    }),
    defineOperation({
      ...common,
      id: 'getHealth',
      summary: 'Tells that the process serves; touches no backend',
      paths: ['/healthz'],
      responses: { 200: Strict({ status: Type.Literal('ok') }) },
      handle: () => ok({ status: 'ok' }),
    }),
    defineOperation({
      ...common,
      id: 'getReadiness',
      summary: 'Tells whether every configured part works',
      paths: ['/readyz'],
      responses: { 200: Readiness, 503: Readiness },
      async handle(_call, services: Services) {
        const { isReady, isStopping, checks } = await services.readiness();
        const { backlogRows, backlogBytes, backlogAgeMs, setAside, lost, refused } = services.ledger();
        const ledger = {
          backlog_rows: backlogRows,
          backlog_bytes: backlogBytes,
          backlog_age_s: Math.round(backlogAgeMs) / 1_000,
          set_aside: setAside,
          lost,
          refused,
        };
        const status = isReady ? 'ready' : 'not_ready';
        const body = { status, stopping: isStopping, checks, ledger };
        return isReady ? ok(body) : { status: 503, headers: {}, body };
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

const shield = { vary: 'accept', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

/** A page for people, and its Markdown for programs. */
async function answerPage(
  name: PageName,
  { accept }: Readonly<Record<string, string | string[] | undefined>>,
  { documentation, site, ids }: Services,
): Promise<Reply> {
  if (prefersPage(String(accept ?? ''))) {
    const nonce = ids.secret(16);
    const html = await site.page(name, nonce);
    if (html === null) throw new Fault('not_found', 'page not found');
    return bytes(Buffer.from(html), 'text/html; charset=utf-8', {
      ...shield,
      'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
      'cache-control': 'no-store',
    });
  }
  const { section, page } = name;
  const text = await documentation(section === 'reference' ? `reference/${page}` : page);
  if (text === null) throw new Fault('not_found', 'page not found');
  return bytes(text, 'text/markdown; charset=utf-8', { ...shield, 'cache-control': 'public, max-age=300' });
}

/** Browsers name HTML first; programs name Markdown, anything, or nothing. */
const prefersPage = (accept: string): boolean => /^\s?text\/html(?!\s?;\s?q=0(?:[.,;\s]|$))/.test(accept);
