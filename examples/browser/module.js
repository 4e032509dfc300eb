// SPDX-License-Identifier: BSL-1.0
// Loads a WebAssembly module and gives the page its functions, texts and numbers.

const REFUSED = 8; // WASI's "no such file descriptor"

/** The C library's way to files and to the end of the program, which are refused: modules read no file. */
const imports = {
  wasi_snapshot_preview1: new Proxy({}, {
    has: () => true,
    get: (_, name) => name === 'proc_exit' ? () => { throw new Error('the module ended'); } : () => REFUSED,
  }),
};

/** An instance of the bytes of a module. */
export async function load(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes, imports);
  const calls = instance.exports;
  calls._initialize();
  const memory = () => new Uint8Array(calls.memory.buffer);
  return {
    calls,
    /** The text at an address, up to its zero. */
    text(address) {
      const bytes = memory();
      return new TextDecoder().decode(bytes.subarray(address, bytes.indexOf(0, address)));
    },
    /** The bytes of a text at an address: a token may end inside a character. */
    bytes: (address) => memory().slice(address, memory().indexOf(0, address)),
    /** Numbers of 32 bits at an address. */
    floats: (address, count) => new Float32Array(calls.memory.buffer.slice(address, address + 4 * count)),
    /** Calls a function with bytes in the module's memory and their number. */
    with_bytes(bytes, call) {
      const address = calls.take_memory(bytes.length);
      memory().set(bytes, address);
      try {
        return call(address, bytes.length);
      } finally {
        calls.give_memory(address);
      }
    },
  };
}

/** The module in a file beside the page. */
export async function fetched(name) {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return load(await answer.arrayBuffer());
}
