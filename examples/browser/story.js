// SPDX-License-Identifier: BSL-1.0
// The last section: a story as it is computed, with the model's files that the reader chooses.
import { fetched } from './module.js';

const find = (id) => document.getElementById(id);
const module = await fetched('story.wasm');
const { calls } = module;
const loaded = new Set();
let telling = 0; // the number of the current story; earlier stories stop

const note = (words) => { find('rate').textContent = words; };

/** Loads the weights or the tokens, by the end of the file's name. */
async function load(file) {
  const is_weights = file.name.endsWith('.safetensors');
  if (!is_weights && !file.name.endsWith('.bin')) return `${file.name} is neither .safetensors nor .bin`;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const complaint = module.text(module.with_bytes(bytes, is_weights ? calls.load_weights : calls.load_tokens));
  if (complaint !== '') return `${file.name}: ${complaint}`;
  loaded.add(is_weights ? 'weights' : 'tokens');
  return '';
}

find('files').addEventListener('change', async ({ target }) => {
  ++telling;
  const complaints = [];
  for (const file of target.files) complaints.push(await load(file));
  const ready = loaded.size === 2;
  find('tell').disabled = !ready;
  const missing = ['weights', 'tokens'].filter((what) => !loaded.has(what));
  note(complaints.filter(Boolean).join('; ') || (ready
    ? `${calls.parameters().toLocaleString('en')} parameters, ${calls.scratch_bytes().toLocaleString('en')} bytes of scratch for a token`
    : `the file of the ${missing.join(' and the ')} is missing`));
});

/** Computes tokens for a few milliseconds of every frame and shows them. */
function tell(story, decoder, told, milliseconds) {
  if (story !== telling) return;
  const start = performance.now();
  let piece = 0, words = '';
  do {
    piece = calls.next();
    if (piece === 0) break;
    words += decoder.decode(module.bytes(piece), { stream: true });
    ++told;
  } while (performance.now() - start < 8);
  milliseconds += performance.now() - start;
  find('story').append(words);
  note(`${told} tokens, ${Math.round(told / milliseconds * 1000).toLocaleString('en')} per second`);
  if (piece === 0) find('story').dataset.told = told;
  else requestAnimationFrame(() => tell(story, decoder, told, milliseconds));
}

find('teller').addEventListener('submit', (event) => {
  event.preventDefault();
  find('story').textContent = '';
  delete find('story').dataset.told;
  const prompt = new TextEncoder().encode(find('prompt').value);
  const fits = module.with_bytes(prompt, (address, size) =>
    calls.begin(address, size, Number(find('temperature').value), 0.9, Number(find('seed').value) >>> 0));
  ++telling;
  if (fits) tell(telling, new TextDecoder(), 0, 0);
  else note('the prompt is longer than the model reads');
});

const show_heat = () => { find('temperature').nextElementSibling.value = find('temperature').value; };
find('temperature').addEventListener('input', show_heat);
show_heat();
document.body.dataset.story = 'ready';
