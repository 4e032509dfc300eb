// SPDX-License-Identifier: BSL-1.0
// VitePress's theme with the system's fonts, diagrams, and tables that scroll by themselves.
import DefaultTheme from 'vitepress/theme-without-fonts'
import { nextTick, onMounted, watch } from 'vue'
import { useRoute } from 'vitepress'
import './style.css'

/** Draws the diagrams of a page; the library is loaded only where there are any. */
async function drawDiagrams() {
  const blocks = document.querySelectorAll('div.language-mermaid')
  if (blocks.length === 0) return
  const { default: mermaid } = await import('mermaid')
  const dark = document.documentElement.classList.contains('dark')
  mermaid.initialize({ startOnLoad: false, theme: dark ? 'dark' : 'neutral' })
  for (const [number, block] of blocks.entries()) {
    const { svg } = await mermaid.render(`diagram-${number}`, block.querySelector('code').textContent)
    const figure = document.createElement('figure')
    figure.className = 'diagram'
    figure.innerHTML = svg
    block.replaceWith(figure)
  }
}

export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute()
    onMounted(drawDiagrams)
    watch(() => route.path, () => nextTick(drawDiagrams))
  },
}
