/** How a model sets its reasoning apart from its answer. */
export interface Thought {
  readonly open: string;
  readonly close: string;
}

const kinds: readonly Thought[] = [
  { open: '<|channel|>analysis<|message|>', close: '<|end|><|start|>assistant<|channel|>final<|message|>' },
  { open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
  { open: '[THINK]', close: '[/THINK]' },
  { open: '<think>', close: '</think>' },
];

/** Null for a template that never thinks. */
export function thoughtOf(source: string | null): Thought | null {
  if (source === null) return null;
  // Harmony names its channels only in parts.
  return (
    kinds.find(({ open }) => source.includes(open.startsWith('<|channel|>') ? '<|channel|>' : open)) ?? null
  );
}

/** Whether a prompt ends inside a thought. */
export function isInside({ open, close }: Thought, tail: string): boolean {
  return tail.lastIndexOf(open) > tail.lastIndexOf(close);
}
