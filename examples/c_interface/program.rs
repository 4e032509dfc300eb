// SPDX-License-Identifier: BSL-1.0
// A program in Rust that runs the model of denoiser.h, and checks what it promises.
use std::alloc::{alloc, dealloc, handle_alloc_error, Layout};
use std::ffi::{c_void, CStr, CString};
use std::os::raw::{c_char, c_uint};

const ROWS: usize = 16;
const WIDTH: usize = 32;

#[repr(C)]
struct Denoiser {
    _private: [u8; 0],
}

extern "C" {
    fn denoiser_bytes() -> usize;
    fn denoiser_alignment() -> usize;
    fn denoiser_create(memory: *mut c_void, bytes: usize, seed: c_uint, model: *mut *mut Denoiser) -> c_uint;
    fn denoiser_load(model: *mut Denoiser, path: *const c_char) -> c_uint;
    fn denoiser_run(model: *mut Denoiser, x: *const f32, y: *mut f32, rows: usize) -> c_uint;
    fn denoiser_message(model: *const Denoiser) -> *const c_char;
}

/// A model and its memory.
struct Model {
    memory: *mut u8,
    layout: Layout,
    model: *mut Denoiser,
}

impl Model {
    fn new(seed: u32) -> Result<Model, u32> {
        let layout = unsafe { Layout::from_size_align(denoiser_bytes(), denoiser_alignment()) }.expect("a layout");
        let memory = unsafe { alloc(layout) };
        if memory.is_null() {
            handle_alloc_error(layout);
        }
        let mut made = Model { memory, layout, model: std::ptr::null_mut() };
        match unsafe { denoiser_create(memory.cast(), layout.size(), seed, &mut made.model) } {
            0 => Ok(made),
            status => Err(status),
        }
    }

    fn load(&mut self, path: &str) -> Result<(), String> {
        let path = CString::new(path).map_err(|error| error.to_string())?;
        match unsafe { denoiser_load(self.model, path.as_ptr()) } {
            0 => Ok(()),
            _ => Err(unsafe { CStr::from_ptr(denoiser_message(self.model)) }.to_string_lossy().into_owned()),
        }
    }

    /// y = model(x), row by row.
    fn run(&mut self, x: &[[f32; WIDTH]], y: &mut [[f32; WIDTH]]) -> Result<(), u32> {
        assert_eq!(x.len(), y.len());
        match unsafe { denoiser_run(self.model, x.as_ptr().cast(), y.as_mut_ptr().cast(), x.len()) } {
            0 => Ok(()),
            status => Err(status),
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        unsafe { dealloc(self.memory, self.layout) }
    }
}

fn main() {
    let mut model = Model::new(1).expect("a model");
    let mut x = [[0.0f32; WIDTH]; ROWS];
    for (i, row) in x.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry = ((7 * i + 3 * j) % 11) as f32 / 11.0;
        }
    }
    let (mut y, mut again, mut few) = ([[0.0f32; WIDTH]; ROWS], [[0.0f32; WIDTH]; ROWS], [[0.0f32; WIDTH]; ROWS]);
    model.run(&x, &mut y).expect("all rows");
    Model::new(1).expect("another model").run(&x, &mut again).expect("all rows");
    assert_eq!(y, again, "equal seeds give equal models");
    assert!(y != x && y.iter().flatten().all(|entry| entry.is_finite()));

    model.run(&x[..5], &mut few[..5]).expect("five rows");
    assert_ne!(few[4], y[4], "rows attend to those that are there");
    assert_eq!(few[5], [0.0; WIDTH], "nothing is written beyond");
    assert_eq!(model.run(&[[0.0; WIDTH]; ROWS + 1], &mut [[0.0; WIDTH]; ROWS + 1]), Err(4), "too many rows");

    let message = model.load("no_such.safetensors").expect_err("there is no such file");
    assert!(!message.is_empty());
    println!("{} bytes of model and scratch; no file: {}", model.layout.size(), message);
}
