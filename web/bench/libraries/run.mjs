import { chromium } from 'playwright-core';
import { build, preview } from 'vite';
const root = new URL('.', import.meta.url).pathname;
await build({ root, configFile: false, logLevel: 'error', build: { outDir: '/tmp/netbench', emptyOutDir: true, target: 'es2022' } });
const server = await preview({ root, configFile: false, build: { outDir: '/tmp/netbench' }, preview: { port: 4391 } });
const flags = ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
for (const [name, extra] of process.env.ONE ? [['plain', []]] : [['swiftshader', ['--disable-gpu', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']], ['no gpu flags', ['--disable-gpu']]]) {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: [...flags, ...extra] });
  for (const way of process.argv.slice(2).length ? process.argv.slice(2) : ['twgl', 'regl', 'pixi', 'canvas']) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.on('pageerror', (e) => console.log(way, 'error', e.message.slice(0, 200)));
    await page.goto(`http://localhost:4391/?way=${way}`);
    try { await page.waitForFunction('window.result', null, { timeout: 20000 }); console.log(name, await page.evaluate('window.result')); } catch (e) { console.log(name, way, 'no result', String(e).slice(0, 80)); }
    await page.close();
  }
  await browser.close();
}
await server.close(); process.exit(0);
