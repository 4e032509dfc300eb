// SPDX-License-Identifier: BSL-1.0
// The first three sections: weights of a sentence under a mask, the plan, and times.
import { fetched } from './module.js';
import { bars, drawn_plan } from './plan.js';

const WORDS = ['your', 'journey', 'starts', 'with', 'one', 'step'];
const FEATURES = 3, LONG = 64; // as in attention.cpp
const find = (id) => document.getElementById(id);

/** What the form says: the number of the mask, its parameter, and the scale. */
function chosen() {
  const mask = Number(document.querySelector('input[name=mask]:checked').value);
  const parameter = Number(find(mask === 2 ? 'width' : 'keys').value);
  return { mask, parameter, scale: Number(find('scale').value) };
}

function mask_text({ mask, parameter }, long) {
  return ['', ', causal', `, sliding_window<${long ? '8, 8' : `${parameter}, ${parameter}`}>`, `, keys_below(${long ? long_keys({ parameter }) : parameter})`][mask];
}
const long_keys = ({ parameter }) => Math.round(parameter * LONG / WORDS.length);

function draw_weights(weights) {
  const cells = ['<span></span>', ...WORDS.map((w) => `<span>${w}</span>`)];
  WORDS.forEach((word, i) => {
    cells.push(`<span class="name">${word}</span>`);
    WORDS.forEach((_, j) => {
      const weight = weights[i * WORDS.length + j];
      cells.push(weight === 0 ? '<span>·</span>' : `<span style="background: rgb(11 110 153 / ${weight.toFixed(3)}); ` +
        `color: ${weight > 0.6 ? '#fff' : 'inherit'}">${weight.toFixed(2)}</span>`);
    });
  });
  find('weights').innerHTML = cells.join('');
}

function draw_contexts(contexts) {
  find('contexts').innerHTML = WORDS.map((word, i) => `<tr><th>${word}</th>` +
    [...contexts.subarray(i * FEATURES, (i + 1) * FEATURES)].map((c) => `<td>${c.toFixed(4)}</td>`).join('') + '</tr>').join('');
}

/** Microseconds of one call of each function: the best of runs by turns, each long enough for the clock of a browser. */
function microseconds(functions) {
  const timed = (run, count) => {
    const start = performance.now();
    run(count);
    return performance.now() - start;
  };
  const counts = functions.map((run) => {
    let count = 1;
    while (count < 4096 && timed(run, count) < 5) count *= 2;
    return count;
  });
  const best = functions.map(() => Infinity);
  for (let turn = 0; turn < 10; ++turn)
    functions.forEach((run, i) => { best[i] = Math.min(best[i], timed(run, counts[i]) / counts[i]); });
  return best.map((milliseconds) => milliseconds * 1000);
}

const { calls, floats, text } = await fetched('attention.wasm');
calls.prepare();
let drawn_mask = -1;

function update() {
  const what = chosen();
  find('width-label').hidden = what.mask !== 2;
  find('keys-label').hidden = what.mask !== 3;
  for (const slider of document.querySelectorAll('#masks input[type=range]')) slider.nextElementSibling.value = slider.value;
  find('expression').textContent = `y = matmul(store(weights, attention_weights(x, x, scale(${what.scale})${mask_text(what, false)})), x);`;
  calls.attend(what.mask, what.parameter, what.scale);
  draw_weights(floats(calls.weights(), WORDS.length ** 2));
  draw_contexts(floats(calls.contexts(), WORDS.length * FEATURES));
  if (what.mask === drawn_mask) return;
  drawn_mask = what.mask;
  find('plan').innerHTML = drawn_plan(JSON.parse(text(calls.plan(what.mask))));
}

function measure() {
  const what = chosen(), parameter = what.mask === 3 ? long_keys(what) : 0;
  const flops = JSON.parse(text(calls.plan(what.mask))).flops;
  const [loops, ours] = microseconds([(n) => calls.run_loops(what.mask, parameter, n), (n) => calls.run_expression(what.mask, parameter, n)]);
  const words = (time) => `${time.toFixed(1)} µs` + (what.mask === 3 ? '' : `, ${(flops / time / 1000).toFixed(1)} GFLOP/s`);
  find('times').innerHTML = `<p class="note"><code>attention(q, k, v${mask_text(what, true).replace('<', '&lt;')})</code></p>` +
    bars([{ name: 'plain loops', value: loops, words: words(loops), colour: '#adb5bd' },
          { name: 'ashlar', value: ours, words: words(ours) }]) +
    `<p class="note">${(loops / ours).toFixed(1)} times as fast; the largest difference is ${calls.difference().toExponential(0)}.</p>`;
}

find('masks').addEventListener('input', update);
find('measure').addEventListener('click', measure);
update();
measure();
document.body.dataset.attention = 'ready';
