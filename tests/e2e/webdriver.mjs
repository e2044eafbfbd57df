// A small WebDriver client (W3C, https://www.w3.org/TR/webdriver2/): only what the journeys use.

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

export class WebDriver {
  constructor(base) {
    this.base = base;
    this.session = undefined;
  }

  async begin(application, args = []) {
    const capabilities = { alwaysMatch: { 'tauri:options': { application, args } } };
    const { sessionId } = await this.request('POST', '/session', { capabilities });
    this.session = `/session/${sessionId}`;
    await this.request('POST', `${this.session}/timeouts`, { script: 30_000, implicit: 0 });
  }

  async end() {
    if (!this.session) return;
    await this.request('DELETE', this.session).catch(() => {});
    this.session = undefined;
  }

  async request(method, path, body) {
    const answer = await fetch(this.base + path, { method, body: body && JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${value?.error}: ${value?.message}`);
    return value;
  }

  /** Runs the body of a function in the page. */
  run(body, ...args) {
    return this.request('POST', `${this.session}/execute/sync`, { script: body, args });
  }

  async find(selector) {
    const found = await this.request('POST', `${this.session}/element`, { using: 'css selector', value: selector });
    return found[ELEMENT];
  }

  async click(selector) {
    // What is drawn anew between the look and the click is looked for again, as a hand would.
    for (let left = 3; ; left--) {
      const element = await this.until(() => this.find(selector), `an element ${selector}`);
      try {
        return await this.request('POST', `${this.session}/element/${element}/click`, {});
      } catch (error) {
        if (left === 0 || !/stale element/.test(error.message)) throw error;
      }
    }
  }

  async type(selector, text) {
    const element = await this.until(() => this.find(selector), `an element ${selector}`);
    await this.request('POST', `${this.session}/element/${element}/value`, { text });
  }

  /** Presses keys one after the other; modifiers first. */
  async press(...keys) {
    const down = keys.map((value) => ({ type: 'keyDown', value }));
    const up = keys.toReversed().map((value) => ({ type: 'keyUp', value }));
    await this.request('POST', `${this.session}/actions`, { actions: [{ type: 'key', id: 'keyboard', actions: [...down, ...up] }] });
  }

  async screenshot() {
    return Buffer.from(await this.request('GET', `${this.session}/screenshot`), 'base64');
  }

  /** Tries until something truthy comes back. */
  async until(attempt, what, milliseconds = 15_000) {
    const end = Date.now() + milliseconds;
    let last;
    while (Date.now() < end) {
      try {
        const value = await attempt();
        if (value) return value;
      } catch (error) {
        last = error;
      }
      await new Promise((done) => setTimeout(done, 80));
    }
    throw new Error(`waited in vain for ${what}${last ? ` (${last.message})` : ''}`);
  }

  /** Waits until the visible text of an element holds a text. */
  shows(selector, text, milliseconds) {
    const read = 'const all = [...document.querySelectorAll(arguments[0])]; return all.some((one) => (one.innerText ?? one.textContent ?? "").includes(arguments[1]));';
    return this.until(() => this.run(read, selector, text), `${JSON.stringify(text)} in ${selector}`, milliseconds);
  }

  /** Waits until an element is gone. */
  gone(selector, milliseconds) {
    return this.until(() => this.run('return document.querySelector(arguments[0]) === null', selector), `${selector} to go`, milliseconds);
  }
}

export const Keys = { control: '\uE009', shift: '\uE008', alt: '\uE00A', enter: '\uE007', escape: '\uE00C', tab: '\uE004', down: '\uE015', f2: '\uE032', f8: '\uE038' };
