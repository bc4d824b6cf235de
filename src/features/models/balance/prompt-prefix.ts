import type { ModelRequest, Turn } from '../model.ts';
import { addText, emptyHash } from './hash.ts';

/** Prompts that agree on so much of each text are taken for alike: hashing a whole book would cost more than it tells. */
const textMax = 4_096;

/**
 * A number for the beginning of a prompt: instructions, names of tools, and what comes up to the first answer. It stays the
 * same while a conversation grows, as does what a backend has kept of it.
 */
export function hashPrefix({ system, tools, turns }: ModelRequest): number {
  let hash = emptyHash;
  const add = (text: string): void => {
    hash = addText(hash, text.length > textMax ? text.slice(0, textMax) : text);
  };
  for (const text of system) add(text);
  // Between the three, so that instructions are not taken for what a user said.
  add('');
  for (const { name } of tools) add(name);
  add('');
  const firstAnswer = turns.findIndex(({ role }) => role !== 'user');
  for (const turn of firstAnswer === -1 ? turns : turns.slice(0, firstAnswer)) addTurn(turn, add);
  return hash;
}

function addTurn(turn: Turn, add: (text: string) => void): void {
  if (turn.role !== 'user') return;
  for (const part of turn.parts) add(part.type === 'text' ? part.text : part.base64);
}
