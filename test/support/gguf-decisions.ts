import { addMetadata } from './gguf-metadata.ts';

/** How the test's decision models are asked: the state first, and options behind their labels. */
const template = [
  '{%- macro said(value) %}{%- if value is string %}{{- value }}{%- else %}{{- value | tojson }}{%- endif %}{%- endmacro %}',
  "{{- '<|im_start|>user\\nState:\\n' }}{{- said(state) }}",
  "{%- if questions is defined %}{{- '\\n\\nAll:' }}{%- for one in questions %}{{- ' ' }}{{- said(one.instructions) }}{%- endfor %}{%- endif %}",
  "{{- '\\n\\nQuestion (' + type + '): ' }}{{- said(instructions) }}",
  "{%- for option in options %}{{- '\\n' }}",
  '{%- if option.label is defined %}{{- option.label }}{%- else %}',
  "{{- 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'[loop.index0] }}{%- endif %}",
  "{{- ': ' + option.key }}{%- if option.description is not none %}{{- ' - ' }}{{- said(option.description) }}{%- endif %}",
  "{%- endfor %}{{- '<|im_end|>\\n<|im_start|>assistant\\n' }}",
].join('');

const temperatures = {
  'choice.3_5': 1.5,
  'choice.small': 0.7,
  choice: 3,
  'choice.11': 0.8,
  noul: 2,
  'score.3_5': 0.5,
};

/** Makes a decision model of a type out of a chat model of the architecture `llama`: weights are weights. */
export async function writeDecisionFile(type: string, from: string, to: string): Promise<string> {
  const named = Object.entries(temperatures).map(([name, value]) => [
    `llama.decision.temperature.${name}`,
    value,
  ]);
  await addMetadata(from, to, {
    'llama.decision.type': type,
    'tokenizer.chat_template.systemone': template,
    ...(Object.fromEntries(named) as Record<string, number>),
  });
  return to;
}
