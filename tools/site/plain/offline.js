// SPDX-License-Identifier: BSL-1.0
// What pages that are opened as files have instead of VitePress's scripts: menus, the outline, dark colours and the search.
{
  const folder = document.currentScript.src
  const root = document.documentElement
  const all = (selector) => document.querySelectorAll(selector)
  const click = (selector, action) => {
    for (const element of all(selector)) element.addEventListener('click', () => action(element))
  }
  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties)
    made.append(...children)
    return made
  }
  const load = (name) => new Promise((resolve, reject) => {
    document.head.append(element('script', { src: new URL(name, folder), onload: resolve, onerror: reject }))
  })

  for (const bar of all('.VPSidebar').length > 0 ? all('.VPNavBar') : []) bar.classList.add('has-sidebar')

  // The sidebar: sections that open, the entry of this page, and the sidebar itself on a narrow screen.
  const toggle = (item) => item.closest('.VPSidebarItem').classList.toggle('collapsed')
  click('.VPSidebarItem.collapsible > .item .caret', toggle)
  click('.VPSidebarItem.collapsible > .item[role=button] > .text', toggle)
  click('.VPLocalNav .menu, .VPNavBarHamburger', () => all('.VPSidebar').forEach((bar) => bar.classList.toggle('open')))
  click('.VPContent', () => all('.VPSidebar').forEach((bar) => bar.classList.remove('open')))
  for (const link of all('.VPSidebar a')) {
    if (link.href !== location.href.split('#')[0]) continue
    link.closest('.VPSidebarItem').classList.add('is-active')
    for (let item = link.closest('.VPSidebarItem'); item; item = item.parentElement.closest('.VPSidebarItem')) {
      item.classList.remove('collapsed')
    }
    link.scrollIntoView({ block: 'center' })
  }

  // The outline.
  const headings = [...all('.vp-doc :is(h2, h3)[id]')]
  const text = (heading) => heading.textContent.replace(/\u200b/g, '').trim()
  for (const outline of headings.length > 0 ? all('.VPDocAsideOutline') : []) {
    outline.classList.add('has-outline')
    const list = outline.querySelector('ul')
    for (const heading of headings) {
      const indent = heading.localName === 'h3' ? '16px' : '0'
      const link = element('a', { href: `#${heading.id}`, className: 'outline-link', style: `padding-left: ${indent}` }, text(heading))
      // The style of a component holds for elements with its attributes.
      for (const { name } of list.attributes) if (name.startsWith('data-v-')) link.setAttribute(name, '')
      list.append(element('li', {}, link))
    }
  }

  click('.VPSwitchAppearance', () => {
    localStorage.setItem('vitepress-theme-appearance', root.classList.toggle('dark') ? 'dark' : 'light')
  })
  click('button.copy', (button) => navigator.clipboard?.writeText(button.parentElement.querySelector('pre').textContent))

  // The search, of the same index.
  const input = element('input', { type: 'search', id: 'localsearch-input', placeholder: 'Search' })
  const list = element('ul', { id: 'localsearch-list' })
  const dialog = element('dialog', { className: 'plain-search' }, input, list)
  let search
  const show = () => {
    const found = search && input.value ? search.search(input.value).slice(0, 20) : []
    list.replaceChildren(...found.map(({ id, title, titles }) => {
      const [path, ...anchor] = id.slice(1).split('#')
      const file = path === '' || path.endsWith('/') ? `${path}index.html` : path
      const href = new URL(`../${[file, ...anchor].join('#')}`, folder)
      return element('li', {}, element('a', { href, className: 'result' }, [...titles, title].join(' › ')))
    }))
  }
  const open = async () => {
    dialog.showModal()
    if (search) return
    await Promise.all(['minisearch.js', 'search_index.js'].map(load))
    search = window.MiniSearch.loadJSON(window.searchIndex, {
      fields: ['title', 'titles', 'text'],
      storeFields: ['title', 'titles'],
      tokenize: (words) => words.split(/[^\p{L}\p{N}_]+/u),
      searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
    })
    show()
  }
  document.body.append(dialog)
  input.addEventListener('input', show)
  list.addEventListener('click', () => dialog.close())
  click('#local-search button', open)
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    open()
  })
  window.drawDiagrams()
}
