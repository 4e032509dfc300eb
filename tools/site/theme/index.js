// SPDX-License-Identifier: BSL-1.0
// VitePress's theme with the system's fonts, diagrams, and tables that scroll by themselves.
import DefaultTheme from 'vitepress/theme-without-fonts'
import { nextTick, onMounted, watch } from 'vue'
import { useRoute } from 'vitepress'
import './style.css'

/** Draws the diagrams of a page by plain/diagrams.js, which pages opened as files load as well. */
async function drawDiagrams() {
  if (!document.querySelector('div.language-mermaid')) return
  if (!window.drawDiagrams) {
    await new Promise((resolve, reject) => {
      const script = document.createElement('script')
      Object.assign(script, { src: `${import.meta.env.BASE_URL}plain/diagrams.js`, onload: resolve, onerror: reject })
      document.head.append(script)
    })
  }
  await window.drawDiagrams()
}

export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute()
    onMounted(drawDiagrams)
    watch(() => route.path, () => nextTick(drawDiagrams))
  },
}
