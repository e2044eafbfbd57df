import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// `--mode fake` builds the page on the fake backend, for browser tests and for work on the page alone.
export default defineConfig(({ mode }) => ({
  plugins: [svelte()],
  define: { __FAKE_BACKEND__: JSON.stringify(mode === 'fake' || mode === 'test') },
  build: {
    target: ['es2022', 'safari16'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
  },
  resolve: mode === 'test' ? { conditions: ['browser'] } : {},
  server: { port: 1430, strictPort: true, fs: { allow: ['..'] } },
  assetsInclude: ['**/*.docx'],
  test: { include: ['tests/unit/**/*.test.ts'], environment: 'node' },
}));
