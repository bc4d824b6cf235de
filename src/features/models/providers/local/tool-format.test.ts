import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { chatTemplates } from '../../../../../test/support/gguf.ts';
import { compile } from './template.ts';
import { findToolFormat } from './tool-format.ts';

function find(template: string) {
  const render = compile(template);
  return findToolFormat({
    render: (variables) => render({ bos_token: '<s>', eos_token: '</s>', ...variables }),
    untilEnd(text) {
      const at = text.search(/<\|im_end\|>|<\/s>/);
      return at < 0 ? null : text.slice(0, at);
    },
  });
}

const shown = '{%- for tool in tools %}{{ tool | tojson }}{%- endfor %}';

suite('the format of calls', () => {
  test('is found by rendering some: between markers', () => {
    assert.deepEqual(find(chatTemplates.tools), {
      open: '<tool_call>\n{"name": "',
      middle: '", "arguments": ',
      between: '}\n</tool_call>\n<tool_call>\n{"name": "',
      close: '}\n</tool_call>',
      marked: true,
      argumentsAs: 'object',
    });
  });

  test('is found where a template takes one call and has no marker', () => {
    assert.deepEqual(find(chatTemplates['json-calls']), {
      open: '{"name": "',
      middle: '", "parameters": ',
      between: null,
      close: '}',
      marked: false,
      argumentsAs: 'object',
    });
  });

  test('is found in a list with ids of nine characters', () => {
    const template = `${shown}{%- for m in messages %}{%- if m.tool_calls %}{{- '[TOOL_CALLS][' }}{%- for c in m.tool_calls %}{%- if c.id | length != 9 %}{{- raise_exception('id') }}{%- endif %}{{- (c.function | tojson)[:-1] + ', "id": "' + c.id + '"}' }}{%- if not loop.last %}{{- ', ' }}{%- endif %}{%- endfor %}{{- ']' + eos_token }}{%- else %}{{- '[INST]' + m.content + '[/INST]' }}{%- endif %}{%- endfor %}`;
    const format = find(template);
    assert.equal(format?.open, '[TOOL_CALLS][{"name": "');
    assert.equal(format.between, ', "id": "call00000"}, {"name": "');
    assert.equal(format.close, ', "id": "call00001"}]');
  });

  test('is found where arguments have to be a text, and behind a thought that the prompt opens', () => {
    const template = `${shown}{%- for m in messages %}{%- if m.tool_calls %}{{- 'A:' }}{%- for c in m.tool_calls %}{{- '<call>' + c.function.name + '<sep>' + c.function.arguments + '</call>' }}{%- endfor %}{{- '</s>' }}{%- else %}{{- 'U:' + m.content }}{%- endif %}{%- endfor %}{%- if add_generation_prompt %}{{- 'A:<think>\n' }}{%- endif %}`;
    const format = find(template);
    assert.equal(format?.argumentsAs, 'text');
    assert.deepEqual([format.open, format.middle, format.between], ['<call>', '<sep>', '</call><call>']);
  });

  test('is none where tools are not shown, are not JSON, or a call looks like text', () => {
    assert.equal(find(chatTemplates.chatml), null);
    const written = (call: string) =>
      `${shown}{%- for m in messages %}{%- if m.tool_calls %}{%- for c in m.tool_calls %}{{- ${call} }}{%- endfor %}{{- '</s>' }}{%- else %}{{- m.content }}{%- endif %}{%- endfor %}`;
    assert.equal(find(written(`'call ' + c.function.name + (c.function.arguments | tojson)`)), null);
    assert.equal(
      find(written(`'<call>' + c.function.name + '<key>' + c.function.arguments.nestor_key`)),
      null,
    );
  });
});
