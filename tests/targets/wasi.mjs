// SPDX-License-Identifier: BSL-1.0
// Runs a program for WebAssembly with files of this folder and of /tmp: node wasi.mjs <program> [argument...]
import { readFile } from 'node:fs/promises';
import { argv, env, exit } from 'node:process';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: argv.slice(2), env, preopens: { '.': '.', '/tmp': '/tmp' }, returnOnExit: true });
const imports = { wasi_snapshot_preview1: wasi.wasiImport };
const { instance } = await WebAssembly.instantiate(await readFile(argv[2]), imports);
exit(wasi.start(instance));
