// SPDX-License-Identifier: BSL-1.0
// Draws the diagrams of a page; the library is loaded only where there are any.
{
  const library = new URL('mermaid.min.js', document.currentScript.src)
  let loading

  const load = () => new Promise((resolve, reject) => {
    const script = document.createElement('script')
    Object.assign(script, { src: library, onload: resolve, onerror: reject })
    document.head.append(script)
  })

  window.drawDiagrams = async () => {
    const blocks = document.querySelectorAll('div.language-mermaid')
    if (blocks.length === 0) return
    await (loading ??= load())
    const dark = document.documentElement.classList.contains('dark')
    const flowchart = { rankSpacing: 24, nodeSpacing: 24, padding: 6 }
    window.mermaid.initialize({ startOnLoad: false, theme: dark ? 'dark' : 'neutral', flowchart })
    for (const [number, block] of blocks.entries()) {
      const { svg } = await window.mermaid.render(`diagram-${number}`, block.querySelector('code').textContent)
      const figure = document.createElement('figure')
      figure.className = 'diagram'
      figure.innerHTML = svg
      block.replaceWith(figure)
    }
  }
}
