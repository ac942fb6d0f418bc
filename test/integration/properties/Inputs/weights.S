# The initial values of a unit, as the linker of `rubato compile` embeds them.
    .section .rodata
    .balign 64
    .globl rubato_weights
rubato_weights:
    .incbin "weights.safetensors"
    .section .note.GNU-stack, "", @progbits
