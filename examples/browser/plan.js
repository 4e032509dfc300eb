// SPDX-License-Identifier: BSL-1.0
// Draws a plan, as plan_json writes it: loops as boxes, buffers over time, tiles of masks, operations and bytes.

const KINDS = { copy: '#ced4da', map: '#d8f5a2', product: '#a5d8ff', softmax: '#ffd8a8', norm: '#eebefa', reduce: '#ffc9c9' };
const TILES = { s: ['skipped', '#f8f9fa'], e: ['empty', '#dee2e6'], m: ['masked', '#74c0fc'], f: ['full', '#0b6e99'],
                r: ['decided at run time', '#ffd8a8'] };
const COLOURS = ['#8dd3c7', '#ffffb3', '#bebada', '#fb8072', '#80b1d3', '#fdb462', '#b3de69', '#fccde5'];

export const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
const grouped = (n) => n.toLocaleString('en');
export const in_bytes = (n) => n >= 1024 && n % 1024 === 0 ? `${grouped(n / 1024)} KiB` : `${grouped(n)} B`;

/** The stages of a body in the order in which they run. */
export const stages_of = (body) => body.flatMap((item) => 'loop' in item ? stages_of(item.body) : [item]);
const all_stages = (plan) => plan.steps.flatMap((step) => stages_of(step.body));

function loop_text({ loop, axis, extent, tile }) {
  const name = axis ? ` (${axis})` : '';
  if (loop === 'entries') return `for each of ${grouped(extent)}${name}`;
  return tile === extent ? `for all ${grouped(extent)} ${loop}${name}` : `for every ${grouped(tile)} of ${grouped(extent)} ${loop}${name}`;
}

function item_box(item) {
  if ('loop' in item) return `<div class="box">${escaped(loop_text(item))}${item.body.map(item_box).join('')}</div>`;
  const lines = [item.formula, item.second, item.then && `then ${item.then}`].filter(Boolean).map(escaped);
  return `<div class="box stage" style="--kind: ${KINDS[item.stage] ?? '#fff'}"><b>${item.stage}</b> ${lines.join('<br>')}` +
    `<small>${escaped(item.tile)}, lanes: ${item.lanes}${item.fused ? ', together' : ''}</small></div>`;
}

function steps(plan) {
  return plan.steps.map((step, i) => `<div class="box">step ${i + 1}: ${grouped(step.flops)} operations` +
    `${step.body.map(item_box).join('')}</div>`).join('');
}

/** A rectangle for each buffer: from its first stage to its last, from its first byte to its last. */
function buffers(plan) {
  const [width, height, left] = [420, 180, 60];
  const stages = all_stages(plan);
  const ends = Math.max(...stages.map((s) => s.time)) + 1;
  const x = (time) => left + (width - left) * time / ends;
  const y = (byte) => height - height * byte / Math.max(plan.scratch_bytes, 1);
  const in_memory = plan.buffers.filter((b) => !b.registers);
  const drawn = in_memory.filter((b) => !b.in_place_of).map((b, i) => {
    const names = [b.name, ...in_memory.filter((o) => o.in_place_of === b.name).map((o) => o.name)].join(', ');
    const [top, tall] = [y(b.offset + b.bytes), height * b.bytes / plan.scratch_bytes];
    const label = tall < 14 ? '' : `<text x="${(x(b.first) + x(b.last + 1)) / 2}" y="${top + tall / 2 + 4}" text-anchor="middle">` +
      `${escaped(names)}: ${in_bytes(b.bytes)}</text>`;
    return `<rect x="${x(b.first)}" y="${top}" width="${x(b.last + 1) - x(b.first)}" height="${tall}" fill="${COLOURS[i % 8]}" ` +
      `stroke="#495057" data-buffer="${escaped(b.name)}"><title>${escaped(names)}: ${in_bytes(b.bytes)}</title></rect>${label}`;
  });
  const names = stages.map((s) => `<text x="${x(s.time + 0.5)}" y="${height + 14}" text-anchor="middle">${s.stage}</text>`);
  return `<svg viewBox="0 -6 ${width + 2} ${height + 26}" role="img" aria-label="Buffers over time">${drawn.join('')}` +
    `<line x1="${left}" x2="${left}" y1="0" y2="${height}" stroke="#495057"/><line x1="${left}" x2="${width}" y1="${height}" y2="${height}" stroke="#495057"/>` +
    `<text x="${left - 4}" y="10" text-anchor="end">${in_bytes(plan.scratch_bytes)}</text><text x="${left - 4}" y="${height}" text-anchor="end">0 B</text>${names.join('')}</svg>`;
}

function tiles(mask) {
  if (mask.map.length === 0) return '';
  const letters = mask.map.join('');
  const tall = 1.8 * mask.queries / mask.keys;
  const squares = [...letters].map((letter) => `<i style="--tile: ${TILES[letter][1]}; height: ${Math.min(tall, 6)}rem"></i>`).join('');
  const keys = Object.entries(TILES).filter(([letter]) => letters.includes(letter)).map(([letter, [name, colour]]) =>
    `<i class="key" style="background: ${colour}"></i>${[...letters].filter((l) => l === letter).length} ${name}`);
  return `<div><h3>Tiles of ${mask.queries} queries and ${mask.keys} keys: <code>${escaped(mask.name)}</code></h3>` +
    `<div class="tiles" style="grid-template-columns: repeat(${mask.map[0].length}, max-content)">${squares}</div>` +
    `<p class="note">${keys.join('')}</p></div>`;
}

/** Names, lengths and words of bars; those of the greatest value are full. */
export function bars(rows) {
  const most = Math.max(...rows.map((r) => r.value), 1e-300);
  return `<div class="bars">${rows.map(({ name, value, words, colour }) => `<span>${escaped(name)}</span>` +
    `<span style="--share: ${(value / most).toFixed(4)}${colour ? `; --kind: ${colour}` : ''}">${escaped(words)}</span>`).join('')}</div>`;
}

function operations(plan) {
  return bars(all_stages(plan).filter((s) => s.flops > 0).map((s) => ({
    name: `${s.stage} ${(s.formula ?? s.second).split(' = ')[0]}`, value: s.flops, words: grouped(s.flops), colour: KINDS[s.stage],
  })));
}

function memory(plan) {
  return bars([...plan.operands.map((o) => ({ name: o.name, value: o.bytes })), { name: 'result', value: plan.result_bytes },
               { name: 'scratch', value: plan.scratch_bytes }].map((row) => ({ ...row, words: in_bytes(row.value) })));
}

/** A report of plan_json as HTML. */
export function drawn_plan(report) {
  return report.plans.map((plan) => {
    const masks = all_stages(plan).filter((s) => s.mask).map((s) => tiles(s.mask));
    const times = plan.times === 1 ? '' : `, ${plan.times} times`;
    return `<div class="plan"><div class="loops"><h3>Loops and stages${times}</h3>${steps(plan)}</div><div class="panels">` +
      `<div><h3>Buffers over time</h3>${buffers(plan)}</div>${masks.join('')}` +
      `<div><h3>${grouped(plan.flops)} operations</h3>${operations(plan)}</div>` +
      `<div><h3>Bytes</h3>${memory(plan)}</div></div></div>`;
  }).join('');
}
