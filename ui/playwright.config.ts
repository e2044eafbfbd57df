import { defineConfig } from '@playwright/test';

// The page on the fake backend, in the system's headless Chromium. Run `npm run build:fake` first.
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell';

export default defineConfig({
  testDir: './tests/browser',
  workers: 2,
  timeout: 20_000,
  reporter: 'list',
  outputDir: '../target/playwright',
  use: {
    baseURL: 'http://localhost:1431',
    viewport: { width: 1280, height: 800 },
    launchOptions: { executablePath, args: ['--no-sandbox'] },
    locale: 'en-US',
  },
  webServer: { command: 'npx vite preview --outDir dist-fake --port 1431 --strictPort', url: 'http://localhost:1431', reuseExistingServer: !process.env.CI },
});
