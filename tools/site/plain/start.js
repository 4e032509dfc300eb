// SPDX-License-Identifier: BSL-1.0
// Starts a page: from a server by the modules of VitePress, from a file by offline.js, as browsers load no modules from there.
{
  const { src, dataset } = document.currentScript
  const add = (path, type) => {
    const script = document.createElement('script')
    Object.assign(script, { src: new URL(`../${path}`, src), type, async: false })
    document.body.append(script)
  }
  if (location.protocol === 'file:') {
    add('plain/diagrams.js', '')
    add('plain/offline.js', '')
  } else {
    for (const path of dataset.modules.split(' ')) add(path, 'module')
  }
}
