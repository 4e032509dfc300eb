// SPDX-License-Identifier: BSL-1.0
// The site: GitHub's anchors, search without a server, pages that open as files, and nothing from another host.
import { existsSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { openable, writePlain } from './offline.mjs'

const sidebar = JSON.parse(readFileSync(new URL('./sidebar.json', import.meta.url)))

/** The anchor that GitHub gives a heading; markdown_pages.py has the same function. */
function slugify(heading) {
  return heading.toLowerCase().replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-')
}

export default defineConfig({
  title: 'ashlar',
  description: 'Tensors whose shapes are part of their types',
  outDir: '../dist',
  cacheDir: '../cache',
  metaChunk: true,
  // A server sends 404.html for any path, so its links stay those from the root.
  transformHtml: (html, _, { page }) => (page === '404.md' ? html : openable(html, page)),
  buildEnd: ({ outDir }) => writePlain(outDir),
  markdown: { html: false, math: true, anchor: { slugify }, languageAlias: { awk: 'bash', console: 'txt' } },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        miniSearch: { options: { tokenize: (text) => text.split(/[^\p{L}\p{N}_]+/u) } },
      },
    },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/tutorial/index.md' },
      { text: 'Cookbook', link: '/cookbook/index.md' },
      { text: 'Notebooks', link: '/notebooks/index.md' },
      { text: 'Reference', link: '/reference/index.md' },
      { text: 'Names', link: '/api/index.md' },
      { text: 'Errors', link: '/errors.md' },
    ].filter(({ link }) => existsSync(new URL(`..${link}`, import.meta.url))),
    sidebar: { '/': sidebar.pages, '/api/': sidebar.api },
  },
})
