import { expect, test, type Page } from '@playwright/test';
import { findings } from './axe';

async function open(page: Page): Promise<void> {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await page.goto('/');
  await expect(page.locator('[data-ready]')).toBeVisible();
  expect(problems).toEqual([]);
}

const opened = (page: Page, name: string) => page.locator(`button[data-file="${name}"]`);

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    for (const name of ['welcome.md', 'budget.xlsx', 'kickoff.pptx', 'agreement.docx']) {
      test(`no serious accessibility finding with ${name}`, async ({ page }) => {
        await open(page);
        await opened(page, name).click();
        await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
        await page.waitForTimeout(500);
        expect(await findings(page)).toEqual([]);
      });
    }

    test('nor in a review, the history, the palette and the settings', async ({ page }) => {
      await open(page);
      await page.locator('#composer').fill('replace "pilot" with "trial"');
      await page.keyboard.press('Enter');
      await expect(page.locator('#accept')).toBeVisible();
      await page.waitForTimeout(400);
      expect(await findings(page)).toEqual([]);
      await page.getByRole('tab', { name: 'History' }).click();
      expect(await findings(page)).toEqual([]);
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('dialog')).toBeVisible();
      expect(await findings(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+,');
      for (const tab of ['General', 'Models', 'Limits', 'History', 'Other programs', 'Counters', 'Data']) {
        await page.getByRole('dialog').getByRole('tab', { name: tab }).click();
        expect([tab, await findings(page)]).toEqual([tab, []]);
      }
    });
  });
}

test('the review can be walked and decided from the keyboard', async ({ page }) => {
  await open(page);
  await page.keyboard.press('Control+l');
  await expect(page.locator('#composer')).toBeFocused();
  await page.keyboard.type('replace "pilot" with "trial"');
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 of 2')).toBeVisible();
  await page.keyboard.press('F8');
  await expect(page.getByText('2 of 2')).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('Saved. Revision 2.')).toBeVisible();
});

test('some changes can be left out', async ({ page }) => {
  await open(page);
  await page.locator('#composer').fill('replace "pilot" with "trial"');
  await page.keyboard.press('Enter');
  await page.getByLabel('Take change 2').uncheck();
  await page.getByRole('button', { name: 'Accept 1 selected' }).click();
  const accepted = await page.evaluate(() => (window as unknown as { stetFake: { calls: { command: string; params: { changes?: number[] } }[] } }).stetFake.calls.find(({ command }) => command === 'proposals.accept')?.params.changes);
  expect(accepted).toEqual([0]);
});

test('a sheet shows formats and formulas, and is changed by hand', async ({ page }) => {
  await open(page);
  await opened(page, 'budget.xlsx').click();
  const cell = page.locator('[data-cell="B6"]');
  await expect(cell).toHaveText('1,200');
  await cell.click();
  await page.locator('[data-cell="D5"]').click();
  await expect(page.locator('.content')).toHaveText('=B5-C5');
  await cell.dblclick();
  await page.getByLabel('Content of B6').fill('1300');
  await page.keyboard.press('Enter');
  const op = await page.evaluate(() => (window as unknown as { stetFake: { calls: { command: string; params: { ops: unknown[] } }[] } }).stetFake.calls.find(({ command }) => command === 'documents.edit')?.params.ops[0]);
  expect(op).toEqual({ op: 'xlsx_set_cell', sheet: 'Budget', cell: 'B6', value: 1300 });
});

