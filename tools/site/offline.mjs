// SPDX-License-Identifier: BSL-1.0
// Makes the built pages readable from a folder as well: links relative to each page, and scripts that browsers run there.
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const TAG = /<(?:a|img|link)\b[^>]*>/g
const MODULE = /<script type="module" src="\/([^"]+)"><\/script>\s*/g
const PRELOAD = /<link rel="modulepreload"[^>]*>\s*/g

/** The file that a server sends for a path, which begins after the root. */
function fileOf(target) {
  const [path, ...anchor] = target.split('#')
  return [path === '' || path.endsWith('/') ? `${path}index.html` : path, ...anchor].join('#')
}

/** The HTML of a page with relative links. Its modules, which browsers refuse to load from files, are loaded by plain/start.js. */
export function openable(html, page) {
  const root = '../'.repeat(page.split('/').length - 1) || './'
  const modules = [...html.matchAll(MODULE)].map((match) => match[1])
  return html
    .replace(MODULE, '')
    .replace(PRELOAD, '')
    .replace(TAG, (tag) => tag.replace(/ (href|src)="\/(?!\/)([^"]*)"/, (_, name, target) => ` ${name}="${root}${fileOf(target)}"`))
    .replace('</body>', `<script src="${root}plain/start.js" data-modules="${modules.join(' ')}"></script>\n  </body>`)
}

/** Puts beside the pages what they load by plain scripts: diagrams, and the search with its index. */
export async function writePlain(out) {
  const packages = createRequire(join(out, '../package.json'))
  const plain = join(out, 'plain')
  mkdirSync(plain, { recursive: true })
  copyFileSync(join(packages.resolve('mermaid'), '../mermaid.min.js'), join(plain, 'mermaid.min.js'))
  copyFileSync(join(packages.resolve('minisearch'), '../../umd/index.js'), join(plain, 'minisearch.js'))
  const chunks = join(out, 'assets/chunks')
  const index = readdirSync(chunks).find((name) => name.startsWith('@localSearchIndexroot.'))
  const { default: text } = await import(pathToFileURL(join(chunks, index)))
  writeFileSync(join(plain, 'search_index.js'), `window.searchIndex = ${JSON.stringify(text)}\n`)
}
