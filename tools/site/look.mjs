// SPDX-License-Identifier: BSL-1.0
// look.mjs <folder> <word> <page> [expression]: opens each page of the built site in Chromium, or those whose paths match, from a server and as
// files, at the widths of a phone and a desk. Fails if a page is wider than the screen, is empty, lacks an image or a file, contacts
// another host, has a script that throws or a line on the console, or shows markup; if a table of a desk is cut; if links between
// pages lead nowhere; or if the search of the word does not lead to the page.
import { createServer } from 'node:http'
import { existsSync, readFileSync, readdirSync, mkdirSync, statSync } from 'node:fs'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'

const [where, sought, place, pattern = ''] = process.argv.slice(2)
const folder = resolve(where)
const widths = [390, 1440]
const shown = ['index.html', 'errors.html', 'api/attention.html', 'notebooks/self_attention.html', 'notebooks/index.html', 'architecture.html']
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
const roots = { server: `http://localhost:${server.address().port}`, files: pathToFileURL(folder).href }

const pages = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.name.endsWith('.html') && entry.name !== '404.html')
  .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)))
  .filter((page) => new RegExp(pattern).test(page))
  .sort()
const problems = new Set()
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
let current = ''
const complain = (what) => problems.add(`${current}: ${what}`)

/** A tab that notes what pages ask for and do not get, and what their scripts say and throw. */
async function openTab(options = {}) {
  const tab = await (await browser.newContext(options)).newPage()
  tab.on('request', (request) => {
    const address = request.url()
    if (!/^(data|blob):/.test(address) && !Object.values(roots).some((root) => address.startsWith(root))) complain(`asks for ${address}`)
  })
  tab.on('requestfailed', (request) => {
    if (!request.failure().errorText.includes('ERR_ABORTED')) complain(`does not get ${request.url()}`)
  })
  tab.on('response', (response) => {
    if (response.status() >= 400 && !response.url().endsWith('/favicon.ico')) complain(`there is no ${response.url()}`)
  })
  tab.on('pageerror', (error) => complain(error.message))
  tab.on('console', (line) => {
    if (['error', 'warning'].includes(line.type()) && !line.location().url.endsWith('/favicon.ico')) complain(`the console has ${line.text()}`)
  })
  return tab
}

/** What is wrong with the page that a tab shows. Runs in the page. */
function faults({ desk }) {
  const main = document.querySelector('.vp-doc')
  if (!main) return ['there is no text']
  const found = []
  if (getComputedStyle(document.body).margin !== '0px') found.push('there is no style')
  const needed = document.documentElement.scrollWidth
  if (needed > innerWidth) found.push(`${needed} px wide on a screen of ${innerWidth}`)
  for (const image of main.querySelectorAll('img')) {
    if (!image.complete || image.naturalWidth === 0) found.push(`there is no image ${image.getAttribute('src')}`)
  }
  const prose = main.cloneNode(true)
  for (const code of prose.querySelectorAll('pre, code, mjx-container, figure, .header-anchor')) code.replaceWith(' ')
  if (main.textContent.trim().length < 60) found.push('the page is empty')
  const markup = /&(?:lt|gt|amp|quot|#\d+);|\{\{|```|\*\*|[^[]\]\(|[\\@](?:ref|param|return|brief|code)\b|^\s*#{1,6} |^\s*\||\|\s*:?---/m
  const shows = prose.textContent.match(markup) ?? main.textContent.match(/&(?:lt|gt|quot|#\d+);/)
  if (shows) found.push(`shows markup: ${shows[0].trim()}`)
  for (const table of desk ? main.querySelectorAll('table') : []) {
    // Tables of many numbers scroll.
    if (table.rows[0].cells.length < 8 && table.scrollWidth > table.clientWidth + 1) found.push(`the table ${table.textContent.trim().slice(0, 30)} is cut`)
  }
  return found
}

/** Opens a page and looks at it at each width. */
async function measure(tab, way, page) {
  current = `${page} (${way})`
  await tab.goto(`${roots[way]}/${page}`, { waitUntil: 'load' })
  for (const width of widths) {
    await tab.setViewportSize({ width, height: 900 })
    for (const fault of await tab.evaluate(faults, { desk: width >= 1000 })) complain(fault)
  }
}

/** Looks for the files and headings that the links of all pages lead to. */
function followLinks() {
  const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]))
  const anchors = new Map([...texts].map(([page, text]) => [page, new Set([...text.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]))]))
  let links = 0
  for (const [page, text] of texts) {
    current = page
    for (const [, target] of text.matchAll(/<(?:a|img|link|script)\b[^>]*? (?:href|src)="([^"]*)"/g)) {
      if (/^[a-z]+:/.test(target)) continue
      links++
      const [path, anchor] = decodeURIComponent(target.replaceAll('&amp;', '&')).split('#')
      const file = path === '' ? page : join(dirname(page), path)
      const place = join(folder, file)
      if (target.startsWith('/')) complain(`${target} leads out of the folder`)
      else if (!existsSync(place) || !statSync(place).isFile()) complain(`${target} leads nowhere`)
      else if (anchor && anchors.has(file) && !anchors.get(file).has(anchor)) complain(`${target} has no such heading`)
    }
  }
  return links
}

