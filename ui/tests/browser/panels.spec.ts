import { expect, test, type Page } from '@playwright/test';

async function open(page: Page): Promise<void> {
  await page.goto('/');
  await expect(page.locator('[data-ready]')).toBeVisible();
}

type Calls = { calls: { command: string; params: Record<string, unknown> }[]; changeOutside: (id: string, text: string) => void };
const fake = (page: Page, command: string) => page.evaluate((wanted) => (window as unknown as { stetFake: Calls }).stetFake.calls.findLast((call) => call.command === wanted)?.params, command);

test('a message never covers what is being decided', async ({ page }) => {
  await open(page);
  await page.locator('#composer').fill('replace "pilot" with "trial"');
  await page.keyboard.press('Enter');
  await page.locator('#accept').click();
  await expect(page.getByText('Saved. Revision 2.')).toBeVisible();
  await page.locator('#composer').fill('replace "teams" with "groups"');
  // While the turn before is still ending, the place of the button is taken by the one that stops it.
  await expect(page.locator('#send')).toBeEnabled();
  await page.keyboard.press('Enter');
  await expect(page.locator('#accept')).toBeVisible();
  const covered = await page.evaluate(() => {
    const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
    const [notices, list] = [box('.notices'), box('[aria-label="List of changes"]')];
    return notices && list ? notices.top < list.bottom - 0.5 : undefined;
  });
  expect(covered).toBe(false);
});

