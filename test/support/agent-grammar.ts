import assert from 'node:assert/strict';

import type { AgentEvent } from '../../src/features/agent/events.ts';

/**
 * Holds a run against the order that `agent/events.ts` promises. A small state machine: what may come next follows from
 * what is open. Returns the run folded: texts, items, calls and the end.
 */
export function checkRun(events: readonly AgentEvent[]) {
  const texts: string[] = [];
  const items: string[] = [];
  const calls: { readonly name: string; readonly arguments: string }[] = [];
  const models: string[] = [];
  let open: 'nothing' | 'tools' | 'message' | 'call' | 'judged' | 'end' = 'nothing';
  let text = '';
  let pieces = '';
  let markers = 0;
  let messageMayCome = true;
  for (const event of events) {
    const told: string = `${event.type} while ${open}`;
    assert.notEqual(open, 'end', told);
    switch (event.type) {
      case 'model':
        assert.equal(open, 'nothing', told);
        models.push(event.name);
        break;
      case 'tools-start':
        assert.equal(open, 'nothing', told);
        open = 'tools';
        break;
      case 'progress':
        assert.equal(open, 'tools', told);
        break;
      case 'tools-end':
        assert.equal(open, 'tools', told);
        open = 'nothing';
        messageMayCome = true;
        break;
      case 'item':
        assert.equal(open, 'nothing', told);
        items.push(event.item.type);
        break;
      case 'message-start':
        assert.equal(open, 'nothing', told);
        assert.ok(messageMayCome, 'one message between calls');
        [open, text, markers, messageMayCome] = ['message', '', 0, false];
        break;
      case 'text-delta':
        assert.equal(open, 'message', told);
        assert.notEqual(event.text, '');
        assert.equal(markers, 0, 'text after a citation');
        text += event.text;
        break;
      case 'citation': {
        assert.equal(open, 'message', told);
        markers++;
        const { start, end, sourceId } = event.citation;
        assert.equal(text.slice(start, end), `[${sourceId}]`);
        break;
      }
      case 'message-end':
        assert.equal(open, 'message', told);
        assert.equal(event.text, text);
        assert.equal(event.citations.length, markers);
        texts.push(text);
        open = 'nothing';
        break;
      case 'call-start':
        assert.equal(open, 'nothing', told);
        [open, pieces] = ['call', ''];
        break;
      case 'call-delta':
        assert.equal(open, 'call', told);
        pieces += event.arguments;
        break;
      case 'call-end':
        assert.equal(open, 'call', told);
        assert.equal(event.arguments, pieces === '' ? '{}' : pieces);
        calls.push({ name: event.name, arguments: event.arguments });
        [open, messageMayCome] = ['nothing', true];
        break;
      case 'reasoning-delta':
      case 'usage':
        assert.notEqual(open, 'tools', told);
        break;
      case 'verification':
        assert.equal(open, 'nothing', told);
        open = 'judged';
        break;
      case 'end':
        assert.ok(open === 'nothing' || open === 'judged', told);
        open = 'end';
        break;
    }
  }
  assert.equal(open, 'end', 'a run ends once');
  const end = events.findLast((event) => event.type === 'end');
  const usage = events.findLast((event) => event.type === 'usage')?.usage;
  return { texts, items, calls, models, reason: end?.reason, usage };
}