/** Opens the search and types. */
async function search(tab, way) {
  current = `search (${way})`
  await tab.goto(`${roots[way]}/index.html`, { waitUntil: 'networkidle' })
  await tab.keyboard.press('Control+KeyK')
  const opens = await tab.fill('#localsearch-input', sought, { timeout: 10000 }).then(() => true, () => false)
  if (!opens) return complain('does not open')
  const found = await tab.waitForSelector('#localsearch-list a.result', { timeout: 30000 }).catch(() => null)
  await tab.screenshot({ path: `screens/search.${way}.png` })
  if (!found) return complain(`does not find ${sought}`)
  await found.click()
  await tab.waitForURL((address) => address.pathname.endsWith(`/${place}`), { timeout: 10000 }).catch(() => complain(`does not lead to ${place}`))
}

/** The path in the folder of a file that an address leads to, or nothing. */
function fileAt(address, way) {
  const path = decodeURIComponent(new URL(address).href.split(/[#?]/)[0].slice(roots[way].length + 1))
  return path === '' || path.endsWith('/') ? `${path}index.html` : path
}

/** Opens pages one from another, by the menu and the sidebar, which stay, and by the text; all their links must lead to files. */
async function wander(tab, way) {
  current = `links (${way})`
  await tab.setViewportSize({ width: 1440, height: 900 })
  // From the first page into folders: there a link from the first page would lead elsewhere.
  await tab.goto(`${roots[way]}/index.html`, { waitUntil: 'networkidle' })
  for (const place of ['.VPNavBarMenu a', '.vp-doc a:not(.header-anchor)', '.VPSidebar a', '.VPNavBarMenu a', '.pager-link', '.VPSidebar a']) {
    const inside = tab.locator(`${place}[href*=".html"]:visible, ${place}[href$="/"]:visible`)
    const count = await inside.count()
    if (count === 0) return complain(`${tab.url()} has no link to a page in ${place}`)
    const files = (await inside.evaluateAll((anchors) => anchors.map((anchor) => anchor.href))).map((address) => fileAt(address, way))
    const number = files.findIndex((file, index) => index >= Math.floor(count / 2) - 1 && file !== fileAt(tab.url(), way))
    const file = files[number]
    await inside.nth(number).click()
    await tab.waitForFunction(([goal, start]) => {
      const path = decodeURIComponent(location.href.split(/[#?]/)[0].slice(start.length + 1))
      return (path === '' || path.endsWith('/') ? `${path}index.html` : path) === goal
    }, [file, roots[way]], { timeout: 20000 }).catch(() => complain(`${place} does not lead to ${file}`))
    await tab.waitForSelector('.vp-doc h1')
    for (const address of await tab.evaluate(() => [...document.links].map((anchor) => anchor.href))) {
      if (!address.startsWith(roots[way])) continue
      if (!existsSync(join(folder, fileAt(address, way)))) complain(`${file} leads to ${address} after ${place}`)
    }
  }
}

const links = followLinks()
mkdirSync('screens', { recursive: true })
for (const way of Object.keys(roots)) {
  const tab = await openTab()
  for (const page of pages) await measure(tab, way, page)
  for (const page of shown.filter((name) => pages.includes(name))) {
    await measure(tab, way, page)
    if (page === 'architecture.html') {
      await tab.waitForSelector('figure.diagram svg', { timeout: 60000 }).catch(() => complain('its diagram is not drawn'))
    }
    for (const width of widths) {
      await tab.setViewportSize({ width, height: 900 })
      await tab.waitForTimeout(500) // the sidebar slides away
      await tab.screenshot({ path: `screens/${page.replaceAll('/', '_')}.${way}.${width}.png` })
    }
  }
  await search(tab, way)
  await wander(tab, way)
}
// Without scripts pages are readable too.
const still = await openTab({ javaScriptEnabled: false })
for (const page of shown.filter((name) => pages.includes(name))) await measure(still, 'files', page)

await browser.close()
server.close()
console.log([...problems, `${pages.length} pages at ${widths.join(' and ')} px, ${links} links, ${problems.size} problems`].join('\n'))
process.exitCode = problems.size > 0 ? 1 : 0
