import { Type, type TSchema } from 'typebox';
import { credentialsOn, type BodySpec, type Operation, type UploadBodySpec } from './operation.ts';
import { dialects, type Surface } from './error-dialects.ts';
import type { Node } from './validate.ts';
import { Strict, orNull } from '../kit/schema.ts';

interface ApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Interface versions by group. */
  readonly groupVersions: Readonly<Record<string, string>>;
}

const ErrorObject = Type.Object({
  message: Type.String(),
  type: Type.String(),
  code: Type.Union([Type.String(), Type.Integer(), Type.Null()]),
  param: orNull(Type.String()),
});

/** Error bodies by shape of contract 3.1. */
export const errorSchemas: Readonly<Record<(typeof dialects)[Surface]['shape'], TSchema>> = {
  E: Strict({ error: ErrorObject }),
  V: Strict({
    detail: Type.Optional(
      Type.Array(Type.Object({ loc: Type.Array(Type.String()), msg: Type.String(), type: Type.String() })),
    ),
    error: ErrorObject,
  }),
  A: Strict({
    type: Type.Literal('error'),
    error: Strict({
      type: Type.String(),
      message: Type.String(),
      details: Type.Optional(Type.Object({ error_code: Type.String() })),
    }),
    request_id: Type.String(),
  }),
  M: Strict({ type: Type.Literal('error'), error: ErrorObject, request_id: Type.String() }),
  S: Strict({
    error: ErrorObject,
    detail: Type.Object({ message: Type.String(), error_type: Type.String() }),
  }),
};

/** Derives the OpenAPI 3.1 description from the operations. `servers` is added per request. */
export function describeApi<Services>(operations: readonly Operation<Services>[], info: ApiInfo): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    for (const [index, path] of operation.paths.entries()) {
      const item = (paths[path] ??= {});
      item[operation.method.toLowerCase()] = describeOperation(operation, path, index, info);
    }
  }
  const groups = [...new Set(operations.map(({ group }) => group))];
  return {
    openapi: '3.1.0',
    info: { title: info.title, version: info.version, description: info.description },
    tags: groups.map((name) => {
      const version = info.groupVersions[name];
      return version === undefined ? { name } : { name, 'x-interface-version': version };
    }),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        ...(operations.some(({ credentials }) => credentials === 'admin')
          ? { admin: { type: 'http', scheme: 'bearer', description: 'The key of the administration.' } }
          : {}),
      },
      schemas: Object.fromEntries(
        Object.entries(errorSchemas).map(([shape, schema]) => [`Error${shape}`, publish(schema)]),
      ),
    },
  };
}

function describeOperation<Services>(
  operation: Operation<Services>,
  path: string,
  index: number,
  info: ApiInfo,
): object {
  const { id, summary, group, body, responses, surface } = operation;
  const version = info.groupVersions[group];
  const parameters = parametersOf(operation, path);
  return {
    // Aliases need ids of their own.
    operationId: index === 0 ? id : `${id}Alias${index}`,
    summary,
    tags: [group],
    ...(version === undefined ? {} : { 'x-interface-version': version }),
    security: securityOf(credentialsOn(operation, path)),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body ? { requestBody: describeBody(body) } : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([code, schema]) => [code, describeReply(code, schema)]),
      ),
      default: {
        description: 'Error',
        content: jsonContent({ $ref: `#/components/schemas/Error${dialects[surface].shape}` }),
      },
    },
  };
}

function parametersOf<Services>(operation: Operation<Services>, path: string): object[] {
  const { params, query } = operation;
  const described = params === undefined ? {} : propertiesOf(params);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: publish(described[name] ?? { type: 'string' }),
  }));
  if (query === undefined) return inPath;
  const required = (query as Node).required ?? [];
  const inQuery = Object.entries(propertiesOf(query)).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: publish(schema),
  }));
  return [...inPath, ...inQuery];
}

function propertiesOf(schema: Node): Readonly<Record<string, Node>> {
  return schema.properties ?? {};
}

function describeBody(body: BodySpec): object {
  if (body.upload !== undefined) return describeUpload(body.upload);
  if (body.multipart === undefined) {
    return {
      required: body.emptyAllowed !== true,
      content: jsonContent(publish(body.schema)),
    };
  }
  const { part } = body.multipart;
  const schema = {
    type: 'object',
    properties: { [part]: { type: 'string', format: 'binary' } },
    required: [part],
  };
  return { required: true, content: { 'multipart/form-data': { schema } } };
}

function describeUpload({ part, fields }: UploadBodySpec['upload']): object {
  const schema = publish(fields) as { properties?: object; required?: readonly string[] };
  const file = {
    type: 'string',
    format: 'binary',
    description: 'JSON lines; it comes after the other parts.',
  };
  const all = {
    ...schema,
    properties: { ...schema.properties, [part]: file },
    required: [...(schema.required ?? []), part],
  };
  return { required: true, content: { 'multipart/form-data': { schema: all } } };
}

function describeReply(code: string, schema: Node): object {
  if (code === '204') return { description: 'Done' };
  if (schema.type === 'undefined') return { description: 'Accepted; nothing is told' };
  const description = code === '200' ? 'OK' : 'See schema';
  return {
    description,
    content: { [schema.contentMediaType ?? 'application/json']: { schema: publish(schema) } },
  };
}

function jsonContent(schema: unknown): object {
  return { 'application/json': { schema } };
}

function securityOf(credentials: Operation<never>['credentials']): object[] {
  switch (credentials) {
    case 'none':
      return [];
    case 'bearer':
      return [{ bearer: [] }];
    case 'bearer or x-api-key':
      return [{ bearer: [] }, { apiKey: [] }];
    case 'admin':
      return [{ admin: [] }];
  }
}

// The media type is published elsewhere.
const privateKeywords = new Set([
  'errorMessage',
  'errorCode',
  'tagCode',
  'ruleField',
  'unknownMessages',
  'contentMediaType',
]);

/** The schema without Nestor's keywords and TypeBox's marks. */
function publish(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(publish);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !keyword.startsWith('~') && !privateKeywords.has(keyword))
      .map(([keyword, value]) => [keyword, publish(value)]),
  );
}
