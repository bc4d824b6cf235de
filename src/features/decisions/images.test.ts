import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../kernel/faults.ts';
import { runAtOnce } from '../../kernel/kit/slices.ts';
import { collectImages, refuseImagesInSteps, visionTokens } from './images.ts';
import type { Entry } from './engine.ts';

/** A PNG of which only the header counts. */
function url(width = 2, height = 2): string {
  const bytes = Buffer.alloc(33);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return `data:image/png;base64,${bytes.toString('base64')}`;
}
const part = (text = url()) => ({ type: 'image_url', image_url: { url: text } });

function refusalOf(run: () => unknown): [string, string | null] {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof Fault && error.code === 'invalid_image', String(error));
    return [error.message, error.param];
  }
  return assert.fail('nothing was thrown');
}

suite('visionTokens', () => {
  test('counts tiles of 32 pixels, one at least', () => {
    const cases = [
      [1, 1, 1],
      [32, 32, 1],
      [33, 32, 2],
      [64, 65, 6],
      [2_048, 1_024, 2_048],
      [1, 65_536, 2_048],
    ] as const;
    for (const [width, height, tokens] of cases)
      assert.equal(visionTokens(width, height), tokens, `${width}x${height}`);
  });

  test('never exceeds 2,048, fits as well as the aspect ratio lets it, and is the same for a turned image', () => {
    const side = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(side, side, (width, height) => {
        const tokens = visionTokens(width, height);
        assert.ok(tokens >= 1 && tokens <= 2_048 && Number.isInteger(tokens));
        assert.equal(visionTokens(height, width), tokens);
        if (Math.ceil(width / 32) * Math.ceil(height / 32) <= 2_048) {
          assert.equal(tokens, Math.ceil(width / 32) * Math.ceil(height / 32));
        } else assert.ok(tokens >= 1_024, String(tokens));
      }),
    );
  });
});

suite('collectImages', () => {
  test('finds parts in arrays at any depth, in order, in both forms', () => {
    const state = [
      part(url(1, 1)),
      { a: [{ b: [part(url(2, 1))] }] },
      [{ type: 'image_url', image_url: url(3, 1) }],
      'text',
      null,
    ];
    assert.deepEqual(
      collectImages(state, 'state').map(({ width }) => width),
      [1, 2, 3],
    );
    assert.deepEqual(
      collectImages({ deep: { list: [part()] } }, 'state').map(({ format, tokens }) => [format, tokens]),
      [['png', 1]],
    );
    assert.deepEqual(collectImages('text', 'state'), []);
    assert.deepEqual(collectImages([], 'state'), []);
  });

  test('names the part at fault by its path', () => {
    const misplaced = 'image parts are only allowed in a state array';
    assert.deepEqual(
      refusalOf(() => collectImages(part(), 'state')),
      [misplaced, 'state'],
    );
    assert.deepEqual(
      refusalOf(() => collectImages({ a: { b: part() } }, 'state')),
      [misplaced, 'state.a.b'],
    );
    assert.deepEqual(
      refusalOf(() => collectImages([{ a: part() }], 'input')),
      [misplaced, 'input.0.a'],
    );
    const unsupported = 'image_url is not a supported data URL (PNG, JPEG or WebP, base64)';
    assert.deepEqual(
      refusalOf(() => collectImages(['x', [part('https://a.example/a.png')]], 'state')),
      [unsupported, 'state.1.0'],
    );
  });

  test('eight pass, nine do not', () => {
    assert.equal(
      collectImages(
        Array.from({ length: 8 }, () => part()),
        'state',
      ).length,
      8,
    );
    const [, param] = refusalOf(() =>
      collectImages(
        Array.from({ length: 9 }, () => part()),
        'state',
      ),
    );
    assert.equal(param, 'state');
  });

  test('64 megapixels pass, one row more does not', () => {
    assert.equal(collectImages([part(url(8_000, 8_000))], 'state').length, 1);
    assert.match(refusalOf(() => collectImages([part(url(8_000, 8_001))], 'state'))[0], /64 megapixels/);
    assert.match(
      refusalOf(() => collectImages([part(url(4_294_967_295, 4_294_967_295))], 'state'))[0],
      /megapixels/,
    );
  });

  test('what has the signature of one format and the content of another is refused', () => {
    const heads = { png: '\x89PNG\r\n\x1a\n', jpeg: '\xff\xd8\xff\xe0', webp: 'RIFF\0\0\0\0WEBP' };
    for (const [format, head] of Object.entries(heads)) {
      const bytes = Buffer.from(`${head}<svg width="9" height="9"></svg>`, 'latin1');
      const state = [part(`data:image/${format};base64,${bytes.toString('base64')}`)];
      const [, param] = refusalOf(() => collectImages(state, 'state'));
      assert.equal(param, 'state.0', format);
    }
  });

  test('base64 of an image has no foreign character, and its padding stands at its end', () => {
    const good = url();
    for (const [from, to] of [
      ['iVBO', 'iVB-'],
      ['iVBO', 'iV_O'],
      ['iVBO', 'iVB '],
      ['iVBO', 'iVB='],
      ['iVBO', 'iVB\u014f'],
      ['iVBO', 'iVB\uff2f'],
      ['iVBO', 'iVB'],
      [/.{4}$/, 'A==='],
      [/.{4}$/, '===='],
      [/.{4}$/, 'AA=A'],
      [/.{4}$/, 'AA='],
    ] as const)
      assert.match(refusalOf(() => collectImages([part(good.replace(from, to))], 'state'))[0], /base64/, to);
    for (const end of ['AAAA', 'AAA=', 'AA==', 'AB==', 'AAB='])
      assert.equal(collectImages([part(good.replace(/.{4}$/, end))], 'state').length, 1, end);
  });

  test('any bytes are either an image or a refusal, never a crash', () => {
    const signature = fc.constantFrom(
      '',
      '\x89PNG\r\n\x1a\n',
      '\x89PNG\r\n\x1a\n\0\0\0\rIHDR',
      '\xff\xd8\xff',
      '\xff\xd8\xff\xe0\0\x10',
      'RIFF\0\0\0\0WEBP',
      'RIFF\0\0\0\0WEBPVP8X',
      'RIFF\0\0\0\0WEBPVP8 ',
    );
    fc.assert(
      fc.property(signature, fc.uint8Array({ maxLength: 64 }), (head, rest) => {
        const bytes = Buffer.concat([Buffer.from(head, 'latin1'), rest]);
        const state: Entry = [part(`data:image/png;base64,${bytes.toString('base64')}`)];
        try {
          const [image] = collectImages(state, 'state');
          assert.ok(
            image && image.width >= 1 && image.height >= 1 && image.tokens >= 1 && image.tokens <= 2_048,
          );
        } catch (error) {
          assert.ok(error instanceof Fault, String(error));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

test('refuseImagesInSteps finds a part anywhere and lets the rest pass', () => {
  for (const entry of [null, undefined, 'x', [], {}, ['data:image/png;base64,AA'], { image_url: 'x' }])
    runAtOnce(refuseImagesInSteps(entry, 'p'));
  assert.equal(refusalOf(() => runAtOnce(refuseImagesInSteps([part()], 'p')))[1], 'p.0');
  assert.equal(refusalOf(() => runAtOnce(refuseImagesInSteps(part(), 'p')))[1], 'p');
  assert.equal(refusalOf(() => runAtOnce(refuseImagesInSteps({ a: [{ b: part('x') }] }, 'p')))[1], 'p.a.0.b');
});
