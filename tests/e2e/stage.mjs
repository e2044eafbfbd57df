// The stage of a journey: a screen of its own (Xvfb with a window manager), a Stet home of its own, documents of its own, and the
// built app driven through tauri-driver. Everything it starts ends with it.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebDriver } from './webdriver.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
export const repository = path.resolve(here, '../..');
const application = process.env.STET_APP ?? path.join(repository, 'target/debug/stet-desktop');
const driver = process.env.STET_TAURI_DRIVER ?? path.join(repository, 'target/tools/bin/tauri-driver');
/** Screenshots are kept outside the repository, when somebody wants them. */
const artefacts = process.env.STET_ARTEFACTS;

export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

export class Stage {
  static async open({ width = 1280, height = 800 } = {}) {
    const stage = new Stage();
    stage.folder = mkdtempSync(path.join(tmpdir(), 'stet-e2e-'));
    stage.home = path.join(stage.folder, 'home');
    stage.documents = path.join(stage.folder, 'documents');
    mkdirSync(stage.documents);
    stage.running = [];
    stage.display = await stage.screen(width, height);
    return stage;
  }

  get environment() {
    const { WAYLAND_DISPLAY: _, ...outer } = process.env;
    return {
      ...outer, DISPLAY: this.display, STET_HOME: this.home, HOME: path.join(this.folder, 'user'), XDG_RUNTIME_DIR: this.folder,
      GDK_BACKEND: 'x11', LANG: 'C.UTF-8', LANGUAGE: 'en', GTK_THEME: 'Adwaita', NO_AT_BRIDGE: '1', ...this.extra,
    };
  }

  /** A virtual screen under a number that the server itself chooses. */
  async screen(width, height) {
    const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', `${width}x${height}x24`, '-nolisten', 'tcp'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], detached: true });
    this.running.push(server);
    const [number] = await once(server.stdio[3], 'data');
    const display = `:${String(number).trim()}`;
    const manager = spawn('openbox', [], { env: { ...process.env, DISPLAY: display }, stdio: 'ignore', detached: true });
    this.running.push(manager);
    mkdirSync(path.join(this.folder, 'user'), { recursive: true });
    return display;
  }

  /** Copies a sample (or any file) among this stage's documents. */
  document(name, content) {
    const target = path.join(this.documents, name);
    if (content === undefined) cpSync(path.join(repository, 'samples', name), target);
    else writeFileSync(target, content);
    return target;
  }

  /** Starts the app with files, and waits until its page can be used. */
  async start(...files) {
    return await this.startProgram(application, files, '[data-ready]');
  }

  /** The same for any program with a web view, such as the empty window that a bench measures against. */
  async startProgram(program, files, ready) {
    const [port, native] = [await freePort(), await freePort()];
    this.driver = spawn(driver, ['--port', String(port), '--native-port', String(native)], { env: this.environment, stdio: 'ignore', detached: true });
    this.running.push(this.driver);
    await listening(port);
    await listening(native);
    this.page = new WebDriver(`http://127.0.0.1:${port}`);
    await this.page.begin(program, files);
    await this.page.until(() => this.page.find(ready), 'the window');
    return this.page;
  }

  /** Ends the app and starts it again on the same home. */
  async restart(...files) {
    await this.stop();
    return await this.start(...files);
  }

  async stop() {
    await this.page?.end();
    await end(this.driver);
    this.running = this.running.filter((child) => child !== this.driver);
  }

  async close() {
    await this.page?.end();
    for (const child of this.running.toReversed()) await end(child);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async picture(name) {
    if (!artefacts) return;
    mkdirSync(artefacts, { recursive: true });
    writeFileSync(path.join(artefacts, `${name}.png`), await this.page.screenshot());
  }

  /** Says something to the assistant. */
  async say(text) {
    await this.page.until(() => this.page.run("return document.getElementById('send') !== null"), 'the assistant to be free');
    await this.page.click('#composer');
    await this.page.type('#composer', text);
    await this.page.click('#send');
  }

  /** Asks the core directly, as the page does. */
  async ask(command, params) {
    const script = `
      const done = arguments[arguments.length - 1];
      window.__TAURI_INTERNALS__.invoke('call', { request: { command: arguments[0], params: arguments[1] } }).then((value) => done({ value }), (error) => done({ error }));
    `;
    return await this.page.request('POST', `${this.page.session}/execute/async`, { script, args: [command, params] });
  }

  /** The id of an open document. */
  async fileId(name) {
    const { value } = await this.ask('documents.list', {});
    return value.find((document) => document.name === name)?.file_id;
  }

  async accept() {
    await this.page.click('#accept');
    await this.page.gone('#accept');
  }

  select(name) {
    return this.page.click(`button[data-file="${name}"]`);
  }

  /** The tool that X clients are driven with. */
  x(...words) {
    return execFileSync('xdotool', words, { encoding: 'utf8', env: this.environment }).trim();
  }

  async xWindow(name) {
    return await this.page.until(() => this.x('search', '--onlyvisible', '--name', name).split('\n')[0], `a window ${name}`);
  }

  /** Runs a program on this stage's screen until the stage closes. */
  run(program, ...words) {
    const child = spawn(program, words, { env: this.environment, stdio: 'ignore', detached: true });
    this.running.push(child);
    return child;
  }
}

async function end(child) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  try {
    // tauri-driver leaves its own children behind, so the whole group is ended.
    process.kill(-child.pid, 'SIGTERM');
  } catch {
    return;
  }
  const forced = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 4_000);
  await ended.catch(() => {});
  clearTimeout(forced);
}

function freePort() {
  return new Promise((done) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

async function listening(port) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const ok = await new Promise((done) => {
      const socket = net.connect(port, '127.0.0.1', () => done(true)).on('error', () => done(false));
      socket.on('close', () => {}).unref();
      setTimeout(() => socket.destroy(), 200).unref();
    });
    if (ok) return;
    await pause(50);
  }
  throw new Error(`nothing listens on ${port}`);
}

/** Whether the built app is there at all. */
export function isBuilt() {
  return existsSync(application) && existsSync(driver);
}
