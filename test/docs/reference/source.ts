import { describeApi } from '../../../src/kernel/http/openapi.ts';
import type { BodySpec, Bucket, Operation } from '../../../src/kernel/http/operation.ts';
import { operations } from '../../support/operations.ts';
import { settings } from '../../support/settings.ts';
import type { Schema } from './schema.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: Schema;
}

/** A schema with the media type that it describes. */
export interface Content {
  readonly mediaType: string;
  readonly schema: Schema;
}

/** An operation as `/openapi.json` tells it, with what its declaration says beyond that. */
export interface DescribedOperation {
  readonly id: string;
  readonly group: string;
  readonly method: string;
  /** The canonical path. */
  readonly path: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly credentials: Operation<never>['credentials'];
  readonly surface: Operation<never>['surface'];
  readonly buckets: readonly Bucket[];
  readonly timeoutMs: number | null;
  readonly parameters: readonly Parameter[];
  readonly body: (Content & { readonly required: boolean; readonly bytesMax: number }) | null;
  /** By status; null where a response has no body. */
  readonly responses: Readonly<Record<string, Content | null>>;
}

interface Published {
  readonly paths: Readonly<Record<string, Readonly<Record<string, PublishedOperation>>>>;
}

interface PublishedOperation {
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: PublishedContent };
  readonly responses: Readonly<Record<string, { readonly content?: PublishedContent }>>;
}

type PublishedContent = Readonly<Record<string, { readonly schema: Schema }>>;

/** Every operation of a server with nothing configured but the key of the administration. */
export function describeOperations(): readonly DescribedOperation[] {
  const list: readonly Operation<never>[] = operations({ ...settings, admin: true });
  const info = { title: '', version: '', description: '', groupVersions: {} };
  const { paths } = describeApi(list, info) as Published;
  return list.map((operation) => {
    const [path, ...aliases] = operation.paths;
    const published = paths[path]?.[operation.method.toLowerCase()];
    if (published === undefined) throw new Error(`${operation.id} is not published`);
    const { requestBody, responses } = published;
    const body = toContent(requestBody?.content);
    return {
      id: operation.id,
      group: operation.group,
      method: operation.method,
      path,
      aliases,
      summary: published.summary,
      credentials: operation.credentials,
      surface: operation.surface,
      buckets: [...operation.buckets, ...(operation.bodyBuckets?.buckets ?? [])],
      timeoutMs: operation.timeoutMs ?? null,
      parameters: published.parameters ?? [],
      body: body && {
        ...body,
        required: requestBody?.required === true,
        bytesMax: bytesMaxOf(operation.body),
      },
      responses: Object.fromEntries(
        Object.entries(responses)
          .filter(([status]) => status !== 'default')
          .map(([status, { content }]) => [status, toContent(content)]),
      ),
    };
  });
}

function bytesMaxOf(body: BodySpec | undefined): number {
  if (body === undefined) return 0;
  return (body.multipart ?? body.upload ?? body).bytesMax;
}

function toContent(content: PublishedContent | undefined): Content | null {
  const [only] = Object.entries(content ?? {});
  return only === undefined ? null : { mediaType: only[0], schema: only[1].schema };
}
