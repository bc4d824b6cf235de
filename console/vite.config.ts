import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const outDir = fileURLToPath(new URL('../dist/console', import.meta.url));

/** The server replaces it in every page that it hands out. */
const noncePlaceholder = 'nonce-of-this-page';

const compressed = /\.(?:js|css|svg)$/;

/** Compresses once here what the server would otherwise compress for every visitor. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async closeBundle() {
      const files = await readdir(outDir, { recursive: true });
      for (const name of files.filter((file) => compressed.test(file))) {
        const path = `${outDir}/${name}`;
        const bytes = await readFile(path);
        const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
        await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
      }
    },
  };
}

/** `npm run dev` serves the console with a server of Nestor behind it. */
const nestor = process.env['NESTOR_URL'] ?? 'http://127.0.0.1:8787';

const config = defineConfig({
  base: '/console/',
  plugins: [react(), precompress()],
  html: { cspNonce: noncePlaceholder },
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '^/(?!console)': { target: nestor } } },
});

// Vite reads the default export.
// oxlint-disable-next-line import/no-default-export
export default config;
