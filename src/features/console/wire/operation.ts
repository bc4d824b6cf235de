import { Type } from 'typebox';
import { Fault } from '../../../kernel/faults.ts';
import { bytes, defineOperation, type Operation, type Reply } from '../../../kernel/http/operation.ts';
import type { Services } from '../../../kernel/feature.ts';

const common = {
  group: 'service',
  method: 'GET',
  surface: 'plain',
  credentials: 'none',
  buckets: [],
} as const;

const shield = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Nothing from elsewhere, nothing inline but the styles that carry the nonce of this very page. */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** As in console/src/pages.tsx: the page for no page comes with 404. */
export const pageNames: ReadonlySet<string> = new Set([
  'agent',
  'batches',
  'chat',
  'decide',
  'deciders',
  'docs',
  'documents',
  'first-steps',
  'index',
  'jobs',
  'keys',
  'models',
  'search',
  'skills',
  'usage',
]);

const notBuilt = `<!doctype html><html lang="en"><title>Nestor</title>
<h1>The console was not built</h1><p>In a clone, run <code>npm run console</code>. The rest of this server works.</p></html>
`;

/** The web console: its page under every address that a page of it has, and its files. Public, and holds no data. */
export const consolePages: readonly Operation<Services>[] = [
  defineOperation({
    ...common,
    id: 'getConsole',
    summary: 'The web console, as a page',
    paths: [
      '/console',
      '/console/{page}',
      '/console/deciders/{decider}',
      '/console/batches/{batch}',
      '/console/docs/{section}/{page}',
    ],
    responses: { 200: Type.Unsafe({ type: 'string', contentMediaType: 'text/html' }) },
    async handle({ params: { page: name, section } }, { console: files, ids }: Services): Promise<Reply> {
      const nonce = ids.secret(16);
      const page = await files.page(nonce);
      const reply = bytes(Buffer.from(page ?? notBuilt), 'text/html; charset=utf-8', {
        ...shield,
        'content-security-policy': policyOf(nonce),
        'cache-control': 'no-store',
      });
      if (page === null) return { ...reply, status: 503 };
      // Pages with a section are documents.
      const isKnown = name === undefined || section !== undefined || pageNames.has(name);
      return isKnown ? reply : { ...reply, status: 404 };
    },
  }),
  defineOperation({
    ...common,
    id: 'getConsoleFile',
    summary: 'A file of the web console',
    paths: ['/console/assets/{file}'],
    responses: { 200: Type.Unsafe({ type: 'string', contentMediaType: 'application/octet-stream' }) },
    async handle({ params, headers }, { console: files }: Services): Promise<Reply> {
      const file = await files.asset(params['file'] ?? '', String(headers['accept-encoding'] ?? ''));
      if (file === null) throw new Fault('not_found', 'file not found');
      return bytes(file.bytes, file.contentType, {
        ...shield,
        vary: 'accept-encoding',
        // The name changes with the content.
        'cache-control': 'public, max-age=31536000, immutable',
        ...(file.contentEncoding === undefined ? {} : { 'content-encoding': file.contentEncoding }),
      });
    },
  }),
];
