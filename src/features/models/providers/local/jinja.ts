import { createRequire } from 'node:module';

export type Render = (variables: Readonly<Record<string, unknown>>) => string;

/**
 * The Jinja that node-llama-cpp brings along, found from there because it is no dependency of ours. Throws Error when
 * the template does not parse.
 */
export function compile(source: string): Render {
  const fromLibrary = createRequire(import.meta.resolve('node-llama-cpp'));
  const { Template } = fromLibrary('@huggingface/jinja') as {
    readonly Template: new (source: string) => { render: Render };
  };
  const template = new Template(source);
  return (variables) => template.render(variables);
}
