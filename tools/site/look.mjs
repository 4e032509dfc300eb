// SPDX-License-Identifier: BSL-1.0
// look.mjs <folder> [expression]: opens each page of the built site in Chromium, or those whose paths match. Fails if one is wider than
// the screen of a phone or a desk, contacts another host or lacks a file; if scripts of one page of each folder do so or
// throw; or if the search does not find a name.
import { createServer } from 'node:http'
import { readFileSync, readdirSync, mkdirSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { chromium } from 'playwright-core'

const [folder, pattern = ''] = process.argv.slice(2)
const widths = [390, 1440]
const shown = ['index.html', 'errors.html', 'api/attention.html', 'notebooks/self_attention.html', 'architecture.html']
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.json': 'application/json' }

const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname)
  try {
    const content = readFileSync(join(folder, path.endsWith('/') ? `${path}index.html` : path))
    response.writeHead(200, { 'content-type': types[extname(path)] ?? 'text/plain; charset=utf-8' }).end(content)
  } catch {
    response.writeHead(404).end()
  }
}).listen(0)
const origin = `http://localhost:${server.address().port}`

const pages = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.name.endsWith('.html') && entry.name !== '404.html')
  .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)))
  .filter((page) => new RegExp(pattern).test(page))
  .sort()
const problems = []
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
let current = ''

/** A tab that notes what pages ask for and do not get, and what their scripts throw. */
async function openTab(options) {
  const tab = await (await browser.newContext(options)).newPage()
  tab.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) problems.push(`${current}: asks for ${request.url()}`)
  })
  tab.on('response', (response) => {
    if (response.status() >= 400 && !response.url().endsWith('/favicon.ico')) problems.push(`${current}: there is no ${response.url()}`)
  })
  tab.on('pageerror', (error) => problems.push(`${current}: ${error.message}`))
  return tab
}

/** Measures a page at each width. */
async function measure(tab, page) {
  current = page
  await tab.goto(`${origin}/${page}`, { waitUntil: 'load' })
  for (const width of widths) {
    await tab.setViewportSize({ width, height: 900 })
    const needed = await tab.evaluate(() => document.documentElement.scrollWidth)
    if (needed > width) problems.push(`${page}: ${needed} px wide on a screen of ${width}`)
  }
}

// Pages are whole without their scripts, which all are the same and take most of the time.
const still = await openTab({ javaScriptEnabled: false })
for (const page of pages) await measure(still, page)

mkdirSync('screens', { recursive: true })
const tab = await openTab({})
const firsts = pages.filter((page, number) => number === 0 || dirname(page) !== dirname(pages[number - 1]))
for (const page of new Set([...firsts, ...shown.filter((page) => pages.includes(page))])) {
  await measure(tab, page)
  if (page === 'architecture.html') await tab.waitForSelector('figure.diagram svg', { timeout: 60000 })
  for (const width of widths) {
    await tab.setViewportSize({ width, height: 900 })
    await tab.waitForTimeout(500) // the sidebar slides away
    await tab.screenshot({ path: `screens/${page.replaceAll('/', '_')}.${width}.png` })
  }
}

current = 'search'
await tab.goto(`${origin}/index.html`, { waitUntil: 'networkidle' })
await tab.keyboard.press('Control+KeyK')
await tab.fill('#localsearch-input', 'rsqrt_extent')
const found = await tab.waitForSelector('#localsearch-list a.result', { timeout: 30000 }).catch(() => null)
if (!found) problems.push('the search does not find rsqrt_extent')
await tab.screenshot({ path: 'screens/search.png' })
await browser.close()
server.close()
console.log([...problems, `${pages.length} pages at ${widths.join(' and ')} px, ${problems.length} problems`].join('\n'))
process.exit(problems.length > 0 ? 1 : 0)
