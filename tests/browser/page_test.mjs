// SPDX-License-Identifier: BSL-1.0
// Runs the modules of the page of ./run browser by Node.js: node page_test.mjs <folder of the page>
import { readFile, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { argv, env, exit } from 'node:process';
import { pathToFileURL } from 'node:url';

const folder = resolve(argv[2]);
const script = (name) => import(pathToFileURL(join(folder, name)));
const { load } = await script('module.js');
const { drawn_plan, stages_of } = await script('plan.js');

let failures = 0;
function expect(condition, what) {
  if (condition) return;
  ++failures;
  console.log(`FAILED: ${what}`);
}

// ------------------------------------------------------------------------------------- the folder

async function check_folder() {
  const size = async (name) => (await readFile(join(folder, name))).length;
  expect(await size('attention.wasm') < 128 * 1024, 'the module of attention has less than 128 KiB');
  expect(await size('story.wasm') < 400 * 1024, 'the module of stories has less than 400 KiB');
  const names = await readdir(folder);
  for (const name of names.filter((n) => /\.(html|css|js)$/.test(n))) {
    const text = await readFile(join(folder, name), 'utf8');
    expect(!/\b(?:https?|wss?):|["'(]\/\//.test(text), `${name} names no other host`);
    for (const [, file] of text.matchAll(/(?:src="|href="|from '\.\/|fetched\(')([\w.]+)["']/g))
      expect(names.includes(file), `${name} uses ${file}, which is there`);
  }
  const modules = WebAssembly.Module;
  const compiled = await WebAssembly.compile(await readFile(join(folder, 'attention.wasm')));
  expect(modules.imports(compiled).length === 0, 'the module of attention imports nothing');
}

// ------------------------------------------------------------------------------------- attention

const WORDS = 6, FEATURES = 3;
const MASKS = [() => true, (i, j) => j <= i, (i, j, width) => Math.abs(i - j) <= width, (i, j, count) => j < count];

/** Weights and contexts of a sentence that attends to itself, in doubles. */
function attention(x, kept, scale) {
  const row = (i) => x.slice(i * FEATURES, (i + 1) * FEATURES);
  const weights = [], contexts = [];
  for (let i = 0; i < WORDS; ++i) {
    const scores = Array.from({ length: WORDS }, (_, j) =>
      kept(i, j) ? scale * row(i).reduce((sum, a, f) => sum + a * row(j)[f], 0) : -Infinity);
    const top = Math.max(...scores);
    const numerators = scores.map((s) => top === -Infinity ? 0 : Math.exp(s - top));
    const sum = numerators.reduce((a, b) => a + b, 0) || 1;
    weights.push(...numerators.map((n) => n / sum));
    for (let f = 0; f < FEATURES; ++f)
      contexts.push(numerators.reduce((all, n, j) => all + n / sum * row(j)[f], 0));
  }
  return { weights, contexts };
}

const near = (got, expected, most) => got.length === expected.length && expected.every((e, i) => Math.abs(got[i] - e) <= most);

function check_sentence({ calls, floats }) {
  const x = [...floats(calls.sentence(), WORDS * FEATURES)];
  for (const [mask, parameters] of [[0, [0]], [1, [0]], [2, [0, 1, 2, 3, 4, 5]], [3, [0, 1, 4, 6]]])
    for (const parameter of parameters)
      for (const scale of [0, 1, 8, 20]) {
        calls.attend(mask, parameter, scale);
        const expected = attention(x, (i, j) => MASKS[mask](i, j, parameter), scale);
        const what = `mask ${mask}, parameter ${parameter}, scale ${scale}`;
        expect(near(floats(calls.weights(), WORDS * WORDS), expected.weights, 1e-6), `weights of ${what}`);
        expect(near(floats(calls.contexts(), WORDS * FEATURES), expected.contexts, 1e-6), `contexts of ${what}`);
      }
}

function check_plans({ calls, text }) {
  const flops = [];
  for (const mask of [0, 1, 2, 3]) {
    const report = JSON.parse(text(calls.plan(mask)));
    const [plan] = report.plans, stages = plan.steps.flatMap((step) => stages_of(step.body));
    flops.push(report.flops);
    const drawn = drawn_plan(report);
    for (const { stage, formula } of stages)
      expect(drawn.includes(`<b>${stage}</b> ${formula ?? ''}`), `the plan of mask ${mask} shows ${formula}`);
    const buffers = plan.buffers.filter((b) => !b.registers && !b.in_place_of);
    expect((drawn.match(/data-buffer=/g) ?? []).length === buffers.length, `the plan of mask ${mask} shows ${buffers.length} buffers`);
    const tiles = stages.filter((s) => s.mask).reduce((all, s) => all + s.mask.tiles, 0);
    expect((drawn.match(/<i style="--tile/g) ?? []).length === tiles && (mask === 0) === (tiles === 0), `the plan of mask ${mask} shows ${tiles} tiles`);
    expect(!/undefined|NaN/.test(drawn), `the plan of mask ${mask} has nothing undefined`);
  }
  expect(flops[0] > flops[1] && flops[1] > flops[2] && flops[3] === flops[0], `masks that types know save operations: ${flops}`);
  const strange = { plans: [{ times: 2, flops: 1, scratch_bytes: 0, result_bytes: 4, buffers: [], operands: [],
                              steps: [{ flops: 1, body: [{ loop: 'rows', axis: '<i>&', extent: 9, tile: 4, body: [
                                { stage: 'map', time: 0, formula: 'a < b', tile: '[]', lanes: 'rows', fused: true, flops: 1 }] }] }] }] };
  const drawn = drawn_plan(strange);
  expect(drawn.includes('for every 4 of 9 rows (&lt;i&gt;&amp;)') && drawn.includes('a &lt; b') && !drawn.includes('a < b') && drawn.includes('2 times'), `names are escaped: ${drawn}`);
}

function check_times({ calls }) {
  calls.prepare();
  for (const [mask, parameter] of [[0, 0], [1, 0], [2, 0], [3, 40]]) {
    calls.run_loops(mask, parameter, 1);
    calls.run_expression(mask, parameter, 2);
    const difference = calls.difference();
    expect(difference > 0 && difference < 1e-5, `mask ${mask}: loops and expression differ by ${difference}`);
  }
  calls.run_loops(0, 0, 1);
  expect(calls.difference() > 1e-3, 'another mask makes a difference');
}

// ------------------------------------------------------------------------------------- stories

async function check_story(module) {
  const { calls, text, with_bytes } = module;
  const garbage = new TextEncoder().encode('this is no file of weights');
  expect(text(with_bytes(garbage, calls.load_weights)) !== '', 'what is no safetensors file is refused');
  expect(text(with_bytes(garbage, calls.load_tokens)) !== '', 'what is no tokenizer is refused');
  expect(calls.parameters() === 260032 + 512 * 64, `${calls.parameters()} parameters`);
  if (!env.ASHLAR_MODELS) return console.log('ASHLAR_MODELS does not say where a trained model is: no story is told');

  const models = join(env.ASHLAR_MODELS, 'stories260k');
  const loaded = async (name, call) => text(with_bytes(await readFile(join(models, name)), call));
  expect(await loaded('stories260K.safetensors', calls.load_weights) === '', 'the weights are loaded');
  expect(await loaded('tok512.bin', calls.load_tokens) === '', 'the tokens are loaded');
  const tell = (prompt, temperature, seed, most) => {
    const begun = with_bytes(new TextEncoder().encode(prompt), (address, size) => calls.begin(address, size, temperature, 0.9, seed));
    expect(begun, `a story of "${prompt}" begins`);
    const decoder = new TextDecoder();
    let story = '';
    for (let token = 0, piece; token < most && (piece = calls.next()) !== 0; ++token)
      story += decoder.decode(module.bytes(piece), { stream: true });
    return story;
  };
  const expected = (await readFile(join(models, 'greedy.txt'), 'utf8')).trimEnd();
  const told = tell('', 0, 1, 600);
  expect(told.startsWith(expected), `the most likely story is the model's: ${told.slice(0, 60)}`);
  expect(tell('', 0, 1, 600) === told, 'a second story forgets the first one');
  expect(tell('Tom was', 0, 1, 40).startsWith('Tom was'), 'a story begins with its prompt');
  expect(tell('', 1, 7, 60) === tell('', 1, 7, 60) && tell('', 1, 7, 60) !== tell('', 1, 8, 60), 'the seed decides');
  const long = new TextEncoder().encode('q '.repeat(600));
  expect(!with_bytes(long, (address, size) => calls.begin(address, size, 0, 0.9, 1)), 'a prompt that is too long is refused');
}

const module_of = async (name) => load(await readFile(join(folder, name)));
await check_folder();
const module = await module_of('attention.wasm');
check_sentence(module);
check_plans(module);
check_times(module);
await check_story(await module_of('story.wasm'));
console.log(failures ? 'failed' : 'passed');
exit(failures ? 1 : 0);