test('cells are dressed as the workbook wants them', async ({ page }) => {
  await open(page);
  await opened(page, 'budget.xlsx').click();
  await page.getByRole('tab', { name: 'Dates' }).click();
  const cell = (at: string) => page.locator(`[data-cell="${at}"]`);
  await expect(cell('A1').locator('.text span').nth(1)).toHaveCSS('color', 'rgb(192, 0, 0)');
  await expect(cell('A1').locator('.text span').nth(1)).toHaveCSS('font-weight', '700');
  const width = async (at: string) => (await cell(at).locator('.text').boundingBox())?.width ?? 0;
  const whole = (await cell('A2').boundingBox())?.width ?? 0;
  expect(await width('A2')).toBeGreaterThan(whole + 100);
  expect(await width('A3')).toBeLessThanOrEqual(whole + 1);
  const [left, own] = [await cell('D4').locator('.text').boundingBox(), await cell('D4').boundingBox()];
  expect(left && own && left.x + left.width <= own.x + own.width + 1).toBe(true);
  // A number is never cut: it is rounded where its format allows it, and hidden behind signs where not.
  await expect(cell('B5')).toHaveText(/^#+$/);
  await expect(cell('C5')).toHaveText(/^3\.14159/);
  const [number, around] = [await cell('C5').locator('.text').boundingBox(), await cell('C5').boundingBox()];
  expect(number && around && number.x >= around.x).toBe(true);
  await expect(cell('A6')).toHaveCSS('border-top', '1px solid rgb(27, 33, 31)');
  await expect(cell('A6')).toHaveCSS('border-bottom-style', 'double');
  await expect(cell('B8').locator('svg')).toHaveAttribute('data-icon', '3Arrows 1');
  await expect(page.locator('.sheet-grid svg.icon')).toHaveCount(22);
  for (const drawn of await page.locator('.sheet-grid svg.icon').all()) expect(await drawn.locator('*').count()).toBeGreaterThan(0);
  const bar = await cell('A17').locator('.bar').boundingBox();
  expect(bar && bar.x > (await cell('A17').boundingBox())!.x + 10).toBe(true);
  await expect(cell('A18')).toHaveText('');
  await expect(cell('A19')).toHaveCSS('background-color', 'rgb(255, 199, 206)');
});

test('a sheet from right to left lies mirrored, and is walked and changed as it lies', async ({ page }) => {
  await open(page);
  await opened(page, 'budget.xlsx').click();
  await page.getByRole('tab', { name: 'Mirrored' }).click();
  const cell = (at: string) => page.locator(`[data-cell="${at}"]`);
  const at = async (name: string) => (await cell(name).boundingBox())!;
  expect((await at('B6')).x).toBeGreaterThan((await at('C6')).x);
  const grid = (await page.locator('.sheet-grid').boundingBox())!;
  const row = (await page.locator('.heads.rows').boundingBox())!;
  expect(row.x + row.width).toBeGreaterThan(grid.x + grid.width - 3);
  await cell('B6').click();
  await expect(cell('B6')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowLeft');
  await expect(cell('C6')).toHaveAttribute('aria-selected', 'true');
  await cell('B6').dblclick();
  const [editor, under] = [(await page.getByLabel('Content of B6').boundingBox())!, await at('B6')];
  expect(Math.abs(editor.x - under.x)).toBeLessThan(4);
  await page.screenshot({ path: test.info().outputPath('mirrored.png') });
});

test('the last row of the longest sheet can be reached', async ({ page }) => {
  await open(page);
  await opened(page, 'budget.xlsx').click();
  await page.getByRole('tab', { name: 'Dates' }).click();
  await page.getByLabel('Selected cell').fill('A1048576');
  await page.keyboard.press('Enter');
  await expect(page.locator('.rows .head', { hasText: '1048576' })).toBeVisible();
});

test('slides without a picture are shown as text', async ({ page }) => {
  await open(page);
  await opened(page, 'kickoff.pptx').click();
  await expect(page.locator('[data-slide="2"]')).toContainText('Reach the readers');
  await expect(page.locator('[data-slide="2"]')).toContainText('This slide is shown as text');
});

test('a Word document is drawn in a frame that can run nothing', async ({ page }) => {
  await open(page);
  await opened(page, 'agreement.docx').click();
  const frame = page.frameLocator('iframe');
  await expect(frame.locator('body')).toContainText('Northwind Paper');
  expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-same-origin');
});

test('Chinese, narrow and wide windows keep everything in reach', async ({ browser }) => {
  for (const viewport of [{ width: 720, height: 600 }, { width: 1920, height: 1080 }]) {
    const context = await browser.newContext({ viewport, locale: 'zh-CN' });
    const page = await context.newPage();
    await open(page);
    if (viewport.width < 900) await page.getByRole('button', { name: '显示或隐藏助手' }).click();
    await expect(page.getByRole('heading', { name: '助手' })).toBeVisible();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(overflow).toBe(false);
    await context.close();
  }
});

test('a refusal says what, why and what to do', async ({ page }) => {
  await open(page);
  await page.locator('#composer').fill('replace "nowhere" with "x"');
  await page.keyboard.press('Enter');
  const card = page.locator('[data-tool="file_edit"]');
  await expect(card).toContainText('The text was not found');
  await expect(card).toContainText('Copy the words from the document.');
});