test('parts of a document are kept out, and the assistant begins anew', async ({ page }) => {
  await open(page);
  await page.locator('.files summary').click();
  await page.getByRole('button', { name: 'What the assistant may see of budget.xlsx' }).click();
  await page.getByLabel('Dates').uncheck();
  await page.getByLabel('Cell area').fill('Budget!C4:D9');
  await page.getByRole('button', { name: 'Keep out' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  expect(await fake(page, 'settings.update')).toEqual({ changes: { kept_out: { 'file-00000002': ['sheet:Dates', 'range:Budget!C4:D9'] } } });
  await expect(page.locator('.files')).toContainText('without 2 parts');
});

test('an endpoint is added, lists its models and answers a test', async ({ page }) => {
  await open(page);
  await page.keyboard.press('Control+,');
  await page.getByRole('tab', { name: 'Models' }).click();
  await page.getByLabel('Kind of endpoint').selectOption('ollama');
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByLabel('Context size').fill('1000');
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Context size')).toHaveValue('2048');
  expect(await fake(page, 'settings.update')).toMatchObject({ changes: { providers: [{ id: 'ollama', context_tokens: 2048 }] } });
  await page.getByRole('button', { name: 'List the models' }).click();
  await page.getByLabel('medium', { exact: true }).check();
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(page.locator('[data-test-answer]')).toContainText('medium answered in 420 ms');
  await page.getByRole('button', { name: 'Use this model' }).click();
  expect(await fake(page, 'settings.update')).toEqual({ changes: { model: 'ollama/medium' } });
});

test('the proxy is a switch, and what clients need can be copied', async ({ page }) => {
  await open(page);
  await page.evaluate(() => {
    const provider = { id: 'local', name: 'Local', base_url: 'http://127.0.0.1:1/v1', models: [], needs_key: false, headers: [] };
    (window as unknown as { stetFake: { settings: { providers: unknown[] } } }).stetFake.settings.providers = [provider];
  });
  await page.keyboard.press('Control+,');
  await page.getByRole('tab', { name: 'Models' }).click();
  await page.getByLabel('Kind of endpoint').selectOption('ollama');
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('tab', { name: 'Other programs' }).click();
  const proxy = page.getByRole('switch', { name: 'Proxy' });
  await expect(proxy).toHaveAttribute('aria-checked', 'false');
  await proxy.click();
  await expect(proxy).toHaveAttribute('aria-checked', 'true');
  await expect(page.getByRole('dialog')).toContainText('OPENAI_API_KEY=token');
  await expect(page.getByRole('dialog')).toContainText('"mcp"');
  await page.getByLabel('Edits of that program').selectOption('commit');
  await expect(page.getByRole('dialog')).toContainText('"--commit"');
});

test('the guide opens on F1 and is walked from the keyboard', async ({ page }) => {
  await open(page);
  await page.keyboard.press('F1');
  const help = page.getByRole('dialog', { name: 'Help' });
  await expect(help.getByRole('heading', { name: 'Begin' })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(help.getByRole('heading', { name: 'Say what should change' })).toBeVisible();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowUp');
  await expect(help.getByRole('row', { name: 'Command palette' })).toContainText('Ctrl');
  await page.keyboard.press('Escape');
  await expect(help).toBeHidden();
});

test('what another program changed is told, and compared on demand', async ({ page }) => {
  await open(page);
  await page.evaluate(() => (window as unknown as { stetFake: Calls }).stetFake.changeOutside('file-00000001', '# Pilot plan\n\nWritten elsewhere.\n'));
  await expect(page.locator('[data-outside]')).toContainText('Another program changed this document.');
  await page.locator('[data-outside]').getByRole('button', { name: 'Before and after' }).click();
  await expect(page.getByRole('region', { name: 'List of changes' })).toContainText('Written elsewhere.');
  await expect(page.locator('[data-outside]')).toBeHidden();
});

test('a shape is changed where it stands', async ({ page }) => {
  await open(page);
  await page.locator('button[data-file="kickoff.pptx"]').click();
  await page.locator('[data-slide="2"] .target').first().focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Another title');
  await page.keyboard.press('Control+Enter');
  expect(await fake(page, 'documents.edit')).toMatchObject({ mode: 'stage', by_user: true, ops: [{ op: 'pptx_set_text', slide: 2, shape: '2', paragraphs: [{ text: 'Another title' }] }] });
});

test('in Chinese a refusal is told in Chinese, with the core’s own words on demand', async ({ browser }) => {
  const context = await browser.newContext({ locale: 'zh-CN' });
  const page = await context.newPage();
  await open(page);
  await page.locator('#composer').fill('replace "nowhere" with "x"');
  await page.keyboard.press('Enter');
  const card = page.locator('[data-tool="file_edit"]');
  await expect(card).toContainText('没有找到这段文字');
  await expect(card).toContainText('请从文档中原样复制这段文字。');
  await expect(card.getByText('is not in the document')).toBeHidden();
  await context.close();
});

test('a Word paragraph is walked to, changed where it stands, and sent as it was read', async ({ page }) => {
  await open(page);
  await page.locator('button[data-file="agreement.docx"]').click();
  await expect(page.frameLocator('main iframe').locator('body')).toContainText('Northwind');
  await expect(page.locator('main .box')).toHaveAttribute('aria-busy', 'false');
  await page.locator('main .box').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(page.frameLocator('main iframe').locator('.stet-here')).toContainText('This agreement is made');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Change paragraph 2')).toHaveValue('Supply agreement');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Changed');
  await page.keyboard.press('Control+Enter');
  expect(await fake(page, 'documents.edit')).toMatchObject({ mode: 'stage', by_user: true, ops: [{ op: 'docx_set_paragraph', at: 'p2', text: 'Changed' }] });
  await expect(page.locator('main .box')).toBeFocused();
});

test('a Word paragraph is picked with the mouse, and words in it are selected', async ({ page }) => {
  await open(page);
  await page.locator('button[data-file="agreement.docx"]').click();
  const paragraph = page.frameLocator('main iframe').locator('p', { hasText: 'twelve months' });
  await expect(paragraph).toBeVisible();
  await expect(page.locator('main .box')).toHaveAttribute('aria-busy', 'false');
  const box = await paragraph.boundingBox();
  if (!box) throw new Error('no place');
  await page.mouse.move(box.x + 4, box.y + 8);
  await page.mouse.down();
  await page.mouse.move(box.x + 180, box.y + 8, { steps: 4 });
  await page.mouse.up();
  const selected = await page.evaluate(() => (document.querySelector('main iframe') as HTMLIFrameElement).contentDocument?.getSelection()?.toString());
  expect(selected).toMatch(/^The agreement/);
  await expect(paragraph).toHaveClass(/stet-here/);
  await page.mouse.dblclick(box.x + 60, box.y + 8);
  await expect(page.locator('.in-place textarea')).toBeFocused();
  const over = await page.locator('.in-place').boundingBox();
  expect(over && Math.abs(over.y - box.y) < 40).toBe(true);
  await page.keyboard.press('Escape');
  await expect(page.locator('.in-place')).toBeHidden();
});
