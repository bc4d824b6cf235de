import { decisionTypes, GgufProblem, type GgufHeader } from './gguf.ts';

export type DecisionType = (typeof decisionTypes)[number];

/** How a decision model wants to be asked. */
export interface DecisionFile {
  readonly type: DecisionType;
  /** Jinja, of one question about one state. */
  readonly template: string;
  /** By kind of question, some of them with a range of counts of options: `choice.3_5`. */
  readonly temperatures: ReadonlyMap<string, number>;
}

/** Null for any other model. Throws GgufProblem where the header does not say how it is asked. */
export function decisionOf({ architecture, metadata }: GgufHeader): DecisionFile | null {
  const prefix = `${architecture}.decision.`;
  const type = decisionTypes.find((known) => known === metadata.get(`${prefix}type`));
  if (type === undefined) return null;
  const template = metadata.get('tokenizer.chat_template.systemone');
  if (typeof template !== 'string')
    throw new GgufProblem(
      'the file is a decision model without the template `systemone`, which says how it is asked',
    );
  const temperatures = new Map<string, number>();
  for (const [key, value] of metadata) {
    const kind = key.startsWith(`${prefix}temperature.`) ? key.slice(`${prefix}temperature.`.length) : null;
    if (kind === null) continue;
    if (typeof value !== 'number' || !(value > 0 && Number.isFinite(value)))
      throw new GgufProblem(`the file has ${String(value)} as temperature of ${kind}`);
    temperatures.set(kind, value);
  }
  return { type, template, temperatures };
}
