import { expect, test } from '@playwright/test';

test('say, see before and after, accept, undo', async ({ page }) => {
  await page.goto('/');
  await expect(page.locator('[data-ready]')).toBeVisible();
  await page.getByLabel('What should change?').fill('replace "pilot" with "trial"');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Accept all' })).toBeVisible();
  await expect(page.locator('.merge')).toContainText('trial');
  await page.getByRole('button', { name: 'Accept all' }).click();
  await expect(page.getByText('Saved. Revision 2.')).toBeVisible();
  await page.getByRole('tab', { name: 'History' }).click();
  await page.locator('#undo').click();
  await expect(page.locator('main header')).toContainText('Revision 3');
});
