import { defineConfig } from '@playwright/test';

// The page on the fake backend, in the system's headless Chromium. Run `npm run build:fake` first.
// `cargo xtask test` names a free port, so that a server left over from elsewhere is not in the way.
const port = Number(process.env.STET_PAGE_PORT ?? 1431);
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell';

export default defineConfig({
  testDir: './tests/browser',
  workers: 2,
  // A machine that compiles at the same time is slow, not wrong.
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: 'list',
  outputDir: '../target/playwright',
  use: {
    baseURL: `http://localhost:${port}`,
    viewport: { width: 1280, height: 800 },
    launchOptions: { executablePath, args: ['--no-sandbox'] },
    locale: 'en-US',
  },
  webServer: { command: `npx vite preview --outDir dist-fake --port ${port} --strictPort`, url: `http://localhost:${port}`, reuseExistingServer: !process.env.CI },
});
