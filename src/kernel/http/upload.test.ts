import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { operationOf, serve } from './made-up.fixture.ts';
import { defineOperation, ok } from './operation.ts';

const upload = defineOperation({
  ...operationOf(() => ok({})),
  method: 'POST',
  surface: 'decisions',
  body: {
    upload: {
      part: 'file',
      json: ['about'],
      fields: Type.Object({ model: Type.Literal('a'), about: Type.Optional(Type.Object({})) }),
      bytesMax: 10_000,
      fieldBytesMax: 1_000,
    },
  },
  async handle({ body }) {
    let size = 0;
    for await (const chunk of body.content) size += chunk.length;
    return ok({ size });
  },
});

const content = 'x'.repeat(40);
const model = part('name="model"', 'a');
const about = part('name="about"; filename="about.json"', '{}');
const file = part('name="file"; filename="rows"', content);

function part(names: string, text: string): string {
  return `--cut\r\ncontent-disposition: form-data; ${names}\r\n\r\n${text}\r\n`;
}

test('an upload may end anywhere: it is refused by name and the server goes on', async (t) => {
  const { url } = await serve(t, upload);
  const headers = { 'content-type': 'multipart/form-data; boundary=cut' };
  const post = async (body: string) => {
    const response = await fetch(`${url}/made`, { method: 'POST', body, headers });
    const told = (await response.json()) as { size?: number; error?: { message: string } };
    return { status: response.status, size: told.size, message: told.error?.message ?? '' };
  };
  for (const [name, parts] of [
    ['file that is read', [model, file]],
    ['file that is not read, its fields being wrong', [file]],
    ['file of another name', [model, part('name="other"; filename="a"', content), file]],
    ['field that came as a file', [model, about, file]],
  ] as const) {
    const whole = `${parts.join('')}--cut--\r\n`;
    for (let end = 0; end < whole.length; end += 3) {
      const { status, size, message } = await post(whole.slice(0, end));
      if (status === 200) assert.equal(size, content.length, `${name}, ${end}`);
      else assert.match(message, /file|model|multipart\/form-data/, `${name}, ${end}`);
    }
    const { status } = await post(whole);
    assert.equal(status, parts.includes(model) ? 200 : 400, name);
  }
});
