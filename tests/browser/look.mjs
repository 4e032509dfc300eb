// SPDX-License-Identifier: BSL-1.0
// look.mjs <folder of the page> <node_modules with playwright-core> [folder of the model]: opens the page of ./run browser in Chromium at
// the widths of a phone and a desk, and moves its sliders. Fails if the page is wider than the screen, asks another host, throws, or
// shows other weights, plans, times or stories than it should. Writes page_<width>.png beside the folder.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join, resolve } from 'node:path'

const [page_folder, modules, models] = process.argv.slice(2)
const folder = resolve(page_folder)
const { chromium } = createRequire(join(resolve(modules), 'of.js'))('playwright-core')
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' }

const server = createServer((request, response) => {
  const asked = new URL(request.url, 'http://localhost').pathname
  const path = asked === '/' ? '/index.html' : asked
  try {
    const content = readFileSync(join(folder, path))
    response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' }).end(content)
  } catch {
    response.writeHead(404).end()
  }
}).listen(0)
const address = `http://localhost:${server.address().port}`

/** The numbers of the heat map, row by row; NaN for a dot. */
const weights = (tab) => tab.$$eval('#weights span[style], #weights span', (cells) =>
  cells.map((cell) => cell.textContent).filter((words) => words === '·' || /^\d\.\d\d$/.test(words)).map(Number))
const excluded = async (tab) => (await weights(tab)).filter(Number.isNaN).length
const slide = (tab, id, value) => tab.$eval(`#${id}`, (slider, to) => {
  slider.value = to
  slider.dispatchEvent(new Event('input', { bubbles: true }))
}, String(value))

async function look(tab) {
  await tab.goto(address)
  await tab.waitForSelector('body[data-attention=ready][data-story=ready]')
  assert.equal((await weights(tab)).length, 36)
  for (const [mask, dots] of [['0', 0], ['1', 15], ['2', 20], ['3', 6]]) {
    await tab.check(`input[name=mask][value="${mask}"]`)
    if (mask === '3') await slide(tab, 'keys', 5)
    assert.equal(await excluded(tab), dots, `mask ${mask}`)
    const rows = await weights(tab)
    for (let i = 0; i < 6; ++i) {
      const sum = rows.slice(6 * i, 6 * i + 6).filter((weight) => !Number.isNaN(weight)).reduce((a, b) => a + b)
      assert.ok(Math.abs(sum - 1) < 0.04, `mask ${mask}: row ${i} sums up to ${sum}`)
    }
    const shown = await tab.textContent('#plan')
    assert.ok(shown.includes('matmul') && shown.includes('KiB'), `mask ${mask}: the plan is ${shown.slice(0, 80)}`)
  }
  await slide(tab, 'keys', 0)
  assert.equal(await excluded(tab), 36, 'no key is kept')
  await tab.check('input[name=mask][value="0"]')
  await tab.$eval('#masks', (form) => { form.querySelector('#scale').value = 0; form.dispatchEvent(new Event('input')) })
  assert.ok((await weights(tab)).every((weight) => weight === 0.17), 'without scale all weights are equal')
  await tab.click('#measure')
  assert.match(await tab.textContent('#times'), /\d times as fast; the largest difference is \de-\d/)
  assert.equal(await tab.isDisabled('#tell'), true)
  if (models) {
    await tab.setInputFiles('#files', ['stories260K.safetensors', 'tok512.bin'].map((name) => join(models, name)))
    await tab.waitForSelector('#tell:enabled')
    await tab.click('#tell')
    await tab.waitForSelector('#story[data-told]', { timeout: 60000 })
    const story = await tab.textContent('#story')
    assert.ok(story.startsWith(readFileSync(join(models, 'greedy.txt'), 'utf8').trim()), `the story is ${story}`)
  }
  const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  assert.ok(wide <= 0, `${wide} px wider than the screen`)
}

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  for (const width of [390, 1440]) {
    const tab = await (await browser.newContext({ viewport: { width, height: 900 } })).newPage()
    const complaints = []
    tab.on('request', (request) => { if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(address)) complaints.push(`asks for ${request.url()}`) })
    tab.on('response', (response) => { if (response.status() >= 400) complaints.push(`there is no ${response.url()}`) })
    tab.on('pageerror', (error) => complaints.push(error.message))
    tab.on('console', (line) => { if (['error', 'warning'].includes(line.type())) complaints.push(line.text()) })
    await look(tab)
    assert.deepEqual(complaints, [], `at ${width} px`)
    await tab.screenshot({ path: join(dirname(folder), `page_${width}.png`), fullPage: true })
    console.log(`${width} px: ${await tab.textContent('#times .note:last-child')}`)
  }
} finally {
  await browser.close()
  server.close()
}
