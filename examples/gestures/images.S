/* SPDX-License-Identifier: BSL-1.0 */
/* The images, as they are, in read-only memory: used where they lie. A header of 64 bytes, then the model, both aligned to 64. */
    .syntax unified
    .macro image name, file
    .section .rodata.\name, "a", %progbits
    .balign 64
    .global \name
    .type \name, %object
\name:
    .incbin "\file"
    .size \name, . - \name
    .endm

    image gestures_image, "gestures_image.image"
    image gesture_recordings, "gesture_recordings.image"
