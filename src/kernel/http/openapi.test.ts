import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { operationOf } from './made-up.fixture.ts';
import { describeApi } from './openapi.ts';
import { Uuid } from './parameters.ts';
import { noContent, ok } from './operation.ts';

const info = { title: 'Made up', version: '1.0.0', description: 'Made up', groupVersions: {} };

test('parameters, uploads, downloads and empty replies are described as they are', () => {
  const zip = Type.Unsafe<Uint8Array>({
    type: 'string',
    format: 'binary',
    contentMediaType: 'application/zip',
  });
  const upload = operationOf(() => noContent(), {
    method: 'PUT',
    paths: ['/made/{id}/{part}'],
    params: Type.Object({ id: Uuid }),
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, errorMessage: 'no' })),
      revision: Type.String(),
    }),
    body: { multipart: { part: 'file', bytesMax: 10, envelopeBytesMax: 10 } },
    responses: { 204: Type.Null() },
  });
  const download = operationOf(() => ok({}), { id: 'down', responses: { 200: zip } });
  const { paths } = describeApi([upload, download], info) as {
    paths: Record<string, Record<string, { parameters: unknown; requestBody: unknown; responses: object }>>;
  };
  const put = paths['/made/{id}/{part}']?.['put'];
  assert.ok(put);
  assert.deepEqual(put.parameters, [
    {
      name: 'id',
      in: 'path',
      required: true,
      schema: { type: 'string', format: 'uuid', pattern: Reflect.get(Uuid, 'pattern') },
    },
    { name: 'part', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'limit', in: 'query', required: false, schema: { type: 'integer', minimum: 1 } },
    { name: 'revision', in: 'query', required: true, schema: { type: 'string' } },
  ]);
  assert.deepEqual(put.requestBody, {
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: { file: { type: 'string', format: 'binary' } },
          required: ['file'],
        },
      },
    },
  });
  assert.deepEqual(Reflect.get(put.responses, '204'), { description: 'Done' });
  const get = paths['/made']?.['get'];
  assert.deepEqual(Reflect.get(get?.responses ?? {}, '200'), {
    description: 'OK',
    content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
  });
});
