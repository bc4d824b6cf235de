import type { CodeExample } from '../code-examples.tsx';

export interface ExampleRequest {
  /** Of the server: `https://nestor.example`. */
  readonly origin: string;
  readonly path: string;
  readonly body: object;
}

/** The same POST request in three languages without dependencies. The key is read from the environment. */
export function requestExamples({ origin, path, body }: ExampleRequest): readonly CodeExample[] {
  const json = JSON.stringify(body, null, 2);
  const url = origin + path;
  return [
    {
      language: 'curl',
      code: [
        `curl -s ${url} \\`,
        '  -H "authorization: Bearer $NESTOR_KEY" \\',
        `  -d '${json.replaceAll("'", String.raw`'\''`)}'`,
      ].join('\n'),
    },
    {
      language: 'TypeScript',
      code: [
        `const response = await fetch(${JSON.stringify(url)}, {`,
        "  method: 'POST',",
        '  headers: {',
        '    authorization: `Bearer ${process.env.NESTOR_KEY}`,',
        "    'content-type': 'application/json',",
        '  },',
        `  body: JSON.stringify(${indented(json, '  ')}),`,
        '});',
        'console.log(await response.json());',
      ].join('\n'),
    },
    {
      language: 'Python',
      code: [
        'import json, os, urllib.request',
        '',
        `body = ${toPython(body)}`,
        'request = urllib.request.Request(',
        `    ${JSON.stringify(url)},`,
        '    data=json.dumps(body).encode(),',
        '    headers={',
        '        "authorization": f"Bearer {os.environ[\'NESTOR_KEY\']}",',
        '        "content-type": "application/json",',
        '    },',
        ')',
        'print(json.load(urllib.request.urlopen(request)))',
      ].join('\n'),
    },
  ];
}

function indented(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`);
}

/** A literal of Python; strings are written the same way in both languages. */
function toPython(value: unknown, indent = ''): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  const deeper = `${indent}    `;
  const block = (open: string, lines: readonly string[], close: string) =>
    lines.length === 0
      ? open + close
      : `${open}\n${lines.map((line) => `${deeper}${line},\n`).join('')}${indent}${close}`;
  if (Array.isArray(value)) {
    const lines = value.map((item) => toPython(item, deeper));
    return block('[', lines, ']');
  }
  if (typeof value !== 'object') return JSON.stringify(value);
  const lines = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([name, item]) => `${JSON.stringify(name)}: ${toPython(item, deeper)}`);
  return block('{', lines, '}');
}
