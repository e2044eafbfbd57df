import { mkdirSync } from 'node:fs';
import { expect, test, type Page } from '@playwright/test';
import { findings } from './axe';

// Every state that a person can meet, in both themes and both languages: axe finds nothing serious in it, and nothing runs out of the
// window. With STET_PICTURES it also leaves a picture of each to be looked at.

const pictures = process.env.STET_PICTURES;

interface Fake {
  changeOutside: (id: string, text: string) => void;
  conflict: (id: string) => void;
  failNext: Map<string, object>;
  documents: Map<string, { info: { state: string; warnings: object[]; file_id: string } }>;
  emit: (event: object) => void;
}

const LOOKS = [
  { name: 'light-en', colorScheme: 'light' as const, locale: 'en-US', viewport: { width: 1280, height: 800 } },
  { name: 'dark-zh', colorScheme: 'dark' as const, locale: 'zh-CN', viewport: { width: 1280, height: 800 } },
  { name: 'narrow-dark-en', colorScheme: 'dark' as const, locale: 'en-US', viewport: { width: 700, height: 720 } },
];

for (const look of LOOKS) {
  test.describe(look.name, () => {
    test.use({ colorScheme: look.colorScheme, locale: look.locale, viewport: look.viewport });
    const narrow = look.viewport.width < 900;

    const open = async (page: Page) => {
      await page.goto('/');
      await expect(page.locator('[data-ready]')).toBeVisible();
    };
    const pick = async (page: Page, name: string) => {
      if (narrow) await page.keyboard.press('Control+b');
      await page.locator(`button[data-file="${name}"]`).click();
      await expect(page.locator('main header h1').first()).toHaveText(name);
    };
    const say = async (page: Page, text: string) => {
      await page.keyboard.press('Control+l');
      await page.locator('#composer').fill(text);
      await page.keyboard.press('Enter');
    };
    const inMiddle = async (page: Page) => {
      if (narrow && (await page.locator('.veil').count()) > 0) await page.locator('.veil').click({ position: { x: 5, y: 300 } });
    };
    const sound = async (page: Page, state: string) => {
      // Anything that fades in has arrived.
      await page.waitForTimeout(250);
      if (pictures) {
        mkdirSync(pictures, { recursive: true });
        await page.screenshot({ path: `${pictures}/${look.name}-${state}.png` });
      }
      expect([state, await findings(page)]).toEqual([state, []]);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([state, over <= 1]).toEqual([state, true]);
    };
    const fake = <Value>(page: Page, work: (given: Fake) => Value) => page.evaluate(`(${work.toString()})(window.stetFake)`) as Promise<Value>;

    test('the guide', async ({ page }) => {
      await open(page);
      await page.keyboard.press('F1');
      await expect(page.getByRole('dialog')).toBeVisible();
      const pages = page.getByRole('dialog').getByRole('tab');
      for (let at = 0; at < (await pages.count()); at += 1) {
        await pages.nth(at).click();
        await sound(page, `help-${at}`);
      }
    });

    test('what is kept out, what leaves, and the assistant before and after', async ({ page }) => {
      await open(page);
      await page.keyboard.press('Control+l');
      await sound(page, 'assistant-empty');
      await page.locator('.files summary').click();
      await sound(page, 'assistant-files');
      await page.locator('.files button').nth(1).click();
      await expect(page.getByRole('dialog')).toBeVisible();
      await sound(page, 'parts');
      await page.keyboard.press('Escape');
      await say(page, 'replace "nowhere" with "x"');
      await expect(page.locator('[data-tool="file_edit"]')).toBeVisible();
      await sound(page, 'assistant-refused');
      for (const summary of await page.locator('[role=log] details:not([open]) > summary').all()) await summary.click();
      await sound(page, 'assistant-unfolded');
    });

    test('editors by hand in all four formats', async ({ page }) => {
      await open(page);
      await page.locator('#composer, main').first().waitFor();
      await pick(page, 'budget.xlsx');
      await page.locator('[data-cell="B5"]').dblclick();
      await expect(page.locator('input.editor')).toBeVisible();
      await sound(page, 'hand-sheet');
      await page.keyboard.press('Escape');
      await pick(page, 'kickoff.pptx');
      await page.locator('[data-slide="2"] .target').first().focus();
      await page.keyboard.press('Enter');
      await expect(page.locator('.in-place textarea')).toBeVisible();
      await sound(page, 'hand-slide');
      await page.keyboard.press('Escape');
      await pick(page, 'agreement.docx');
      await expect(page.locator('main .box')).toHaveAttribute('aria-busy', 'false');
      await page.locator('main .box').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await expect(page.locator('.in-place textarea')).toBeVisible();
      await sound(page, 'hand-word');
      await page.keyboard.press('Escape');
      await pick(page, 'welcome.md');
      await sound(page, 'text');
    });

    test('a review, its history, and a comparison', async ({ page }) => {
      await open(page);
      await say(page, 'replace "pilot" with "trial"');
      await expect(page.locator('#accept')).toBeVisible();
      await inMiddle(page);
      await sound(page, 'review');
      await page.locator('#accept').click();
      await expect(page.locator('#accept')).toBeHidden();
      await page.locator('#tab-history').click();
      await sound(page, 'history');
      const compare = page.locator('main [aria-label="List of changes"], main [data-compare], main ol button, main li button').first();
      if (await compare.isVisible()) await compare.click();
      await sound(page, 'history-chosen');
    });

    test('the palette and the settings', async ({ page }) => {
      await open(page);
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('dialog')).toBeVisible();
      await sound(page, 'palette');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+,');
      const tabs = page.getByRole('dialog').getByRole('tab');
      for (let at = 0; at < (await tabs.count()); at += 1) {
        await tabs.nth(at).click();
        await sound(page, `settings-${at}`);
      }
      await page.locator('#settings-models').click();
      await page.getByRole('dialog').locator('select').last().selectOption('ollama');
      await page.getByRole('dialog').locator('select').last().locator('xpath=following::button[1]').click();
      await sound(page, 'settings-endpoint');
    });

    test('states that are not simply well', async ({ page }) => {
      await open(page);
      await fake(page, (given) => given.changeOutside('file-00000001', '# Pilot plan\n\nWritten elsewhere.\n'));
      await expect(page.locator('[data-outside]')).toBeVisible();
      await sound(page, 'outside');
      for (const state of ['missing', 'read_only', 'locked'] as const) {
        await page.evaluate((wanted) => {
          const given = (window as unknown as { stetFake: Fake }).stetFake;
          const { info } = given.documents.get('file-00000001') ?? {};
          if (!info) return;
          info.state = wanted;
          info.warnings = [{ code: 'has_macros', message: 'The document holds macros.' }, { code: 'is_protected', where: 'slide 2', message: 'It is protected.' }];
          given.emit({ event: 'document_changed', document: info });
        }, state);
        await page.locator('details.notices summary').first().click();
        await sound(page, `state-${state}`);
        await page.locator('details.notices summary').first().click();
      }
    });

    test('an error where a preview should be, and nothing open at all', async ({ page }) => {
      await open(page);
      await fake(page, (given) => void given.failNext.set('preview.sheet', { code: 'damaged_document', message: 'The part xl/workbook.xml cannot be read.', hint: 'Open it with the program that made it.', matches: [] }));
      await pick(page, 'budget.xlsx');
      await expect(page.locator('main [role=alert]')).toBeVisible();
      await sound(page, 'error');
      for (const _ of [1, 2, 3, 4]) {
        if (narrow) await page.keyboard.press('Control+b');
        await page.keyboard.press('Control+w');
      }
      await sound(page, 'closed');
    });
  });
}
