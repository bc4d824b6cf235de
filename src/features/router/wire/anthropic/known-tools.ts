import type { JsonObject } from '../../../../kernel/kit/json.ts';

interface KnownTool {
  readonly description: string;
  readonly parameters: JsonObject;
}

const text = (description: string): JsonObject => ({ type: 'string', description });
const whole = (description: string): JsonObject => ({ type: 'integer', description });
const pair = (description: string): JsonObject => ({
  type: 'array',
  items: { type: 'integer' },
  minItems: 2,
  maxItems: 2,
  description,
});

function commands(words: readonly string[], properties: JsonObject, required: readonly string[]): JsonObject {
  const command = { type: 'string', enum: words, description: 'What to do.' };
  return { type: 'object', properties: { command, ...properties }, required: ['command', ...required] };
}

const fileChanges: JsonObject = {
  file_text: text('The whole content of the new file, for `create`.'),
  old_str: text('The text to replace, for `str_replace`. It has to stand in the file exactly once.'),
  new_str: text('The text that replaces it.'),
  insert_line: whole('The line after which to insert, for `insert`; 0 is the beginning.'),
  view_range: pair('The first and the last line to show, for `view`; -1 is the end of the file.'),
};

const actions =
  'key type mouse_move left_click left_click_drag right_click middle_click double_click triple_click left_mouse_down left_mouse_up scroll hold_key wait screenshot cursor_position zoom'.split(
    ' ',
  );

/**
 * Tools that Anthropic's models know by their type alone, as any other model has to be told of them: with the fields
 * that Anthropic documents. Clients run them and read these fields.
 */
const families: Readonly<Record<string, KnownTool>> = {
  bash: {
    description: 'Runs a command in a bash session that stays open between calls.',
    parameters: {
      type: 'object',
      properties: {
        command: text('The command to run.'),
        restart: { type: 'boolean', description: 'Starts a new session in place of a command.' },
      },
    },
  },
  text_editor: {
    description: 'Shows, creates and edits text files.',
    parameters: commands(
      ['view', 'create', 'str_replace', 'insert'],
      {
        path: text('Path of the file, or of a folder for `view`.'),
        ...fileChanges,
        insert_text: text('The text to insert.'),
      },
      ['path'],
    ),
  },
  memory: {
    description: 'Keeps notes in files below /memories, which last longer than this conversation.',
    parameters: commands(
      ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'],
      {
        path: text('Path below /memories, for everything but `rename`.'),
        ...fileChanges,
        insert_text: text('The text to insert.'),
        old_path: text('The path to rename.'),
        new_path: text('The new path.'),
      },
      [],
    ),
  },
  computer: {
    description:
      'Uses a computer with a screen, a mouse and a keyboard. Look at a screenshot before you click.',
    parameters: {
      type: 'object',
      properties: {
        action: {
          type: 'string',
          enum: actions,
          description: 'What to do.',
        },
        coordinate: pair('x and y in pixels from the upper left corner.'),
        start_coordinate: pair('Where a drag begins.'),
        text: text('Text to type, or keys to press.'),
        scroll_direction: { type: 'string', enum: ['up', 'down', 'left', 'right'] },
        scroll_amount: whole('How far to scroll, in clicks of the wheel.'),
        duration: { type: 'number', description: 'Seconds, for `wait` and `hold_key`.' },
        region: { type: 'array', items: { type: 'integer' }, description: 'x0, y0, x1 and y1, for `zoom`.' },
      },
      required: ['action'],
    },
  },
};

const clientType = /^(?<family>bash|text_editor|memory|computer)_\d{8}$/;

/** How a model that does not know this type is told of the tool; null for a type that no client runs. */
export function knownToolOf(type: string, sent: JsonObject): KnownTool | null {
  const family = clientType.exec(type)?.groups?.['family'] ?? '';
  const known = families[family];
  if (known === undefined) return null;
  const { display_width_px: width, display_height_px: height } = sent;
  if (typeof width !== 'number' || typeof height !== 'number') return known;
  return { ...known, description: `${known.description} The screen has ${width} x ${height} pixels.` };
}
